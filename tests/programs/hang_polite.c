/* Two movers that must hold both rails; each backs off when it cannot get the second, and counts its retries.
 *
 * Bug (hang, livelock, in take_both): the clean-up thread takes a rail with trylock and, when the mover holds the
 * other one, leaves without giving the first one back. From then on the mover locks, fails, unlocks and counts for
 * ever: everything moves, nothing gets done, and no two states are equal.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_mutex_t rails[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static unsigned long retries;
static int moves, cleaned;

static void take_both(void) {
    for (;;) {
        pthread_mutex_lock(&rails[0]);
        if (pthread_mutex_trylock(&rails[1]) == 0) return;
        retries++;
        pthread_mutex_unlock(&rails[0]);
        sched_yield();
    }
}

static void release_both(void) {
    pthread_mutex_unlock(&rails[1]);
    pthread_mutex_unlock(&rails[0]);
}

static void *mover(void *unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        take_both();
        moves++;
        release_both();
    }
    return NULL;
}

static void *cleaner(void *unused) {
    (void)unused;
    if (pthread_mutex_trylock(&rails[1])) return NULL;
    if (pthread_mutex_trylock(&rails[0])) return NULL;
    cleaned++;
    release_both();
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, mover, NULL);
    pthread_create(&threads[1], NULL, cleaner, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d moves, cleaned %d\n", moves, cleaned);
    return 0;
}
