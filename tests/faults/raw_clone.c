/* Makes a thread by clone(2), past the thread library. Outcome: refused, with the reason. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { STACK = 64 << 10 };

static atomic_int done;

static int run(void *unused) {
    (void)unused;
    atomic_store(&done, 1);
    return 0;
}

int main(void) {
    char *stack = malloc(STACK);
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    if (!stack || clone(run, stack + STACK, flags, NULL) < 0) return 1;
    while (!atomic_load(&done)) sched_yield();
    puts("ran");
    return 0;
}
