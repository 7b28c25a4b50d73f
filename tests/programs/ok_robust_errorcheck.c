/* Three kinds of mutexes whose error returns are part of the protocol: robust (the next owner repairs), error-checking
 * (a library that may be entered with its lock held or not), recursive (a tree walk): correct. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

enum { DEPTH = 2, WRITERS = 2 };

static pthread_mutex_t accounts_lock, library_lock, tree_lock;
static int debit, credit; /* under accounts_lock: equal outside */
static int repairs;       /* under accounts_lock */
static int calls;         /* under library_lock */
static int visits;        /* under tree_lock */

static void init_mutex(pthread_mutex_t *mutex, int type, int robustness) {
    pthread_mutexattr_t attributes;
    int read_back;
    assert(pthread_mutexattr_init(&attributes) == 0);
    assert(pthread_mutexattr_settype(&attributes, type) == 0);
    assert(pthread_mutexattr_setrobust(&attributes, robustness) == 0);
    assert(pthread_mutexattr_gettype(&attributes, &read_back) == 0 && read_back == type);
    assert(pthread_mutex_init(mutex, &attributes) == 0);
    pthread_mutexattr_destroy(&attributes);
}

static void lock_accounts(void) {
    int error = pthread_mutex_lock(&accounts_lock);
    if (error == EOWNERDEAD) {
        credit = debit;
        repairs++;
        error = pthread_mutex_consistent(&accounts_lock);
    }
    assert(error == 0 && debit == credit);
}

static void *transfer(void *unused) {
    (void)unused;
    lock_accounts();
    debit++;
    credit++;
    pthread_mutex_unlock(&accounts_lock);
    return NULL;
}

/* Dies in the middle of a transfer, with the lock held. */
static void *transfer_halfway(void *unused) {
    (void)unused;
    lock_accounts();
    debit++;
    pthread_exit(NULL);
}

static bool library_call(void) {
    int error = pthread_mutex_lock(&library_lock);
    assert(error == 0 || error == EDEADLK);
    calls++;
    if (error == 0) assert(pthread_mutex_unlock(&library_lock) == 0);
    return error == 0;
}

static void *use_library(void *unused) {
    (void)unused;
    assert(pthread_mutex_unlock(&library_lock) == EPERM); /* not ours, whoever holds it */
    assert(library_call());
    assert(pthread_mutex_lock(&library_lock) == 0);
    assert(!library_call());
    assert(pthread_mutex_trylock(&library_lock) == EBUSY);
    assert(pthread_mutex_unlock(&library_lock) == 0);
    return NULL;
}

static void walk(int depth) {
    assert(pthread_mutex_lock(&tree_lock) == 0);
    visits++;
    if (depth > 1) walk(depth - 1);
    assert(pthread_mutex_trylock(&tree_lock) == 0);
    pthread_mutex_unlock(&tree_lock);
    pthread_mutex_unlock(&tree_lock);
}

static void *walk_tree(void *unused) {
    (void)unused;
    walk(DEPTH);
    return NULL;
}

int main(void) {
    void *(*const roles[])(void *) = {transfer,    transfer_halfway, use_library,
                                      use_library, walk_tree,        walk_tree};
    enum { THREADS = sizeof roles / sizeof *roles };
    pthread_t threads[THREADS];
    init_mutex(&accounts_lock, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
    init_mutex(&library_lock, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
    init_mutex(&tree_lock, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, roles[i], NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    lock_accounts();
    assert(debit == 2 && credit == 2 && repairs == 1);
    pthread_mutex_unlock(&accounts_lock);
    assert(calls == 2 * 2 && visits == 2 * DEPTH);
    assert(pthread_mutex_destroy(&accounts_lock) == 0);
    assert(pthread_mutex_destroy(&library_lock) == 0);
    assert(pthread_mutex_destroy(&tree_lock) == 0);
    return 0;
}
