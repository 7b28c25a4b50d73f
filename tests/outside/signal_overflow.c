/* A stack that is used up, and a handler on an alternate stack that gets the thread out of it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>

#include "check.h"

static __thread sigjmp_buf back;
static __thread char memory[65536];
static atomic_int overflows;

static void on_overflow(int number, siginfo_t *info, void *context) {
    char here;
    CHECK(number == SIGSEGV && info && context);
    CHECK(&here >= memory && &here < memory + sizeof memory);
    atomic_fetch_add(&overflows, 1);
    siglongjmp(back, 1);
}

__attribute__((noinline)) static int deeper(volatile char *above) {
    volatile char frame[1024];
    frame[0] = above ? *above : 0;
    return deeper(frame) + frame[0]; /* not a tail call */
}

static void *worker(void *unused) {
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    CHECK(sigaltstack(&stack, NULL) == 0);
    if (sigsetjmp(back, 1) == 0) {
        (void)deeper(NULL);
        CHECK(!"came back");
    }
    return unused;
}

int main(void) {
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    pthread_attr_t attributes;
    pthread_t threads[2];
    action.sa_sigaction = on_overflow;
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], &attributes, worker, NULL) == 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    CHECK(atomic_load(&overflows) == 2);
    return 0;
}
