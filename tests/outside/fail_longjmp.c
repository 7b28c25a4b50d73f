/* fails: misuse: longjmp to where thread 0 called setjmp
 * A jump to another thread's stack. */
#include <pthread.h>
#include <setjmp.h>

static jmp_buf place;

static void *jumper(void *unused) {
    (void)unused;
    longjmp(place, 1);
}

int main(void) {
    pthread_t thread;
    if (setjmp(place)) return 0;
    pthread_create(&thread, NULL, jumper, NULL);
    pthread_join(thread, NULL);
    return 0;
}
