/* A handler for SIGABRT may leave by longjmp, and the program goes on. */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#include "check.h"

static __thread sigjmp_buf back;

static void on_abort(int number) {
    (void)number;
    siglongjmp(back, 1);
}

static void *survivor(void *unused) {
    if (sigsetjmp(back, 1) == 0) abort();
    if (sigsetjmp(back, 1) == 0) assert(!"survived");
    return unused;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_abort};
    pthread_t thread;
    sigaction(SIGABRT, &action, NULL);
    pthread_create(&thread, NULL, survivor, NULL);
    survivor(NULL);
    pthread_join(thread, NULL);
    return 0;
}
