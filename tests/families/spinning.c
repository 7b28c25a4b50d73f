/* Threads that wait by looking again and again. A search may leave out schedules in which they look once more meanwhile; then
 * it says so and is not complete. It must find every way out of the loop. */
#include <assert.h>
#include <sched.h>
#include <stdatomic.h>

#include "family.h"

static atomic_int flag, other, data, word, next_ticket, serving, sequence, first_half, second_half;
static volatile int plain_flag;
static int plain;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

THREAD(awaits) {
    while (!flag) {}
    return data;
}
THREAD(awaits_politely) {
    while (!flag) sched_yield();
    return data;
}
THREAD(awaits_volatile) {
    while (!plain_flag) {}
    return plain;
}
THREAD(sets) {
    data = 1;
    flag = 1;
    return 0;
}
THREAD(sets_volatile) {
    plain = 1;
    plain_flag = 1;
    return 0;
}
THREAD(sets_too_early) { /* the twin: what is behind the loop is not ready */
    flag = 1;
    data = 1;
    return 0;
}
THREAD(relies) {
    while (!flag) {}
    assert(data == 1);
    return 0;
}
THREAD(adds) {
    int old = atomic_load(&data);
    while (!atomic_compare_exchange_weak(&data, &old, old + 1)) {}
    return old;
}
static void lock(void) {
    int expected = 0;
    while (!atomic_compare_exchange_strong(&word, &expected, 1)) expected = 0;
}
THREAD(locks) {
    lock();
    number seen = ++plain;
    word = 0;
    return seen;
}
THREAD(locks_wrongly) { /* looks, then takes */
    while (word != 0) {}
    word = 1;
    int seen = plain;
    plain = seen + 1;
    word = 0;
    return seen;
}
static number both(void) { return plain; }
THREAD(tries) {
    while (pthread_mutex_trylock(&m) != 0) sched_yield();
    number seen = ++plain;
    pthread_mutex_unlock(&m);
    return seen;
}
THREAD(ticket) {
    int mine = next_ticket++;
    while (serving != mine) {}
    number seen = ++plain;
    serving = mine + 1;
    return seen;
}

THREAD(writes_pair) {
    sequence = 1;
    first_half = 1;
    second_half = 1;
    sequence = 2;
    return 0;
}
THREAD(reads_pair) {
    for (;;) {
        int before = sequence;
        int one = first_half, two = second_half;
        if (!(before & 1) && before == sequence) return one * 10 + two;
    }
}
THREAD(reads_pair_wrongly) { /* looks for a writer before, not after */
    while (sequence & 1) {}
    int one = first_half, two = second_half;
    assert(one == two);
    return one;
}
THREAD(awaits_both) {
    while (!(first_half && second_half)) {}
    return first_half;
}
THREAD(toggles) {
    first_half = 1;
    first_half = 0;
    second_half = 1;
    first_half = 2;
    return 0;
}
THREAD(hands_over) { /* two that wait for each other in turn */
    flag = 1;
    while (!other) {}
    return data++;
}
THREAD(takes_over) {
    while (!flag) {}
    other = 1;
    return data++;
}
THREAD(gives_up) {
    for (int i = 0; i < 3; i++)
        if (flag) return i;
    return -1;
}

SCENARIOS({"await", "spins", NULL, {awaits, sets}}, {"politely", "spins", NULL, {awaits_politely, sets}},
          {"volatile", "spins", NULL, {awaits_volatile, sets_volatile}},
          {"two_await", "spins", NULL, {awaits, awaits, sets}},
          {"too_early", "spins", NULL, {relies, sets_too_early}}, {"in_time", "spins", NULL, {relies, sets}},
          {"add", "-", NULL, {adds, adds}}, {"add_three", "-", NULL, {adds, adds, adds}},
          {"locks", "spins", NULL, {locks, locks}}, {"three_locks", "spins", NULL, {locks, locks, locks}},
          {"locks_wrongly", "spins", NULL, {locks_wrongly, locks_wrongly}, both},
          {"try", "spins", NULL, {tries, tries}}, {"tickets", "spins", NULL, {ticket, ticket}},
          {"three_tickets", "spins", NULL, {ticket, ticket, ticket}},
          {"pair", "spins", NULL, {reads_pair, writes_pair}},
          {"pair_torn", "spins", NULL, {reads_pair_wrongly, writes_pair}},
          {"toggle", "spins", NULL, {awaits_both, toggles}},
          {"hand_over", "spins", NULL, {hands_over, takes_over}}, {"give_up", "-", NULL, {gives_up, sets}})
