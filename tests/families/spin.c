/* Spinlocks and barriers. */
#include "family.h"

static pthread_spinlock_t s, u;
static pthread_barrier_t two, three;
static int order; /* under s */
static _Atomic int before;

static void make(void) {
    pthread_spin_init(&s, 0), pthread_spin_init(&u, 0);
    pthread_barrier_init(&two, NULL, 2), pthread_barrier_init(&three, NULL, 3);
}
static number take(int who) {
    number seen = order = order * 4 + who;
    pthread_spin_unlock(&s);
    return seen;
}
THREAD(lock1) { return pthread_spin_lock(&s), take(1); }
THREAD(lock2) { return pthread_spin_lock(&s), take(2); }
THREAD(try3) { return pthread_spin_trylock(&s) ? -1 : take(3); }
THREAD(forward) {
    pthread_spin_lock(&s), pthread_spin_lock(&u);
    return pthread_spin_unlock(&u), pthread_spin_unlock(&s);
}
THREAD(backward) {
    pthread_spin_lock(&u), pthread_spin_lock(&s);
    return pthread_spin_unlock(&s), pthread_spin_unlock(&u);
}
THREAD(meets) {
    number mine = ++before;
    number serial = pthread_barrier_wait(&two) != 0;
    return mine * 100 + serial * 10 + before;
}
THREAD(meets_all) {
    number serial = pthread_barrier_wait(&three) != 0;
    return serial * 10 + ++before;
}
THREAD(meets_twice) {
    number first = pthread_barrier_wait(&two) != 0;
    return first * 10 + (pthread_barrier_wait(&two) != 0);
}
THREAD(meets_quietly) { return pthread_barrier_wait(&two) != 0; }
THREAD(meets_and_destroys) {
    number serial = pthread_barrier_wait(&two) != 0;
    return serial ? 10 + pthread_barrier_destroy(&two) : 0;
}

SCENARIOS({"locks", "-", make, {lock1, lock2}}, {"try", "-", make, {lock1, try3, lock2}},
          {"deadlock", "-", make, {forward, backward}}, {"meet", "-", make, {meets, meets}},
          {"meet_all", "-", make, {meets_all, meets_all, meets_all}},
          {"meet_twice", "-", make, {meets_twice, meets_twice}},
          {"too_many", "-", make, {meets_quietly, meets_quietly, meets_quietly}},
          {"four", "-", make, {meets_quietly, meets_quietly, meets_quietly, meets_quietly}},
          {"destroy", "-", make, {meets_and_destroys, meets_and_destroys}})
