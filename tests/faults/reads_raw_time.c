/* Reads the real clock past every library function, and does other things by it. Outcome: no failure; the
 * nondeterminism is named. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int work;

/* The kernel's clock by hand: nothing between us and it can be intercepted. */
static long nanoseconds(void) {
    struct timespec now;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"((long)SYS_clock_gettime), "D"((long)CLOCK_MONOTONIC), "S"(&now)
                     : "rcx", "r11", "memory");
    return result ? 0 : now.tv_nsec;
}

/* So many steps that two executions hardly ever agree by chance. */
static void *by_the_clock(void *unused) {
    (void)unused;
    for (long left = nanoseconds() / 16 % 997; left > 0; left--) atomic_fetch_add(&work, 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, by_the_clock, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
