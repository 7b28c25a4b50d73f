/* Per-thread buffers behind a key that is made once; the destructors hand what is left to the survivors, one of them by
 * setting the key again, which gives it a second round: correct. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 3, LINES = 2 };

struct buffer {
    int lines;
    int rounds; /* of its destructor */
};

static pthread_once_t keys_made = PTHREAD_ONCE_INIT;
static pthread_key_t buffer_key, second_key;
static int makings; /* by the one thread that makes the keys */

static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static int total_lines, buffers_freed, second_values; /* under total_lock */

static void flush_buffer(void *arg) {
    struct buffer *buffer = arg;
    assert(!pthread_getspecific(buffer_key)); /* the value is cleared before the destructor runs */
    if (++buffer->rounds == 1) {
        pthread_setspecific(buffer_key, buffer);
        return;
    }
    pthread_mutex_lock(&total_lock);
    total_lines += buffer->lines;
    buffers_freed++;
    pthread_mutex_unlock(&total_lock);
    free(buffer);
}

static void count_second(void *arg) {
    pthread_mutex_lock(&total_lock);
    second_values += *(int *)arg;
    pthread_mutex_unlock(&total_lock);
}

static void make_keys(void) {
    makings++;
    pthread_key_create(&buffer_key, flush_buffer);
    pthread_key_create(&second_key, count_second);
}

static struct buffer *my_buffer(void) {
    pthread_once(&keys_made, make_keys);
    struct buffer *buffer = pthread_getspecific(buffer_key);
    if (!buffer) {
        buffer = calloc(1, sizeof *buffer);
        pthread_setspecific(buffer_key, buffer);
    }
    return buffer;
}

static void log_line(void) {
    struct buffer *buffer = my_buffer();
    buffer->lines++;
}

static void *work(void *number) {
    for (int i = 0; i < LINES; i++) log_line();
    assert(my_buffer()->lines == LINES);
    pthread_setspecific(second_key, number);
    if (*(int *)number == 2) pthread_exit(number); /* destructors run this way too */
    return number;
}

int main(void) {
    pthread_t threads[THREADS];
    int numbers[THREADS] = {1, 2, 3};
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert(result == &numbers[i]);
    }
    pthread_mutex_lock(&total_lock);
    assert(makings == 1 && total_lines == THREADS * LINES);
    assert(buffers_freed == THREADS && second_values == 1 + 2 + 3);
    pthread_mutex_unlock(&total_lock);
    assert(!pthread_getspecific(buffer_key));
    pthread_key_delete(buffer_key);
    pthread_key_delete(second_key);
    return 0;
}
