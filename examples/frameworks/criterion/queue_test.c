/* Tests with schedules in Criterion, whose runner starts a process for each test. `ravel test` does that itself: it calls the
 * functions of RAVEL_TEST directly, in place of the runner, so that these hold the test.
 *
 *     ravel cc -g -pthread queue_test.c ../queue.c -lcriterion -o queue_test
 *     ./queue_test
 *     ravel test ./queue_test
 */
#include <criterion/criterion.h>
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

Test(queue, hands_over) { hands_over(); }
