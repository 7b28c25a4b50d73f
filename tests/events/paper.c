/* The paper's example, and its schedule: nothing may fail, whatever else is tried. */
#include "queue.h"

static struct queue queue = QUEUE_INITIALIZER;
static int before_add2 = -1;

static void *consumer(void *unused) {
    RAVEL_THREAD(consumer);
    RAVEL_EVENT(startingTake1);
    RAVEL_ASSERT_EQ(take(&queue), 1);
    RAVEL_EVENT(startingTake2);
    RAVEL_ASSERT_EQ(take(&queue), 2);
    return unused;
}

RAVEL_SCHEDULE(put_take, "paper", "finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2");
RAVEL_TEST(put_take) {
    pthread_t thread;
    pthread_create(&thread, NULL, consumer, NULL);
    add(&queue, 1);
    RAVEL_EVENT(finishedAdd1);
    RAVEL_EVENT(startingAdd2);
    pthread_mutex_lock(&queue.lock);
    before_add2 = queue.count;
    pthread_mutex_unlock(&queue.lock);
    RAVEL_ASSERT_EQ(before_add2, 0);
    add(&queue, 2);
    pthread_join(thread, NULL);
}

RAVEL_MAIN
