/* siglongjmp out of a handler ends it: the signal is unblocked again, and comes again; an alternate stack is kept
 * for each thread. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>

#include "check.h"

static __thread sigjmp_buf back;
static atomic_int jumps;

static void on_signal(int number) {
    (void)number;
    atomic_fetch_add(&jumps, 1);
    siglongjmp(back, 1);
}

static void *jumper(void *unused) {
    static __thread char memory[16384];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory}, old;
    sigset_t now;
    (void)unused;
    CHECK(sigaltstack(&stack, NULL) == 0);
    for (volatile int i = 0; i < 3; i++) {
        if (sigsetjmp(back, 1) == 0) {
            raise(SIGUSR1);
            CHECK(!"raise came back");
        }
        pthread_sigmask(SIG_SETMASK, NULL, &now);
        CHECK(!sigismember(&now, SIGUSR1));
    }
    CHECK(sigaltstack(NULL, &old) == 0 && old.ss_sp == memory);
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    pthread_t threads[2];
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, jumper, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    CHECK(atomic_load(&jumps) == 6);
    return 0;
}
