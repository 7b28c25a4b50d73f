/* A loop without any scheduling point that never ends if the limit is read before it is set. Outcome: hang, cut by the
 * watchdog, in count_up. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef ROUND
#define ROUND "" /* what the loop does */
#endif

static atomic_uint limit;

static unsigned count_up(unsigned to) {
    unsigned at = 7; /* odd steps from 7 never meet 0 */
    while (at != to) {
        __asm__ volatile(ROUND : "+r"(at));
        at += 2;
    }
    return at;
}

static void *count(void *result) {
    *(unsigned *)result = count_up(atomic_load(&limit));
    return NULL;
}

int main(void) {
    pthread_t thread;
    unsigned result;
    pthread_create(&thread, NULL, count, &result);
    atomic_store(&limit, 21);
    pthread_join(thread, NULL);
    return result == 21 ? 0 : 1;
}
