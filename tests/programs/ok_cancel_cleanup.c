/* Cancellation in all its places: in a condition wait (the handler gives the lock back), in a read from a pipe, at a
 * test point between two jobs, and held off while a job is being committed: correct. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static struct ledger {
    pthread_mutex_t lock;
    pthread_cond_t posted;
    int open, committed, discarded; /* under lock */
    int waiting_left;               /* under lock: waiters that were cancelled and cleaned up */
} ledger = {.lock = PTHREAD_MUTEX_INITIALIZER, .posted = PTHREAD_COND_INITIALIZER};

static int never_written[2];

static void leave_wait(void *arg) {
    struct ledger *l = arg;
    l->waiting_left++; /* the wait took the lock back before the handlers run */
    pthread_mutex_unlock(&l->lock);
}

static void discard(void *entry) {
    pthread_mutex_lock(&ledger.lock);
    ledger.discarded++;
    pthread_mutex_unlock(&ledger.lock);
    free(entry);
}

static void *wait_for_entries(void *arg) {
    struct ledger *l = arg;
    pthread_mutex_lock(&l->lock);
    pthread_cleanup_push(leave_wait, l);
    while (l->open >= 0) pthread_cond_wait(&l->posted, &l->lock);
    pthread_cleanup_pop(0);
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

static void *read_for_ever(void *unused) {
    (void)unused;
    int *entry = malloc(sizeof *entry);
    char byte;
    pthread_cleanup_push(discard, entry);
    while (read(never_written[0], &byte, 1) == 1) *entry = byte;
    pthread_cleanup_pop(1);
    return NULL;
}

static void commit(struct ledger *l) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    pthread_mutex_lock(&l->lock);
    l->open--;
    pthread_testcancel(); /* held off: nothing may happen here */
    l->committed++;
    pthread_mutex_unlock(&l->lock);
    pthread_setcancelstate(before, NULL);
}

static void book_one(struct ledger *l, int amount) {
    int *entry = malloc(sizeof *entry);
    *entry = amount;
    pthread_cleanup_push(discard, entry);
    pthread_testcancel();
    pthread_cleanup_pop(0);
    commit(l);
    free(entry);
}

static void *book(void *arg) {
    for (int i = 0; i < 2; i++) book_one(arg, i);
    return arg;
}

int main(void) {
    pthread_t waiter, reader, booker;
    void *result;
    ledger.open = 2;
    if (pipe(never_written)) return 1;
    pthread_create(&waiter, NULL, wait_for_entries, &ledger);
    pthread_create(&reader, NULL, read_for_ever, NULL);
    pthread_create(&booker, NULL, book, &ledger);
    pthread_cancel(booker);
    pthread_cancel(reader);
    pthread_cancel(waiter);
    pthread_join(booker, &result);
    bool finished = result == &ledger;
    assert(finished || result == PTHREAD_CANCELED);
    pthread_join(reader, &result);
    assert(result == PTHREAD_CANCELED);
    pthread_join(waiter, &result);
    assert(result == PTHREAD_CANCELED);
    pthread_mutex_lock(&ledger.lock); /* nobody took it along */
    assert(ledger.open + ledger.committed == 2);
    assert(finished ? ledger.committed == 2 : ledger.committed < 2);
    assert(ledger.discarded == (finished ? 1 : 2) && ledger.waiting_left == 1);
    pthread_mutex_unlock(&ledger.lock);
    close(never_written[0]);
    close(never_written[1]);
    return 0;
}
