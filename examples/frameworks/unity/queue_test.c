/* Tests with schedules in the style of Unity: functions without parameters, a runner that calls one after the other. The three
 * macros stand for unity.h.
 *
 *     ravel cc -g -pthread queue_test.c ../queue.c -o queue_test
 *     ./queue_test
 *     ravel test ./queue_test
 */
#include <ravel.h>
#include <setjmp.h>
#include <stdio.h>

#include "../queue.h"

static jmp_buf failed;
static int failures;
#define TEST_ASSERT_EQUAL_INT(expected, actual)                                                       \
    do {                                                                                              \
        if ((expected) == (actual)) break;                                                            \
        printf("%s:%d: FAIL: expected %s, got another %s\n", __FILE__, __LINE__, #expected, #actual); \
        failures++;                                                                                   \
        longjmp(failed, 1);                                                                           \
    } while (0)
#define RUN_TEST(test) (setjmp(failed) == 0 ? (test)() : (void)0)

static struct queue queue;

void setUp(void) { queue_init(&queue); }
void tearDown(void) { queue_destroy(&queue); }

static void *put_two(void *unused) {
    RAVEL_THREAD(putter);
    RAVEL_EVENT(startingPut1);
    queue_put(&queue, 1);
    RAVEL_EVENT(startingPut2);
    queue_put(&queue, 2);
    RAVEL_EVENT(finishedPut2);
    return unused;
}

RAVEL_SCHEDULE(test_hands_over, "take waits", "[startingTake1] -> startingPut1");
RAVEL_SCHEDULE(test_hands_over, "put waits", "[startingPut2] -> startingTake1");

static void test_hands_over(void) {
    RAVEL_TEST_SCOPE(test_hands_over);
    pthread_t putter;
    pthread_create(&putter, NULL, put_two, NULL);
    RAVEL_EVENT(startingTake1);
    TEST_ASSERT_EQUAL_INT(1, queue_take(&queue));
    TEST_ASSERT_EQUAL_INT(2, queue_take(&queue));
    pthread_join(putter, NULL);
}

int main(void) {
    setUp();
    RUN_TEST(test_hands_over);
    tearDown();
    return failures != 0;
}
