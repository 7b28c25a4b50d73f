/* A seqlock whose reader waits for an even sequence number but does not look at it again afterwards.
 *
 * Bug (assert in check_position): the reader sees an even number and reads x; the writer writes x and y; the reader
 * reads y: half old, half new.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static struct position {
    atomic_uint sequence;
    atomic_int x, y; /* always equal outside a write */
} position;

static void move_to(struct position *p, int where) {
    atomic_fetch_add(&p->sequence, 1);
    atomic_store(&p->x, where);
    atomic_store(&p->y, where);
    atomic_fetch_add(&p->sequence, 1);
}

static void read_position(struct position *p, int *x, int *y) {
    while (atomic_load(&p->sequence) % 2) sched_yield();
    *x = atomic_load(&p->x);
    *y = atomic_load(&p->y);
}

static void check_position(int x, int y) { assert(x == y); }

static void *fly(void *unused) {
    (void)unused;
    for (int where = 1; where <= 2; where++) move_to(&position, where);
    return NULL;
}

static void *track(void *unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        int x, y;
        read_position(&position, &x, &y);
        check_position(x, y);
    }
    return NULL;
}

int main(void) {
    pthread_t pilot, radar;
    pthread_create(&pilot, NULL, fly, NULL);
    pthread_create(&radar, NULL, track, NULL);
    pthread_join(pilot, NULL);
    pthread_join(radar, NULL);
    puts("landed");
    return 0;
}
