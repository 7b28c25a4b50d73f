/* A parallel compressor: main cuts the input into blocks, consumers compress them, a writer puts them out in order.
 *
 * Original: pbzip2 0.9.4. Two bugs, told apart by the first argument:
 *
 *   order  At the end main waits for the writer only, then deletes the queue, while consumers still use it. The last
 *          consumer hands over the last block and is preempted (or another one has not even looked at the queue yet);
 *          the writer writes it, main frees the queue and its lock; the consumer comes back to look for more work. The
 *          original crashed on a null pointer. Here (use-after-free, misuse or segv): memory of the queue that is freed,
 *          or a mutex destroyed while it is held.
 *   fixed  That repaired: consumers are joined first. What is left is the race that the paper found then, over
 *          OutputBuffer[].buf and .bufSize: a consumer sets `data` and is preempted before it sets `size`; the writer,
 *          which takes a block with data for a finished one, writes too few bytes (assert in main: corrupted output).
 *          With `order` the two are set under the lock, so that each variant has one bug.
 *
 * The consumers of the original are never joined; here main joins them after the damage, so that every execution ends
 * in the same way.
 *
 * Parameters: order|fixed (default order), CONSUMERS (1 to 8; default 2), BLOCKS (default 2).
 */
#include "subject.h"
#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_CONSUMERS = 8, MAX_BLOCKS = 16, BLOCK_SIZE = 8 };

struct queue {
    pthread_mutex_t *lock;
    pthread_cond_t *not_empty;
    int first, end; /* numbers of the blocks in it */
    bool producer_done;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    struct {
        const char *_Atomic data; /* NULL: not compressed yet */
        atomic_int size;
    } blocks[MAX_BLOCKS];
} output = {.lock = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};

static const char compressed[BLOCK_SIZE] = "BZh91AY";
static struct queue *fifo;
static bool fixed;
static int block_count, bytes_written;

static struct queue *queue_create(void) {
    struct queue *q = calloc(1, sizeof *q);
    if (!q || !(q->lock = malloc(sizeof *q->lock)) || !(q->not_empty = malloc(sizeof *q->not_empty))) abort();
    pthread_mutex_init(q->lock, NULL);
    pthread_cond_init(q->not_empty, NULL);
    return q;
}

static void queue_delete(struct queue *q) {
    pthread_mutex_destroy(q->lock);
    free(q->lock);
    q->lock = NULL;
    pthread_cond_destroy(q->not_empty);
    free(q->not_empty);
    free(q);
}

/* The number of the next block to compress, -1 when there are no more. */
static int queue_take(struct queue *q) {
    pthread_mutex_lock(q->lock);
    while (q->first == q->end && !q->producer_done) pthread_cond_wait(q->not_empty, q->lock);
    int block = q->first < q->end ? q->first++ : -1;
    pthread_mutex_unlock(q->lock);
    return block;
}

static void output_put(int block) {
    if (fixed) { /* without the lock, and not in one step */
        atomic_store(&output.blocks[block].data, compressed);
        atomic_store(&output.blocks[block].size, BLOCK_SIZE);
    }
    pthread_mutex_lock(&output.lock);
    if (!fixed) {
        atomic_store(&output.blocks[block].size, BLOCK_SIZE);
        atomic_store(&output.blocks[block].data, compressed);
    }
    pthread_cond_signal(&output.ready);
    pthread_mutex_unlock(&output.lock);
}

static void *consumer(void *unused) {
    (void)unused;
    for (int block; (block = queue_take(fifo)) >= 0;) output_put(block);
    return NULL;
}

static void *file_writer(void *unused) {
    (void)unused;
    for (int block = 0; block < block_count; block++) {
        pthread_mutex_lock(&output.lock);
        while (!atomic_load(&output.blocks[block].data)) pthread_cond_wait(&output.ready, &output.lock);
        bytes_written += atomic_load(&output.blocks[block].size);
        pthread_mutex_unlock(&output.lock);
        slow_outside();
    }
    return NULL;
}

static void produce(struct queue *q) {
    for (int block = 0; block <= block_count; block++) {
        pthread_mutex_lock(q->lock);
        if (block < block_count)
            q->end++;
        else
            q->producer_done = true;
        pthread_cond_broadcast(q->not_empty);
        pthread_mutex_unlock(q->lock);
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "order") != 0 && strcmp(argv[1], "fixed") != 0) {
        fprintf(stderr, "argument 1: order or fixed expected, not '%s'\n", argv[1]);
        return 2;
    }
    fixed = argc > 1 && strcmp(argv[1], "fixed") == 0;
    int consumers = size_argument(argc, argv, 2, 2, 1, MAX_CONSUMERS);
    block_count = size_argument(argc, argv, 3, 2, 1, MAX_BLOCKS);
    pthread_t consumer_threads[MAX_CONSUMERS], writer_thread;
    fifo = queue_create();
    for (int i = 0; i < consumers; i++) pthread_create(&consumer_threads[i], NULL, consumer, NULL);
    pthread_create(&writer_thread, NULL, file_writer, NULL);
    produce(fifo);
    pthread_join(writer_thread, NULL);
    if (!fixed) queue_delete(fifo);
    for (int i = 0; i < consumers; i++) pthread_join(consumer_threads[i], NULL);
    if (fixed) queue_delete(fifo);
    assert(bytes_written == block_count * BLOCK_SIZE && "every block is written whole");
    puts("compressed");
    return 0;
}
