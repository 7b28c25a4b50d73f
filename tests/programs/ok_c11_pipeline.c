/* C11 threads and nothing else: call_once, a timed mutex, a condition variable, thread-specific storage, results by
 * thrd_exit and by return, a detached thread: correct. */
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

enum { WORKERS = 2, ITEMS = 4 };

static once_flag set_up = ONCE_FLAG_INIT;
static mtx_t lock;
static cnd_t changed;
static tss_t scratch;
static int setups, next_item, finished; /* after set_up: under lock */
static bool janitor_done;               /* under lock */
static atomic_int scratch_freed;

static void free_scratch(void *memory) {
    atomic_fetch_add(&scratch_freed, 1);
    free(memory);
}

static void do_set_up(void) {
    setups++;
    assert(mtx_init(&lock, mtx_timed) == thrd_success);
    assert(cnd_init(&changed) == thrd_success);
    assert(tss_create(&scratch, free_scratch) == thrd_success);
}

static int *my_scratch(void) {
    int *memory = tss_get(scratch);
    if (!memory) {
        memory = calloc(1, sizeof *memory);
        assert(tss_set(scratch, memory) == thrd_success);
    }
    return memory;
}

/* Locks with a deadline, and again until it has it. */
static void lock_patiently(void) {
    struct timespec deadline;
    int status;
    do {
        timespec_get(&deadline, TIME_UTC);
        deadline.tv_sec++;
        status = mtx_timedlock(&lock, &deadline);
        assert(status == thrd_success || status == thrd_timedout);
    } while (status != thrd_success);
}

static bool take_item(void) {
    lock_patiently();
    bool got = next_item < ITEMS;
    if (got) next_item++;
    mtx_unlock(&lock);
    return got;
}

static int worker(void *unused) {
    (void)unused;
    call_once(&set_up, do_set_up);
    while (take_item()) ++*my_scratch();
    int handled = *my_scratch();
    mtx_lock(&lock);
    finished++;
    cnd_broadcast(&changed);
    mtx_unlock(&lock);
    if (handled % 2) thrd_exit(handled);
    return handled;
}

static int janitor(void *unused) {
    (void)unused;
    call_once(&set_up, do_set_up);
    thrd_yield();
    mtx_lock(&lock);
    janitor_done = true;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return 0;
}

int main(void) {
    thrd_t workers[WORKERS], detached;
    int handled = 0;
    for (int i = 0; i < WORKERS; i++) assert(thrd_create(&workers[i], worker, NULL) == thrd_success);
    assert(thrd_create(&detached, janitor, NULL) == thrd_success);
    assert(thrd_detach(detached) == thrd_success);
    call_once(&set_up, do_set_up);
    mtx_lock(&lock);
    while (finished < WORKERS || !janitor_done) cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    for (int i = 0; i < WORKERS; i++) {
        int result;
        assert(thrd_join(workers[i], &result) == thrd_success);
        handled += result;
    }
    assert(handled == ITEMS && setups == 1 && atomic_load(&scratch_freed) == WORKERS);
    tss_delete(scratch);
    return 0;
}
