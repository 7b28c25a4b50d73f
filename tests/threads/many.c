/* A thousand threads at the same time, then four thousand one after the other.
 * schedules: 5
 */
#include <pthread.h>
#include <stdint.h>

#include "check.h"

enum { AT_ONCE = 1000, IN_TURN = 4000 };
static pthread_barrier_t all;
static pthread_t threads[AT_ONCE];

static void *meet(void *number) {
    pthread_barrier_wait(&all);
    return number;
}

static void *hurry(void *number) { return number; }

int main(void) {
    pthread_attr_t small;
    void *result;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 << 10);
    pthread_barrier_init(&all, NULL, AT_ONCE + 1);
    for (intptr_t i = 0; i < AT_ONCE; i++) CHECK(pthread_create(&threads[i], &small, meet, (void *)i) == 0);
    pthread_barrier_wait(&all);
    for (intptr_t i = 0; i < AT_ONCE; i++)
        CHECK(pthread_join(threads[i], &result) == 0 && result == (void *)i);
    for (intptr_t i = 0; i < IN_TURN; i++) {
        CHECK(pthread_create(&threads[0], NULL, hurry, (void *)i) == 0);
        CHECK(pthread_join(threads[0], &result) == 0 && result == (void *)i);
    }
    return 0;
}
