/* Like loops_for_ever, with a long way round: the watchdog hardly ever meets it twice at the same place, and it is the
 * same failure all the same. Outcome: hang, cut by the watchdog, in count_up. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint limit;

static unsigned count_up(unsigned to) {
    unsigned at = 7; /* odd steps from 7 never meet 0 */
    while (at != to) {
        __asm__ volatile(".rept 1000\n\tnop\n\t.endr" : "+r"(at));
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
