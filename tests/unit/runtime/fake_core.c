#include "fake_core.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>

#include "base/rng.h"
#include "runtime/watch.h"
#include "runtime/heap.h"
#include "runtime/hooks/sync.h"
#include "runtime/hooks/threads.h"
#include "runtime/real.h"

enum { MAX_FIBERS = 64, STACK_SIZE = 256 * 1024, MAX_UNDO = 64, HEAP_PAGE = 4096 };
#define CLOCK_BASE (INT64_C(1600000000) * 1000000000)

struct rv_runtime rv;
struct fake_options fake_options;

static struct rv_config config;
static struct rv_rng rng;
static struct rv_fiber fibers[MAX_FIBERS];
static struct rv_fiber *by_id[MAX_FIBERS];
static ucontext_t contexts[MAX_FIBERS];
static ucontext_t outside; /* fake_run's own */
static char *stacks;
static struct fake_outcome outcome;
static void (*main_body)(void *);
static struct {
    void (*undo)(uintptr_t, uintptr_t);
    uintptr_t first, second;
} undo_list[MAX_UNDO];
static unsigned undo_count;

/* Fibers. */

static _Noreturn void leave(void) {
    setcontext(&outside);
    abort();
}

static bool is_interrupted(const struct rv_fiber *fiber) {
    return fiber->signals_pending && fiber->pending.interruptible;
}

static bool can_go(const struct rv_fiber *fiber) {
    const struct rv_pending *pending = &fiber->pending;
    if (!pending->ready || pending->ready(fiber) || is_interrupted(fiber)) return true;
    return pending->cancellable && rv_sync_cancelled(fiber);
}

static void deadlock(void) {
    outcome.kind = RV_KIND_DEADLOCK;
    outcome.thread = RV_NO_THREAD;
    for (uint32_t i = 0; i < 8; i++) {
        bool waits = i < rv.fiber_count && fibers[i].state == RV_FIBER_ALIVE;
        outcome.owner[i] = waits ? rv_sync_owner(&fibers[i].pending) : RV_NO_THREAD;
    }
    leave();
}

/* Picks who goes on and switches there; returns when the caller is picked again. */
static void switch_away(void) {
    struct {
        uint32_t thread;
        bool timeout;
    } candidates[2 * MAX_FIBERS];
    uint32_t normal = 0, count = 0;
    for (uint32_t i = 0; i < rv.fiber_count; i++)
        if (fibers[i].state == RV_FIBER_ALIVE && can_go(&fibers[i])) {
            candidates[count].thread = i;
            candidates[count++].timeout = false;
        }
    normal = count;
    for (uint32_t i = 0; i < rv.fiber_count && !(fake_options.strict_time && normal); i++)
        if (fibers[i].state == RV_FIBER_ALIVE && fibers[i].pending.deadline != RV_FOREVER) {
            candidates[count].thread = i;
            candidates[count++].timeout = true;
        }
    if (count == 0) deadlock();
    uint32_t pick = (uint32_t)rv_rng_below(&rng, count);
    struct rv_fiber *from = rv.current, *to = &fibers[candidates[pick].thread];
    to->timed_out = candidates[pick].timeout;
    if (to->timed_out && rv.now < to->pending.deadline) rv.now = to->pending.deadline;
    rv.current = to;
    outcome.points++;
    if (from != to) swapcontext(&contexts[from->id], &contexts[to->id]);
}

static _Noreturn void finish(void) {
    struct rv_fiber *self = rv.current;
    if (self->id == 0) {
        outcome.held = self->held_count;
        leave();
    }
    rv_mutex_owner_died(self);
    self->state = RV_FIBER_EXITED;
    switch_away();
    abort();
}

static void start(void) {
    struct rv_fiber *self = rv.current;
    self->exit_frame = __builtin_frame_address(0);
    if (self->id == 0)
        main_body(self->argument);
    else
        self->result = self->start(self->argument);
    finish();
}

static struct rv_fiber *new_fiber(void *(*body)(void *), void *argument) {
    assert(rv.fiber_count < MAX_FIBERS);
    uint32_t id = rv.fiber_count++;
    struct rv_fiber *fiber = &fibers[id];
    memset(fiber, 0, sizeof *fiber);
    *fiber = (struct rv_fiber){.id = id,
                               .state = RV_FIBER_ALIVE,
                               .start = body,
                               .argument = argument,
                               .self = id + 1,
                               .pending = RV_PENDING(RV_OP_START, NULL, 0)};
    getcontext(&contexts[id]);
    contexts[id].uc_stack.ss_sp = stacks + (size_t)id * STACK_SIZE;
    contexts[id].uc_stack.ss_size = STACK_SIZE;
    contexts[id].uc_link = NULL;
    makecontext(&contexts[id], start, 0);
    return fiber;
}

struct fake_outcome fake_run(uint64_t seed, void (*body)(void *), void *argument) {
    if (!stacks) stacks = malloc((size_t)MAX_FIBERS * STACK_SIZE);
    rng = rv_rng_stream(seed, 0);
    memset(&outcome, 0, sizeof outcome);
    memset(&rv, 0, sizeof rv);
    for (uint32_t i = 0; i < MAX_FIBERS; i++) by_id[i] = &fibers[i];
    config.spurious = fake_options.spurious;
    rv = (struct rv_runtime){.mode = RV_SINGLE, .fibers = by_id, .config = &config, .now = 1000};
    undo_count = 0;
    main_body = body;
    rv.current = new_fiber(NULL, argument);
    volatile bool entered = false;
    getcontext(&outside);
    if (!entered) {
        entered = true;
        setcontext(&contexts[0]);
    }
    outcome.undone = undo_count;
    while (undo_count) {
        undo_count--;
        undo_list[undo_count].undo(undo_list[undo_count].first, undo_list[undo_count].second);
    }
    rv.mode = RV_PASSIVE;
    return outcome;
}

/* The core's door. */

enum rv_wake rv_schedule(const struct rv_pending *pending) {
    struct rv_fiber *self = rv.current;
    self->pending = *pending;
    self->step++;
    switch_away();
    if (pending->cancellable && rv_sync_cancelled(self)) rv_thread_exit(PTHREAD_CANCELED);
    if (self->timed_out) {
        self->timed_out = false;
        return RV_TIMEOUT;
    }
    if (is_interrupted(self)) {
        self->signals_pending = 0;
        return RV_SIGNAL;
    }
    assert(!pending->ready || pending->ready(self));
    return RV_GO;
}

void rv_observe_wake(const struct rv_fiber *woken) { (void)woken; }
void rv_observe_joinable(const struct rv_fiber *target) { (void)target; }
void rv_observe_look(enum rv_op op, const void *object) {
    (void)op;
    (void)object;
}
void rv_observe_also(enum rv_op op, const void *object, uint8_t room) {
    (void)op;
    (void)object;
    (void)room;
}

void rv_done(const struct rv_pending *pending, uint64_t value, unsigned flags) {
    (void)pending, (void)value;
    outcome.failed += (flags & RV_EVENT_FAILED) != 0;
}

uint32_t rv_choose(uint32_t n) { return fake_options.first_choice ? 0 : (uint32_t)rv_rng_below(&rng, n); }
int64_t rv_now(void) { return ++rv.now; }
int64_t rv_now_to_wait(void) { return ++rv.now; }
int64_t rv_clock_offset(clockid_t clock) { return clock == CLOCK_REALTIME ? CLOCK_BASE : 0; }

static _Noreturn void fail(enum rv_kind kind, const char *format, va_list arguments) {
    outcome.kind = kind;
    outcome.thread = rv.current->id;
    vsnprintf(outcome.message, sizeof outcome.message, format, arguments);
    leave();
}

void rv_fail(enum rv_kind kind, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail(kind, format, arguments);
}

void rv_fail_memory(enum rv_kind kind, uintptr_t address, const char *format, ...) {
    (void)address;
    va_list arguments;
    va_start(arguments, format);
    fail(kind, format, arguments);
}

void rv_note(const char *format, ...) { (void)format; }

void rv_access(const void *address, size_t size, bool write, uintptr_t site) {
    struct rv_pending pending = RV_PENDING(write ? RV_OP_WRITE : RV_OP_READ, address, site);
    pending.size = (uint32_t)size;
    rv_schedule(&pending);
}

void rv_on_restore(void (*undo)(uintptr_t, uintptr_t), uintptr_t first, uintptr_t second) {
    assert(undo_count < MAX_UNDO);
    undo_list[undo_count].undo = undo;
    undo_list[undo_count].first = first;
    undo_list[undo_count++].second = second;
}

struct rv_lock_held *rv_held_find(struct rv_fiber *fiber, const void *object) {
    for (uint32_t i = 0; i < fiber->held_count; i++)
        if (fiber->held[i].object == object) return &fiber->held[i];
    return NULL;
}

void rv_held_add(const void *object, enum rv_op op, uintptr_t site) {
    (void)site;
    struct rv_lock_held *held = rv_held_find(rv.current, object);
    if (held) {
        held->count++;
    } else if (rv.current->held_count < 32) {
        held = &rv.current->held[rv.current->held_count++];
        *held = (struct rv_lock_held){.object = object, .op = op, .count = 1};
    }
}

bool rv_held_remove(const void *object) {
    struct rv_lock_held *held = rv_held_find(rv.current, object);
    if (!held) return false;
    if (--held->count == 0) *held = rv.current->held[--rv.current->held_count];
    return true;
}

static _Unwind_Reason_Code stop_at_base(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                        struct _Unwind_Exception *exception, struct _Unwind_Context *context,
                                        void *unused) {
    (void)version, (void)class, (void)exception, (void)unused;
    if ((actions & _UA_END_OF_STACK) || _Unwind_GetCFA(context) > (uintptr_t)rv.current->exit_frame) finish();
    return _URC_NO_REASON;
}

void rv_thread_exit(void *result) {
    struct rv_fiber *self = rv.current;
    self->result = result;
    self->cancelling = true;
    struct _Unwind_Exception *exception = calloc(1, sizeof *exception);
    _Unwind_ForcedUnwind(exception, stop_at_base, NULL);
    abort();
}

/* Threads: the real ones when passive. */

void *rv_real_find(const char *name) {
    void *found = strncmp(name, "pthread_cond_", 13) == 0 ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
    return found ? found : dlsym(RTLD_NEXT, name);
}

void *rv_real_lookup(const char *name) {
    void *found = rv_real_find(name);
    if (!found) {
        fprintf(stderr, "no real %s\n", name);
        abort();
    }
    return found;
}

struct rv_fiber *rv_fiber_of(pthread_t thread) {
    return thread >= 1 && thread <= rv.fiber_count ? &fibers[thread - 1] : NULL;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                   void *argument) {
    if (rv_passive()) return RV_REAL(pthread_create)(thread, attributes, body, argument);
    rv.mode = RV_CONTROLLED;
    struct rv_pending pending = RV_PENDING(RV_OP_CREATE, NULL, 0);
    *thread = new_fiber(body, argument)->self;
    rv_schedule(&pending);
    return 0;
}

static bool has_ended(const struct rv_fiber *fiber) {
    return ((const struct rv_fiber *)fiber->pending.data)->state >= RV_FIBER_EXITED;
}

int pthread_join(pthread_t thread, void **result) {
    if (rv_passive()) return RV_REAL(pthread_join)(thread, result);
    struct rv_fiber *fiber = rv_fiber_of(thread);
    if (!fiber || fiber->state == RV_FIBER_JOINED) return ESRCH;
    struct rv_pending pending = RV_PENDING(RV_OP_JOIN, fiber, 0);
    pending.ready = has_ended;
    pending.data = fiber;
    rv_schedule(&pending);
    if (result) *result = fiber->result;
    fiber->state = RV_FIBER_JOINED;
    return 0;
}

int pthread_detach(pthread_t thread) {
    if (rv_passive()) return RV_REAL(pthread_detach)(thread);
    return rv_fiber_of(thread) ? 0 : ESRCH;
}

int pthread_cancel(pthread_t thread) {
    if (rv_passive()) return RV_REAL(pthread_cancel)(thread);
    rv_fiber_of(thread)->cancel_pending = true;
    return 0;
}

void pthread_exit(void *result) {
    if (rv_passive()) RV_REAL(pthread_exit)(result);
    rv_thread_exit(result);
}

/* What c11.c calls, of the thread family's door. */

int rv_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                     void *argument, uintptr_t site) {
    (void)site;
    return pthread_create(thread, attributes, body, argument);
}

int rv_thread_join(pthread_t thread, void **result, bool block, const struct rv_until *until,
                   uintptr_t site) {
    (void)site;
    assert(block && !until);
    return pthread_join(thread, result);
}

int rv_thread_detach(pthread_t thread, uintptr_t site) {
    (void)site;
    return pthread_detach(thread);
}

void rv_thread_leave(void *result, uintptr_t site) {
    (void)site;
    rv_thread_exit(result);
}

pthread_t pthread_self(void) {
    if (rv_passive()) return RV_REAL(pthread_self)();
    return rv.current->self;
}

void fake_interrupt(pthread_t thread) { rv_fiber_of(thread)->signals_pending = 1u << 10; }

struct timespec fake_after(clockid_t clock, int64_t ns) {
    if (rv_passive()) return (struct timespec){.tv_sec = INT64_C(4000000000)};
    int64_t at = rv.now + rv_clock_offset(clock) + ns;
    return (struct timespec){.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
}

/* The heap: one page, all usable or all freed. */

bool rv_heap_accessible_slow(uintptr_t address, size_t size) {
    const uint8_t *shadow = (const uint8_t *)RV_HEAP_SHADOW + ((address - RV_HEAP_BASE) >> 3);
    for (size_t i = 0; i < (size + 7) / 8; i++)
        if (shadow[i]) return false;
    return true;
}

bool rv_heap_find(uintptr_t address, struct rv_heap_block *block) {
    memset(block, 0, sizeof *block);
    block->address = RV_HEAP_BASE;
    block->size = HEAP_PAGE;
    block->freed = *(const uint8_t *)RV_HEAP_SHADOW == RV_SHADOW_FREED;
    return address - RV_HEAP_BASE < HEAP_PAGE;
}

void *fake_heap_page(void) {
    enum { PROTECTION = PROT_READ | PROT_WRITE, FLAGS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED };
    void *heap = mmap((void *)RV_HEAP_BASE, HEAP_PAGE, PROTECTION, FLAGS, -1, 0);
    void *shadow = mmap((void *)RV_HEAP_SHADOW, HEAP_PAGE, PROTECTION, FLAGS, -1, 0);
    assert(heap != MAP_FAILED && shadow != MAP_FAILED);
    memset((char *)RV_HEAP_SHADOW + HEAP_PAGE / 8, RV_SHADOW_REDZONE, HEAP_PAGE / 8);
    return heap;
}

void fake_heap_free_page(void) { memset((void *)RV_HEAP_SHADOW, RV_SHADOW_FREED, HEAP_PAGE / 8); }

/* Nobody watches. */
struct rv_watch rv_watching;
void rv_watch_step(enum rv_step_kind kind, uint64_t address, uint64_t size, unsigned order, uintptr_t pc) {
    (void)kind;
    (void)address;
    (void)size;
    (void)order;
    (void)pc;
}
