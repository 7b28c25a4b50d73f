/* fails: exit: exit status 3
 * _exit in a thread, with a status that depends on who was first. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int first;

static void *leaver(void *unused) {
    (void)unused;
    _exit(atomic_exchange(&first, 1) ? 0 : 3);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, leaver, NULL);
    atomic_store(&first, 1);
    pthread_join(thread, NULL);
    return 0;
}
