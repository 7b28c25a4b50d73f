/* Thread-specific data: values of each thread, destructors and their rounds, deletion, the limit, and keys made
 * before the first thread. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <threads.h>

#include "check.h"

enum { MANY = 40 }; /* more than glibc keeps in the first block */
static pthread_key_t early, stubborn, plain, many[MANY];
static tss_t c11;
static int rounds, c11_ends, ends[MANY];

static void again(void *value) {
    rounds++;
    CHECK(pthread_getspecific(stubborn) == NULL);
    CHECK(pthread_setspecific(stubborn, value) == 0);
}

static void count_end(void *counter) { ++*(int *)counter; }

/* Sets a value for another key: a second round runs its destructor. */
static void pass_on(void *counter) { CHECK(pthread_setspecific(many[1], counter) == 0); }

static void *use(void *unused) {
    (void)unused;
    CHECK(pthread_getspecific(early) == NULL);
    CHECK(pthread_setspecific(early, &rounds) == 0 && pthread_setspecific(stubborn, &rounds) == 0);
    CHECK(pthread_setspecific(plain, &rounds) == 0 && tss_set(c11, &c11_ends) == thrd_success);
    for (int i = 0; i < MANY; i++) CHECK(pthread_setspecific(many[i], i == 1 ? NULL : &ends[i]) == 0);
    for (int i = 2; i < MANY; i++) CHECK(pthread_getspecific(many[i]) == &ends[i]);
    CHECK(tss_get(c11) == &c11_ends);
    return NULL;
}

static void *find_nothing(void *unused) {
    (void)unused;
    for (int i = 0; i < MANY; i++) CHECK(pthread_getspecific(many[i]) == NULL);
    CHECK(tss_get(c11) == NULL && pthread_getspecific(early) == NULL);
    return NULL;
}

static void *leave_deleted(void *unused) {
    pthread_key_t gone;
    CHECK(pthread_key_create(&gone, again) == 0);
    CHECK(pthread_setspecific(gone, &rounds) == 0);
    CHECK(pthread_key_delete(gone) == 0);
    CHECK(pthread_key_delete(gone) == EINVAL && pthread_setspecific(gone, &rounds) == EINVAL);
    return unused;
}

static void run(void *(*body)(void *)) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, body, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

static void limit(void) {
    static pthread_key_t keys[PTHREAD_KEYS_MAX];
    int made = 0, error;
    while (made < PTHREAD_KEYS_MAX && (error = pthread_key_create(&keys[made], NULL)) == 0) made++;
    CHECK(made > 900 && error == EAGAIN);
    while (made-- > 0) CHECK(pthread_key_delete(keys[made]) == 0);
}

int main(void) {
    CHECK(pthread_key_create(&early, NULL) == 0 && pthread_setspecific(early, &early) == 0);
    CHECK(pthread_key_create(&stubborn, again) == 0 && pthread_key_create(&plain, NULL) == 0);
    CHECK(tss_create(&c11, count_end) == thrd_success);
    for (int i = 0; i < MANY; i++) CHECK(pthread_key_create(&many[i], i == 0 ? pass_on : count_end) == 0);
    run(use);
    CHECK(rounds == PTHREAD_DESTRUCTOR_ITERATIONS && c11_ends == 1);
    CHECK(ends[0] == 1 && ends[1] == 0); /* many[1] got many[0]'s counter */
    for (int i = 2; i < MANY; i++) CHECK(ends[i] == 1);
    run(find_nothing);
    CHECK(pthread_getspecific(early) == &early);
    rounds = 0;
    run(leave_deleted);
    CHECK(rounds == 0);
    limit();
    tss_delete(c11);
    CHECK(pthread_key_delete(plain) == 0 && pthread_key_create(&plain, NULL) == 0);
    CHECK(pthread_getspecific(plain) == NULL);
    return 0;
}
