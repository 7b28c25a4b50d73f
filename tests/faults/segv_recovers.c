/* Has its own SIGSEGV handler and means it: probes addresses, and comes back from a bad one with siglongjmp.
 * Outcome: nothing found; the fault belongs to the program. */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

static _Thread_local sigjmp_buf recovery;
static atomic_int faults;

static void on_fault(int number) {
    atomic_fetch_add(&faults, 1);
    siglongjmp(recovery, number);
}

static bool readable(const volatile char *address) {
    if (sigsetjmp(recovery, 1)) return false;
    (void)*address;
    return true;
}

static void *probe(void *page) {
    char mine = 0;
    for (int i = 0; i < 2; i++) {
        assert(!readable(page));
        assert(readable(&mine));
    }
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_fault};
    pthread_t threads[2];
    void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(page != MAP_FAILED);
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, probe, page);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(atomic_load(&faults) == 4);
    return 0;
}
