/* Tests with schedules in GoogleTest.
 *
 *     ravel c++ -g -pthread queue_test.cc -x c ../queue.c -x none -lgtest -lgtest_main -o queue_test
 *     ./queue_test
 *     ravel test ./queue_test
 */
#include <gtest/gtest.h>
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

TEST(queue, hands_over) {
    RAVEL_TEST_SCOPE(hands_over);
    pthread_t putter;
    queue_init(&queue);
    pthread_create(&putter, NULL, put_two, NULL);
    RAVEL_EVENT(startingTake1);
    ASSERT_EQ(queue_take(&queue), 1);
    ASSERT_EQ(queue_take(&queue), 2);
    pthread_join(putter, NULL);
    queue_destroy(&queue);
}
