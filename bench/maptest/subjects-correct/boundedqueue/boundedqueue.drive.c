/* Two put, one takes and looks, in a queue for one item: everybody waits for everybody. */
#include "drive.h"
#include "boundedqueue.h"

static boundedqueue *queue;
static int taken[3];

static void put_one(void) { boundedqueue_put(queue, 1); }

static void put_others(void) {
    boundedqueue_put(queue, 2);
    boundedqueue_put(queue, 3);
}

static void take(void) {
    taken[0] = boundedqueue_take(queue);
    assert(boundedqueue_size(queue) <= 1);
    taken[1] = boundedqueue_take(queue);
    assert(!boundedqueue_contains(queue, taken[0]));
}

int main(void) {
    drive_part *parts[] = {put_one, put_others, take};
    queue = boundedqueue_new(1);
    drive(parts, 3);
    assert(boundedqueue_try_take(queue, &taken[2]));
    assert(taken[0] + taken[1] + taken[2] == 6);
    assert(taken[0] != 3 && (taken[0] == 2 || taken[1] == 2 || taken[2] == 3));
    assert(boundedqueue_try_put(queue, 4) && !boundedqueue_try_put(queue, 5));
    assert(boundedqueue_drain(queue, taken, 3) == 1 && taken[0] == 4);
    boundedqueue_free(queue);
    return 0;
}
