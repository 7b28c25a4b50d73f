/* The binary log of a database: rotated by one thread while others write to it.
 *
 * Original: MySQL bug 791 (sql/log.cc). new_file() closes the log and opens it again under another name; between the
 * two its type is LOG_CLOSED. A connection that asks in that moment whether the log is open believes that logging is
 * switched off, and its statement is missing from the log.
 *
 * Bug (assert in main; atomicity): the rotating thread sets LOG_CLOSED and is preempted; a connection reads the type
 * and skips its entry; the rotating thread opens the log again.
 *
 * Parameters: CONNECTIONS (1 to 8; default 2), ROUNDS of unrelated work (default 1).
 */
#include "subject.h"
#include <assert.h>

enum { MAX_CONNECTIONS = 8, MAX_ROUNDS = 20 };
enum log_type { LOG_CLOSED, LOG_BIN };

static struct log {
    atomic_int type;      /* an enum log_type, read without the lock */
    pthread_mutex_t lock; /* over what follows */
    int file;             /* number in the name of the file */
    int entries;
} binary_log = {.type = LOG_BIN, .lock = PTHREAD_MUTEX_INITIALIZER};

static int rounds;

static void log_close(struct log *log) { atomic_store(&log->type, LOG_CLOSED); }

static void log_open(struct log *log, int type) {
    log->file++;
    atomic_store(&log->type, type);
}

static void log_new_file(struct log *log) {
    pthread_mutex_lock(&log->lock);
    int saved_type = atomic_load(&log->type);
    log_close(log);
    log_open(log, saved_type);
    pthread_mutex_unlock(&log->lock);
}

static void log_write(struct log *log) {
    if (atomic_load(&log->type) == LOG_CLOSED) return; /* not switched on, it seems */
    pthread_mutex_lock(&log->lock);
    log->entries++;
    pthread_mutex_unlock(&log->lock);
}

static void *connection(void *arg) {
    unrelated_work(*(const int *)arg, rounds);
    log_write(&binary_log);
    unrelated_work(*(const int *)arg, rounds);
    return NULL;
}

static void *rotate(void *arg) {
    unrelated_work(*(const int *)arg, rounds);
    log_new_file(&binary_log);
    return NULL;
}

int main(int argc, char **argv) {
    static int numbers[MAX_CONNECTIONS + 1];
    int connections = size_argument(argc, argv, 1, 2, 1, MAX_CONNECTIONS);
    rounds = size_argument(argc, argv, 2, 1, 0, MAX_ROUNDS);
    pthread_t threads[MAX_CONNECTIONS + 1];
    for (int i = 0; i <= connections; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, i == 0 ? rotate : connection, &numbers[i]);
    }
    for (int i = 0; i <= connections; i++) pthread_join(threads[i], NULL);
    assert(binary_log.entries == connections && "every statement is in the log");
    puts("logged");
    return 0;
}
