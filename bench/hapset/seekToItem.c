/* A reader of a shared list: it seeks to an item, then reads at the place that it has found.
 *
 * Original: Mozilla; the paper names the kernel and its kind (atomicity violation) only. Reconstructed: the stream
 * keeps one position for all who use it, and seeking and reading are two steps.
 *
 * Bug (assert in user; atomicity): a thread seeks to its item and is preempted; another seeks to its own; the first
 * reads the other one's item.
 *
 * Parameters: USERS (2 to 8; default 2), ROUNDS of unrelated work (default 1).
 */
#include "subject.h"
#include <assert.h>

enum { MAX_USERS = 8, MAX_ROUNDS = 20 };

static struct stream {
    int items[MAX_USERS];
    atomic_int position;
    pthread_mutex_t lock; /* over the statistics only */
    int seeks, reads;
} stream = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int rounds;

static void seek_to_item(struct stream *s, int item) {
    atomic_store(&s->position, item);
    pthread_mutex_lock(&s->lock);
    s->seeks++;
    pthread_mutex_unlock(&s->lock);
}

static int read_item(struct stream *s) {
    int value = s->items[atomic_load(&s->position)];
    pthread_mutex_lock(&s->lock);
    s->reads++;
    pthread_mutex_unlock(&s->lock);
    return value;
}

static void *user(void *arg) {
    int item = *(const int *)arg;
    unrelated_work(item, rounds);
    seek_to_item(&stream, item);
    int value = read_item(&stream);
    assert(value == item * 10 && "the item sought is the item read");
    unrelated_work(item, rounds);
    return NULL;
}

int main(int argc, char **argv) {
    static int numbers[MAX_USERS];
    int users = size_argument(argc, argv, 1, 2, 2, MAX_USERS);
    rounds = size_argument(argc, argv, 2, 1, 0, MAX_ROUNDS);
    pthread_t threads[MAX_USERS];
    for (int i = 0; i < MAX_USERS; i++) stream.items[i] = i * 10;
    for (int i = 0; i < users; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, user, &numbers[i]);
    }
    for (int i = 0; i < users; i++) pthread_join(threads[i], NULL);
    assert(stream.seeks == users && stream.reads == users);
    puts("read");
    return 0;
}
