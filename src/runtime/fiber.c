/* Contexts and fibers.
 *
 * A context is what glibc calls a thread, without a thread: a stack of ours, at whose top a real pthread_create
 * has put a TLS block and a struct pthread. The kernel thread behind it has parked for ever in a futex wait with
 * all signals blocked; it never runs user code again, so its stack is free to be the program's. After
 * parking, everything from the park function's frame to the top of the stack is copied; a context used again
 * gets that copy back, and the DTV with it, which makes the new thread's TLS variables what their initialisers say.
 *
 * Making a context changes libc's own lists and counters. That must survive the restoring of memory, so
 * contexts are made while the program is in its snapshot state, and the snapshot is taken again afterwards
 * (rv_contexts_prepare). An execution that needs more than there are makes its own on the spot; these are
 * forgotten when it ends, and the next executions find as many as were needed.
 *
 * Stacks lie in slots of SLOT bytes, so that the context of any stack address is found by a shift.
 * A fiber takes the lowest free context that is large enough: addresses depend on the schedule alone.
 *
 *     slot: | unmapped guard | stack, grows down <---- entry_sp | start_thread's frame, TLS, struct pthread |
 *
 * The FS base is changed with wrfsbase where the kernel allows it (AT_HWCAP2), else by a system call. What a switch
 * costs: `make bench`, "scheduling point".
 */
#include "runtime/watch.h"
#include "runtime/engine.h"

#include <asm/prctl.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "runtime/fiber.h"
#include "runtime/hooks/sync.h"
#include "runtime/names.h"
#include "runtime/real.h"
#include "runtime/reserve.h"
#include "runtime/sys.h"

enum { FIRST_CONTEXTS = 4, CARRIER_STACK = 512 << 10, SPARE = 512, RED_ZONE = 128 };
#define SLOT       ((uintptr_t)16 << 20)
#define GUARD      ((uintptr_t)64 << 10)
#define SLOT_COUNT ((RV_STACK_END - RV_STACK_BASE) / SLOT)

/* glibc's thread descriptor begins so (struct tcbhead_t). */
struct tcb {
    void *tcb;
    union dtv *dtv;
};
union dtv {
    size_t counter; /* dtv[-1]: entries behind dtv[0] */
    struct {
        void *value, *to_free;
    } pointer;
};

struct rv_context {
    bool in_use;
    uint32_t parked; /* futex: 1 when the fields below are set */
    uintptr_t low;   /* lowest address of the stack */
    uintptr_t top;   /* end of the slot's memory */
    uintptr_t entry_sp;
    uintptr_t fs_base;
    char *pristine; /* copy of [entry_sp, top) */
    union dtv *dtv; /* and of the DTV, with its counter */
    size_t dtv_size;
    struct rv_frame *frames;
    struct rv_fiber *fiber; /* that uses it or used it last in this execution */
};

static struct rv_context *contexts;
static uint32_t context_count;   /* made */
static uint32_t permanent_count; /* of these, made in the snapshot state */
static uint32_t first_free;      /* no context below is free */
static uint32_t in_use_count;
static uint32_t *slot_context; /* by slot: 1 + index of the context */
static uintptr_t next_slot;
static struct rv_fiber *fiber_memory; /* by id */
static struct rv_fiber main_saved;
static struct rv_frame *main_frames_saved;
static void *carrier_sp;
static char *carrier_stack;
static bool has_wrfsbase;
static size_t default_stack;

extern void rv_fiber_entry(void) __attribute__((visibility("hidden")));

/* ---- the machine ---- */

static void set_fs(uintptr_t base) {
    if (RV_LIKELY(has_wrfsbase))
        __asm__ volatile("wrfsbase %0" : : "r"(base) : "memory");
    else
        (void)rv_sys2(SYS_arch_prctl, ARCH_SET_FS, (long)base);
}

static uintptr_t get_fs(void) {
    uintptr_t base = 0;
    __asm__("movq %%fs:0, %0" : "=r"(base)); /* the TCB begins with its own address */
    return base;
}

/* A frame as rv_switch leaves it, that calls function(argument). */
static void *prepare_frame(uintptr_t top, void (*function)(void *), void *argument) {
    uint64_t *sp = (uint64_t *)(top & ~(uintptr_t)15);
    *--sp = 0; /* the ABI's alignment: at entry of the called function sp + 8 is a multiple of 16 */
    *--sp = 0;
    *--sp = (uint64_t)rv_fiber_entry;
    *--sp = 0;                  /* rbp */
    *--sp = 0;                  /* rbx */
    *--sp = (uint64_t)function; /* r12 */
    *--sp = (uint64_t)argument; /* r13 */
    *--sp = 0;
    *--sp = 0;
    *--sp = (uint64_t)0x037f << 32 | 0x1f80; /* control words as the ABI has them at process start */
    return sp;
}

void rv_fiber_enter(struct rv_fiber *fiber) {
    struct rv_fiber *from = rv.current;
    rv.current = fiber;
    set_fs(fiber->fs_base);
    rv_switch(&from->sp, fiber->sp);
}

_Noreturn void rv_carrier_enter(void) {
    struct rv_fiber *main_fiber = rv.fibers[0];
    rv.current = main_fiber;
    set_fs(main_fiber->fs_base);
    void *left;
    rv_switch(&left, carrier_sp);
    __builtin_unreachable();
}

void rv_carrier_run_main(void) { rv_switch(&carrier_sp, rv.fibers[0]->sp); }

static void run_carrier(void *body) { ((void (*)(void))body)(); }

void rv_carrier_start(void (*body)(void)) {
    carrier_stack = rv_reserve(CARRIER_STACK);
    if (!carrier_stack) rv_unusable("no memory for the scheduler's stack");
    void *sp = prepare_frame((uintptr_t)carrier_stack + CARRIER_STACK, run_carrier, (void *)body);
    rv_switch(&rv.fibers[0]->sp, sp);
}

/* ---- making contexts ---- */

static void *park(void *argument) {
    struct rv_context *context = argument;
    context->fs_base = get_fs();
    context->entry_sp = ((uintptr_t)__builtin_frame_address(0) - SPARE) & ~(uintptr_t)63;
    __atomic_store_n(&context->parked, 1, __ATOMIC_RELEASE);
    (void)rv_sys_futex(&context->parked, FUTEX_WAKE_PRIVATE, 1, NULL);
    static uint32_t for_ever;
    for (;;) (void)rv_sys_futex(&for_ever, FUTEX_WAIT_PRIVATE, 0, NULL);
    return NULL;
}

static bool start_parked(struct rv_context *context) {
    pthread_attr_t attributes;
    pthread_t thread;
    uint64_t all = UINT64_MAX, before = 0;
    (void)rv_sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, 8);
    rv.internal++;
    bool made = RV_REAL(pthread_attr_init)(&attributes) == 0 &&
                pthread_attr_setstack(&attributes, (void *)context->low, context->top - context->low) == 0 &&
                RV_REAL(pthread_create)(&thread, &attributes, park, context) == 0;
    rv.internal--;
    (void)rv_sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, 8);
    while (made && !__atomic_load_n(&context->parked, __ATOMIC_ACQUIRE))
        (void)rv_sys_futex(&context->parked, FUTEX_WAIT_PRIVATE, 0, NULL);
    return made;
}

static bool keep_pristine(struct rv_context *context) {
    size_t size = context->top - context->entry_sp;
    union dtv *dtv = ((struct tcb *)context->fs_base)->dtv;
    context->dtv_size = (dtv[-1].counter + 2) * sizeof *dtv;
    char *copy = rv_reserve(size + context->dtv_size + (RV_MAX_DEPTH * sizeof(struct rv_frame)));
    if (!copy) return false;
    context->pristine = copy;
    context->dtv = (union dtv *)(copy + size);
    context->frames = (struct rv_frame *)(((uintptr_t)copy + size + context->dtv_size + 15) & ~(uintptr_t)15);
    memcpy(copy, (void *)context->entry_sp, size);
    memcpy(context->dtv, dtv - 1, context->dtv_size);
    return true;
}

static struct rv_context *make_context(size_t stack_size) {
    uintptr_t bytes = (stack_size + 64 * 1024 + 4095) & ~(uintptr_t)4095;
    uintptr_t slots = (bytes + GUARD + SLOT - 1) / SLOT;
    if (context_count >= RV_MAX_THREADS || next_slot + slots > SLOT_COUNT) return NULL;
    uintptr_t end = RV_STACK_BASE + (next_slot + slots) * SLOT;
    void *memory = rv_sys_mmap((void *)(end - bytes), bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (rv_sys_failed((long)memory)) return NULL;
    struct rv_context *context = &contexts[context_count];
    *context = (struct rv_context){.low = end - bytes, .top = end};
    if (!start_parked(context) || !keep_pristine(context)) {
        (void)rv_sys_munmap(memory, bytes);
        return NULL;
    }
    for (uintptr_t slot = next_slot; slot < next_slot + slots; slot++) slot_context[slot] = context_count + 1;
    next_slot += slots;
    context_count++;
    return context;
}

bool rv_contexts_prepare(void) {
    uint32_t wanted = rv_engine.learned->contexts;
    if (wanted < FIRST_CONTEXTS) wanted = FIRST_CONTEXTS;
    uint32_t before = permanent_count;
    while (permanent_count < wanted && make_context(default_stack)) permanent_count++;
    return permanent_count > before;
}

/* ---- fibers ---- */

static struct rv_context *take_context(size_t stack_size) {
    for (uint32_t i = first_free; i < context_count; i++) {
        struct rv_context *context = &contexts[i];
        if (context->in_use || context->entry_sp - context->low < stack_size) continue;
        if (i == first_free) first_free++;
        return context;
    }
    return make_context(stack_size);
}

static void release_context(struct rv_context *context) {
    uint32_t index = (uint32_t)(context - contexts);
    context->in_use = false;
    in_use_count--;
    if (index < first_free) first_free = index;
}

static void make_pristine(struct rv_context *context) {
    memcpy((void *)context->entry_sp, context->pristine, context->top - context->entry_sp);
    union dtv *dtv = ((struct tcb *)context->fs_base)->dtv;
    memcpy(dtv - 1, context->dtv, context->dtv_size);
}

static void alive_add(struct rv_fiber *fiber) { rv_engine.alive[rv_engine.alive_count++] = fiber; }

static void alive_remove(const struct rv_fiber *fiber) {
    uint32_t i = 0;
    while (rv_engine.alive[i] != fiber) i++;
    rv_engine.alive_count--;
    for (; i < rv_engine.alive_count; i++) rv_engine.alive[i] = rv_engine.alive[i + 1];
}

static void enter_thread(void *argument) {
    struct rv_fiber *self = argument;
    while (RV_UNLIKELY(rv_report_wanted)) rv_report_self();
    self->step = 1;
    rv_watch_started(self);
    rv_thread_main(self);
}

struct rv_fiber *rv_fiber_create(size_t stack_size, uintptr_t created_at) {
    if (rv.fiber_count >= RV_MAX_THREADS) return NULL;
    if (stack_size == 0) stack_size = default_stack;
    if (stack_size < RV_STACK_MIN) stack_size = RV_STACK_MIN;
    struct rv_context *context = take_context(stack_size);
    if (!context) return NULL;
    struct rv_fiber *creator = rv.current;
    struct rv_fiber *fiber = &fiber_memory[rv.fiber_count];
    memset(fiber, 0, offsetof(struct rv_fiber, held));
    context->in_use = true;
    context->fiber = fiber;
    if (++in_use_count > rv_engine.learned->contexts) rv_engine.learned->contexts = in_use_count;
    make_pristine(context);
    fiber->id = rv.fiber_count;
    fiber->state = RV_FIBER_ALIVE;
    fiber->stop_at = UINT64_MAX;
    fiber->stack_low = context->low;
    fiber->stack_size = context->entry_sp - context->low;
    fiber->frames = context->frames;
    fiber->lineage = (creator->lineage * 0x9e3779b1u + ++creator->children) * 0x85ebca6bu;
    fiber->stack_escaped = rv.area->escaped[fiber->lineage >> 16];
    fiber->pending = RV_PENDING(RV_OP_START, NULL, created_at);
    fiber->site = rv_site_of(created_at);
    fiber->self = (pthread_t)context->fs_base;
    fiber->creator = creator->id;
    fiber->created_at = created_at;
    fiber->context = context;
    fiber->fs_base = context->fs_base;
    fiber->sp = prepare_frame(context->entry_sp, enter_thread, fiber);
    rv.fibers[rv.fiber_count++] = fiber;
    rv.live_count++;
    alive_add(fiber);
    rv_watch_created(fiber);
    return fiber;
}

_Noreturn void rv_fiber_finish(void) {
    struct rv_fiber *self = rv.current;
    rv_watch(RV_STEP_EXIT, NULL, 0, 0, 0);
    self->state = self->detached ? RV_FIBER_JOINED : RV_FIBER_EXITED;
    rv_engine.steps_of_ended += self->step;
    rv_effect(self);
    rv.live_count--;
    alive_remove(self);
    if (self->detached && self->context) release_context(self->context);
    rv_schedule_leave();
}

void rv_fiber_joined(struct rv_fiber *fiber) {
    RV_INVARIANT(fiber->state == RV_FIBER_EXITED);
    fiber->state = RV_FIBER_JOINED;
    if (fiber->context) release_context(fiber->context);
}

struct rv_fiber *rv_fiber_of(pthread_t thread) {
    for (uint32_t i = rv.fiber_count; i-- > 0;)
        if (rv.fibers[i]->self == thread) return rv.fibers[i];
    return NULL;
}

/* ---- stacks ---- */

void rv_fiber_stack(const struct rv_fiber *fiber, uintptr_t *low, size_t *size) {
    *low = fiber->stack_low;
    *size = fiber->stack_size;
}

static bool left_frame(const struct rv_fiber *fiber, uintptr_t address) {
    if (fiber == rv.current) return false;
    return fiber->state != RV_FIBER_ALIVE || address < (uintptr_t)fiber->sp - RED_ZONE;
}

struct rv_fiber *rv_slot_owner(uintptr_t address) {
    uint32_t index = slot_context[(address - RV_STACK_BASE) / SLOT];
    return index ? contexts[index - 1].fiber : NULL;
}

struct rv_fiber *rv_stack_owner(uintptr_t address, bool *over) {
    struct rv_fiber *fiber = NULL;
    if (address - RV_STACK_BASE < RV_STACK_END - RV_STACK_BASE) {
        uint32_t index = slot_context[(address - RV_STACK_BASE) / SLOT];
        if (index == 0) return NULL;
        fiber = contexts[index - 1].fiber;
        if (address >= contexts[index - 1].entry_sp) return NULL;
    } else if (address - rv.fibers[0]->stack_low < rv.fibers[0]->stack_size) {
        fiber = rv.fibers[0];
    }
    *over = fiber && left_frame(fiber, address);
    return fiber;
}

bool rv_in_guard(const struct rv_fiber *fiber, uintptr_t address) {
    uintptr_t guard = fiber->context ? GUARD : (uintptr_t)1 << 20;
    return address - (fiber->stack_low - guard) < guard + (fiber->context ? 0 : 8192);
}

void rv_stack_escape(struct rv_fiber *fiber) {
    fiber->stack_escaped = true;
    rv_stack_known(fiber->lineage);
}

/* ---- the main fiber ---- */

/* The end of the main stack's mapping: where the kernel put the program's name is close to it. */
static uintptr_t main_stack_top(void) {
    uintptr_t name = getauxval(AT_EXECFN);
    return ((name ? name : (uintptr_t)__builtin_frame_address(0)) + 4096) & ~(uintptr_t)4095;
}

void rv_fibers_init(void) {
    has_wrfsbase = getauxval(AT_HWCAP2) & 2; /* HWCAP2_FSGSBASE */
    struct rlimit limit = {0};
    (void)rv_sys4(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit);
    bool sensible = limit.rlim_cur >= RV_STACK_MIN && limit.rlim_cur <= (1u << 30);
    size_t main_size = sensible ? limit.rlim_cur : 64u << 20;
    default_stack = sensible ? limit.rlim_cur : 8u << 20;
    rv_names_init();
    contexts = rv_reserve(RV_MAX_THREADS * sizeof *contexts);
    slot_context = rv_reserve(SLOT_COUNT * sizeof *slot_context);
    fiber_memory = rv_reserve(RV_MAX_THREADS * sizeof *fiber_memory);
    rv.fibers = rv_reserve(RV_MAX_THREADS * sizeof(struct rv_fiber *));
    rv_engine.alive = rv_reserve(RV_MAX_THREADS * sizeof(struct rv_fiber *));
    struct rv_frame *frames = rv_reserve(RV_MAX_DEPTH * sizeof *frames);
    main_frames_saved = rv_reserve(RV_MAX_DEPTH * sizeof *frames);
    if (!contexts || !slot_context || !fiber_memory || !rv.fibers || !rv_engine.alive || !frames ||
        !main_frames_saved)
        rv_unusable("no address space for threads");
    struct rv_fiber *fiber = &fiber_memory[0];
    fiber->state = RV_FIBER_ALIVE;
    fiber->stop_at = UINT64_MAX;
    fiber->lineage = 0x2545f491u;
    fiber->stack_size = main_size;
    fiber->stack_low = main_stack_top() - main_size;
    fiber->frames = frames;
    fiber->fs_base = get_fs();
    fiber->self = (pthread_t)fiber->fs_base;
    fiber->creator = RV_NO_THREAD;
    fiber->pending = RV_PENDING(RV_OP_START, NULL, 0);
    rv.fibers[0] = fiber;
    rv.fiber_count = rv.live_count = 1;
    rv.current = fiber;
    alive_add(fiber);
}

void rv_fibers_snapshot(void) {
    main_saved = *rv.fibers[0];
    memcpy(main_frames_saved, main_saved.frames, main_saved.depth * sizeof *main_frames_saved);
}

void rv_fibers_restore(void) {
    struct rv_fiber *fiber = rv.fibers[0];
    memcpy(fiber, &main_saved, offsetof(struct rv_fiber, held));
    memcpy(fiber->held, main_saved.held, main_saved.held_count * sizeof fiber->held[0]);
    if (main_saved.signals_pending)
        memcpy(fiber->signal_info, main_saved.signal_info, sizeof fiber->signal_info);
    memcpy(fiber->frames, main_frames_saved, main_saved.depth * sizeof *main_frames_saved);
    fiber->stack_escaped = rv.area->escaped[fiber->lineage >> 16];
    for (uint32_t i = 0; i < context_count; i++) {
        contexts[i].in_use = false;
        contexts[i].fiber = NULL;
    }
    context_count = permanent_count;
    first_free = 0;
    in_use_count = 0;
    rv.fiber_count = rv.live_count = 1;
    rv_engine.alive_count = 0;
    alive_add(fiber);
    rv.current = fiber;
}
