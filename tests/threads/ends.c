/* What runs when a thread ends, in which order: clean-up handlers from the inside out, whatever way they were
 * registered, then destructors of thread-specific data; by pthread_exit, by cancellation and by return.
 * also: -fexceptions
 * also: -O0
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

#include "check.h"

/* The way of old libraries; pthread.h does not declare it any more. */
void _pthread_cleanup_push(struct _pthread_cleanup_buffer *buffer, void (*routine)(void *), void *argument);
void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *buffer, int execute);

static char steps[64];
static pthread_key_t key;

static void step(void *letter) { steps[strlen(steps)] = *(const char *)letter; }

static __attribute__((noinline)) void innermost(int how) {
    pthread_cleanup_push(step, "a");
    pthread_cleanup_push(step, "b");
    pthread_cleanup_pop(0);
    pthread_cleanup_push(step, "c");
    pthread_cleanup_pop(1);
    if (how == 1) pthread_exit(steps);
    if (how == 2) {
        pthread_cancel(pthread_self());
        pthread_testcancel();
        CHECK(!"cancelled");
    }
    pthread_cleanup_pop(1);
}

static __attribute__((noinline)) void old_fashioned(int how) {
    struct _pthread_cleanup_buffer first, second;
    _pthread_cleanup_push(&first, step, "o");
    _pthread_cleanup_push(&second, step, "p");
    innermost(how);
    _pthread_cleanup_pop(&second, 1);
    _pthread_cleanup_pop(&first, 1);
}

static __attribute__((noinline)) void outer(int how) {
    char room[300];
    memset(room, how, sizeof room);
    pthread_cleanup_push(step, "x");
    pthread_cleanup_push(step, "y");
    old_fashioned(how);
    CHECK(room[299] == how);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
}

static void *run(void *how) {
    pthread_setspecific(key, "k");
    pthread_cleanup_push(step, "z");
    outer(*(int *)how);
    pthread_cleanup_pop(0);
    return NULL;
}

static void expect(int how, const char *order, void *value) {
    pthread_t thread;
    void *result;
    memset(steps, 0, sizeof steps);
    CHECK(pthread_create(&thread, NULL, run, &how) == 0);
    CHECK(pthread_join(thread, &result) == 0);
    if (strcmp(steps, order) != 0) fprintf(stderr, "%s, expected %s\n", steps, order);
    CHECK(strcmp(steps, order) == 0 && (!value || result == value));
}

int main(void) {
    pthread_key_create(&key, step);
    expect(0, "capoyxk", NULL);
    expect(1, "capoyxzk", steps);
    expect(2, "capoyxzk", PTHREAD_CANCELED);
    return 0;
}
