/* Handlers for faults are the program's: one repairs what it faulted on, the other leaves by siglongjmp.
 * options: --races=off */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "check.h"

enum { PAGE = 4096 };
static __thread char *page;
static __thread sigjmp_buf back;
static __thread int leave;
static atomic_int repairs, jumps;

static void on_fault(int number, siginfo_t *info, void *context) {
    CHECK(number == SIGSEGV && context);
    if (leave) {
        atomic_fetch_add(&jumps, 1);
        siglongjmp(back, 1);
    }
    CHECK((char *)info->si_addr >= page && (char *)info->si_addr < page + PAGE);
    CHECK(mprotect(page, PAGE, PROT_READ | PROT_WRITE) == 0);
    atomic_fetch_add(&repairs, 1);
}

static void *worker(void *unused) {
    page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    for (int i = 0; i < 2; i++) {
        page[i] = (char)(7 + i); /* faults, is repaired, goes on */
        CHECK(page[i] == 7 + i);
        CHECK(mprotect(page, PAGE, PROT_READ) == 0);
    }
    leave = 1;
    if (sigsetjmp(back, 1) == 0) {
        *(volatile int *)16 = 1;
        CHECK(!"written");
    }
    leave = 0;
    return unused;
}

int main(void) {
    struct sigaction action = {.sa_flags = SA_SIGINFO};
    pthread_t threads[2];
    action.sa_sigaction = on_fault;
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    CHECK(atomic_load(&repairs) == 4 && atomic_load(&jumps) == 2);
    return 0;
}
