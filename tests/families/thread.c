/* Life and death of threads: joins, detached threads, cancellation, exit. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#include "family.h"

static _Atomic int x, y;
static int plain;
static pthread_t target;
static sem_t s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

THREAD(adds) { return x++; }
THREAD(adds_both) { return x++ * 10 + y++; }
static number tries_to_join(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, adds, NULL);
    number busy = pthread_tryjoin_np(thread, &result);
    if (busy) pthread_join(thread, &result);
    return busy * 10 + x;
}
static number joins_in_time(void) {
    const struct timespec later = {4000000000, 0};
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, adds, NULL);
    number late = pthread_timedjoin_np(thread, &result, &later);
    number seen = x;
    if (late) pthread_join(thread, &result);
    return late * 10 + seen;
}
static number detaches(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, adds_both, NULL);
    pthread_detach(thread);
    number first = y;
    return first * 10 + x;
}
static number leaves_early(void) { /* a thread that is not waited for */
    pthread_t thread;
    pthread_create(&thread, NULL, adds_both, NULL);
    return x;
}
THREAD(creates) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, adds, NULL);
    number seen = x++;
    pthread_join(thread, &result);
    return seen * 10 + (number)result;
}

THREAD(works) {
    x = 1;
    pthread_testcancel();
    x = 2;
    return 3;
}
THREAD(waits) { return sem_wait(&s); }
static void unlocks(void *mutex) { pthread_mutex_unlock(mutex), y = 1; }
THREAD(holds) {
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlocks, &m);
    pthread_testcancel();
    x = 2;
    pthread_cleanup_pop(1);
    return 3;
}
static number cancels(void *(*body)(void *)) {
    void *result;
    sem_init(&s, 0, 0);
    pthread_create(&target, NULL, body, NULL);
    pthread_cancel(target);
    number posted = y;
    sem_post(&s);
    pthread_join(target, &result);
    return (result == PTHREAD_CANCELED) * 100 + posted * 10 + x;
}
static number cancel_works(void) { return cancels(works); }
static number cancel_waits(void) { return cancels(waits); }
static number cancel_holds(void) { return cancels(holds); }

THREAD(exits) {
    x = 1;
    exit(0);
}
THREAD(exits_at_once) {
    x = 1;
    _exit(0);
}
THREAD(says) {
    number seen = x;
    say(seen ? "after" : "before", &seen, 1);
    y = 1;
    return seen;
}
static void at_exit(void) {
    number seen[2] = {x, y};
    say("handler", seen, 2);
}
static void register_handler(void) { atexit(at_exit); }
THREAD(goes_on) {
    x++;
    y++;
    return 0;
}
static number main_leaves(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, says, NULL);
    number none = 0;
    say("leaves", &none, 0);
    pthread_exit(NULL);
}
THREAD(yields) {
    number first = x++;
    sched_yield();
    return first * 10 + x;
}
THREAD(reads_plain) { return plain; }
THREAD(writes_plain) {
    plain = 1;
    plain = 2;
    return 0;
}
/* A thread's own stack, known to another. */
static int *shared_local;
THREAD(lends) {
    int mine = 1;
    __atomic_store_n(&shared_local, &mine, __ATOMIC_SEQ_CST);
    sem_wait(&s);
    return mine;
}
THREAD(borrows) {
    int *theirs = __atomic_load_n(&shared_local, __ATOMIC_SEQ_CST);
    if (theirs) *theirs = 2;
    return sem_post(&s) + (theirs != NULL);
}
static pthread_t known;
static void
make_known(void) { /* over only when all are there: else its handle could come to mean one of them */
    sem_init(&s, 0, 0);
    pthread_create(&known, NULL, waits, NULL);
}
THREAD(lets_go) { return sem_post(&s); }
THREAD(detaches_known) { return pthread_detach(known); }
THREAD(joins_known) { return pthread_join(known, NULL); }
static void empty(void) { sem_init(&s, 0, 0); }

SCENARIOS({"tryjoin", "-", NULL, {0}, NULL, tries_to_join},
          {"timedjoin", "-", NULL, {0}, NULL, joins_in_time},
          {"timedjoin_strict", "--timing=strict", NULL, {0}, NULL, joins_in_time},
          {"detach", "-", NULL, {0}, NULL, detaches}, {"leave", "-", NULL, {0}, NULL, leaves_early},
          {"grandchild", "-", NULL, {creates, adds}}, {"cancel", "-", NULL, {0}, NULL, cancel_works},
          {"cancel_waiter", "-", NULL, {0}, NULL, cancel_waits},
          {"cancel_holder", "-", NULL, {0}, NULL, cancel_holds}, {"exit", "-", NULL, {exits, says}},
          {"exit_now", "-", NULL, {exits_at_once, says}},
          {"exit_handler", "-", register_handler, {exits, goes_on}},
          {"two_exits", "-", register_handler, {exits, exits}},
          {"main_leaves", "-", NULL, {0}, NULL, main_leaves}, {"yield", "-", NULL, {yields, yields}},
          {"plain", "-", NULL, {reads_plain, writes_plain, reads_plain}},
          {"detach_or_join", "-", make_known, {detaches_known, joins_known, lets_go}},
          {"borrow", "-", empty, {lends, borrows}}, {"borrow_twice", "-", empty, {lends, borrows, borrows}})
