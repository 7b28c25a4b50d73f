/* Tests with schedules in cmocka: RAVEL_TEST_SCOPE makes an ordinary test function known to ravel.
 *
 *     ravel cc -g -pthread queue_test.c ../queue.c -lcmocka -o queue_test
 *     ./queue_test
 *     ravel test ./queue_test
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
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

static void hands_over(void **state) {
    RAVEL_TEST_SCOPE(hands_over);
    (void)state;
    pthread_t putter;
    queue_init(&queue);
    pthread_create(&putter, NULL, put_two, NULL);
    RAVEL_EVENT(startingTake1);
    assert_int_equal(queue_take(&queue), 1);
    assert_int_equal(queue_take(&queue), 2);
    pthread_join(putter, NULL);
    queue_destroy(&queue);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hands_over)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
