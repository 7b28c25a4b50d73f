/* C11 threads: a ticket office with a lock per counter and an unlocked check for the last seat.
 *
 * Bug (assert in main): both offices see one seat left; both sell it.
 */
#include <assert.h>
#include <stdio.h>
#include <threads.h>

enum { SEATS = 3 };

static struct hall {
    mtx_t lock;
    cnd_t sold_out;
    int sold;
    int refused;
} hall;

static int seats_left(void) {
    mtx_lock(&hall.lock);
    int left = SEATS - hall.sold;
    mtx_unlock(&hall.lock);
    return left;
}

static int sell(void) {
    if (seats_left() == 0) return thrd_busy;
    mtx_lock(&hall.lock);
    hall.sold++;
    if (hall.sold >= SEATS) cnd_broadcast(&hall.sold_out);
    mtx_unlock(&hall.lock);
    return thrd_success;
}

static int office(void *unused) {
    (void)unused;
    int sold = 0;
    for (int i = 0; i < 2; i++)
        if (sell() == thrd_success) sold++;
    return sold;
}

int main(void) {
    thrd_t offices[2];
    int sold[2];
    if (mtx_init(&hall.lock, mtx_plain) != thrd_success || cnd_init(&hall.sold_out) != thrd_success) return 1;
    for (int i = 0; i < 2; i++)
        if (thrd_create(&offices[i], office, NULL) != thrd_success) return 1;
    mtx_lock(&hall.lock);
    while (hall.sold < SEATS) cnd_wait(&hall.sold_out, &hall.lock);
    mtx_unlock(&hall.lock);
    for (int i = 0; i < 2; i++) thrd_join(offices[i], &sold[i]);
    assert(sold[0] + sold[1] == SEATS);
    cnd_destroy(&hall.sold_out);
    mtx_destroy(&hall.lock);
    puts("sold out");
    return 0;
}
