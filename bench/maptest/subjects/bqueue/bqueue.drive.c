/* One thread takes from an empty queue, the other one puts something in. */
#include "drive.h"
#include "bqueue.h"

static bqueue *queue;
static int item;

static void take(void) { item = bqueue_take(queue); }

static void put(void) { bqueue_put(queue, 7); }

int main(void) {
    queue = bqueue_new(1);
    drive_two(take, put);
    assert(item == 7);
    bqueue_free(queue);
    return 0;
}
