/* Tests as functions of a framework's shape, called by a main of its own: all but the chosen one are empty.
 *
 * one: a -> b => ok
 * one: b -> a => schedule: infeasible: event a
 * two: a -> b => schedule: never happened: .*b
 * two: => ok
 * three: => assert: three: 1 == 2 does not hold
 * four: => schedule: test four did not run
 */
#include <ravel.h>

static void one(void **state) {
    RAVEL_TEST_SCOPE(one);
    *state = NULL;
    RAVEL_EVENT(a);
    RAVEL_EVENT(b);
}

static void two(void **state) {
    RAVEL_TEST_SCOPE(two);
    RAVEL_EVENT(a);
    if (state) return; /* left from the middle */
    RAVEL_EVENT(b);
}

static void three(void **state) {
    RAVEL_TEST_SCOPE(three);
    (void)state;
    RAVEL_ASSERT_EQ(1, 2);
}

int main(void) {
    void *state = &state;
    one(&state);
    two(&state);
    if (ravel_active()) three(&state);
    return 0;
}
