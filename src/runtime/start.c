/* The runtime's constructor: under ravel, attach to the supervisor's memory; else stay passive. */
#include <stdlib.h>
#include <sys/mman.h>

#include "runtime/engine.h"
#include "runtime/events.h"
#include "runtime/heap.h"
#include "runtime/hooks/outside.h"
#include "runtime/reserve.h"

/* "FD:WORKER" */
static bool parse_channel(const char *text, int *fd, unsigned *worker) {
    char *end;
    *fd = (int)strtol(text, &end, 10);
    if (end == text || *end != ':' || *fd < 0) return false;
    text = end + 1;
    *worker = (unsigned)strtoul(text, &end, 10);
    return end != text && !*end;
}

/* All of the memory file, at the address that is the same in every worker. NULL: it is not ours. */
static struct rv_shared *attach(int fd, unsigned worker) {
    struct rv_shared *header = rv_sys_mmap(NULL, RV_HEADER_SIZE, PROT_READ, MAP_SHARED, fd, 0);
    if (rv_sys_failed((long)header)) return NULL;
    bool fits = header->magic == RV_PROTOCOL_MAGIC && header->version == RV_PROTOCOL_VERSION &&
                header->area_size >= sizeof(struct rv_area) &&
                worker < (header->config.workers ? header->config.workers : 1);
    size_t size = rv_channel_size(header->config.workers, header->area_size);
    (void)rv_sys_munmap(header, RV_HEADER_SIZE);
    if (!fits) return NULL;
    void *memory = rv_sys_mmap((void *)RV_SHARED_BASE, size, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    return rv_sys_failed((long)memory) ? NULL : memory;
}

static void enter(struct rv_shared *shared, unsigned worker) {
    rv.shared = shared;
    rv.config = &shared->config;
    rv.area = rv_area_of(shared, worker);
    struct rv_control *control = &rv.area->control;
    control->pid = (uint32_t)rv_sys_getpid();
    __atomic_add_fetch(&control->started, 1, __ATOMIC_RELEASE);
    rv_engine.strategy = &rv_strategy_replay; /* until the worker sets another: its default policy */
    rv_engine.learned = rv_reserve_shared(sizeof *rv_engine.learned);
    if (!rv_engine.learned || !rv_heap_init(rv.config->memory_limit))
        rv_unusable("no address space for the program's heap");
    rv_sites_init();
    rv_shadow_init();
    rv_fibers_init();
    rv_schedule_init();
    rv_modules_scan();
    rv_plan_init();
    rv_crash_init();
    rv_preempt_init();
    if (control->state !=
        RV_WORKER_EXECUTING) { /* else the worker has to tell the strategy of a lost execution */
        control->state = RV_WORKER_STARTING;
        rv_outcome_begin();
    }
    if (control->serve)
        rv_engine.request_flags = rv.area->request.flags; /* it may end before it has threads */
    rv.mode = RV_SINGLE;
    rv_engine.executing = true;
}

__attribute__((constructor(101))) static void start(void) {
    const char *channel = getenv(RV_CHANNEL_ENV);
    int fd;
    unsigned worker;
    if (!channel || !parse_channel(channel, &fd, &worker)) return;
    unsetenv(RV_CHANNEL_ENV);
    unsetenv("LD_BIND_NOW"); /* the supervisor's, too: binding again in each execution would cost */
    struct rv_shared *shared = attach(fd, worker);
    (void)rv_sys_close(fd);
    if (!shared) return;
    rv_process_start();
    enter(shared, worker);
}
