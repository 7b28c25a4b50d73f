/* Tests with schedules in a program of their own, without a framework.
 *
 *     ravel cc -g -pthread queue_test.c ../queue.c -o queue_test
 *     ./queue_test                        by hand: the threads run as they come
 *     ravel test ./queue_test             once for each schedule, each in just that order
 */
#include <ravel.h>

#include "../queue.h"

static struct queue queue;

static void *put_two(void *unused) {
    RAVEL_THREAD(putter);
    RAVEL_EVENT(startingPut1);
    queue_put(&queue, 1);
    RAVEL_EVENT(startingPut2);
    queue_put(&queue, 2);
    RAVEL_EVENT(finishedPut2);
    return unused;
}

RAVEL_SCHEDULE(hands_over, "take waits", "[startingTake1] -> startingPut1");
RAVEL_SCHEDULE(hands_over, "put waits", "[startingPut2] -> startingTake1");

RAVEL_TEST(hands_over) {
    pthread_t putter;
    queue_init(&queue);
    pthread_create(&putter, NULL, put_two, NULL);
    RAVEL_EVENT(startingTake1);
    RAVEL_ASSERT_EQ(queue_take(&queue), 1);
    RAVEL_ASSERT_EQ(queue_take(&queue), 2);
    pthread_join(putter, NULL);
    queue_destroy(&queue);
}

RAVEL_MAIN
