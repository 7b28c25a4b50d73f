/* Tests with schedules in Check. Under `ravel test` Check does not fork: ravel starts a process for each test itself (it sets
 * CK_FORK=no).
 *
 *     ravel cc -g -pthread queue_test.c ../queue.c $(pkg-config --cflags --libs check) -o queue_test
 *     ./queue_test
 *     ravel test ./queue_test
 */
#include <check.h>
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

START_TEST(hands_over) {
    RAVEL_TEST_SCOPE(hands_over);
    pthread_t putter;
    queue_init(&queue);
    pthread_create(&putter, NULL, put_two, NULL);
    RAVEL_EVENT(startingTake1);
    ck_assert_int_eq(queue_take(&queue), 1);
    ck_assert_int_eq(queue_take(&queue), 2);
    pthread_join(putter, NULL);
    queue_destroy(&queue);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("queue");
    TCase *tests = tcase_create("queue");
    tcase_add_test(tests, hands_over);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
