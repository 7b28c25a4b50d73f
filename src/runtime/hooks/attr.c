/* Attributes, names, scheduling parameters and processors of threads.
 *
 * Attribute objects stay glibc's; pthread_create reads them here. What a program sets for a thread that exists
 * (policy, priority, processors, name) must not reach the kernel: its kernel thread is not the one that the thread
 * runs on, and no restore would take it back. It is remembered, inherited and given back when asked, and has no other
 * effect: every thread runs when the strategy says so. Asking for a real-time policy succeeds, also without
 * privileges.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "runtime/fiber.h"
#include "runtime/hooks/sync.h"
#include "runtime/hooks/threads.h"
#include "runtime/real.h"
#include "runtime/sys.h"

enum { NAME_SIZE = 16, SETTINGS = 256, PAGE = 4096 };
_Static_assert(sizeof(((struct rv_fiber *)0)->name) == NAME_SIZE, "the kernel's limit");

/* Of the few threads that are not as they came. */
struct settings {
    uint32_t thread;
    bool scheduling; /* policy and priority are set */
    bool processors; /* cpus is set */
    int policy;
    int priority;
    cpu_set_t cpus;
};

static struct attribute_state {
    uint32_t count;
    size_t default_stack; /* by pthread_setattr_default_np; 0: the system's */
    struct settings settings[SETTINGS];
} state, saved;
static bool dirty; /* state differs from saved */

static struct settings *find(uint32_t thread) {
    for (uint32_t i = 0; i < state.count; i++)
        if (state.settings[i].thread == thread) return &state.settings[i];
    return NULL;
}

/* The thread's settings, to be changed. NULL: no room. */
static struct settings *open_settings(uint32_t thread) {
    dirty = true;
    struct settings *found = find(thread);
    if (found) return found;
    if (state.count == SETTINGS) {
        rv_note("scheduling parameters of more than %d threads: the others are not remembered", SETTINGS);
        return NULL;
    }
    found = &state.settings[state.count++];
    *found = (struct settings){.thread = thread};
    return found;
}

/* A thread that can still be asked about itself. */
static struct rv_fiber *living(pthread_t thread) {
    struct rv_fiber *fiber = rv_thread_find(thread);
    return fiber && fiber->state == RV_FIBER_ALIVE ? fiber : NULL;
}

/* For pthread_create. */

static bool valid_priority(int policy, int priority) {
    int lowest = sched_get_priority_min(policy), highest = sched_get_priority_max(policy);
    return lowest >= 0 && highest >= 0 && priority >= lowest && priority <= highest;
}

static int read_scheduling(const pthread_attr_t *attributes, struct rv_thread_attributes *to) {
    int inherit;
    struct sched_param parameters;
    if (pthread_attr_getinheritsched(attributes, &inherit) || inherit != PTHREAD_EXPLICIT_SCHED) return 0;
    if (pthread_attr_getschedpolicy(attributes, &to->policy) ||
        pthread_attr_getschedparam(attributes, &parameters))
        return EINVAL;
    int before = errno;
    bool valid = valid_priority(to->policy, parameters.sched_priority);
    errno = before;
    if (!valid) return EINVAL;
    to->scheduling = true;
    to->priority = parameters.sched_priority;
    return 0;
}

static void read_processors(const pthread_attr_t *attributes, struct rv_thread_attributes *to) {
    cpu_set_t every;
    memset(&every, 0xff, sizeof every); /* what glibc answers if none are given */
    to->cpus_given = pthread_attr_getaffinity_np(attributes, sizeof to->cpus, &to->cpus) == 0 &&
                     memcmp(&to->cpus, &every, sizeof every) != 0;
}

static int read_stack(const pthread_attr_t *attributes, struct rv_thread_attributes *to) {
    pthread_attr_t untouched;
    size_t size, own_size = 0, usual = 0, guard = 0;
    void *stack = NULL;
    if (pthread_attr_init(&untouched)) return EAGAIN;
    (void)pthread_attr_getstacksize(&untouched, &usual);
    (void)pthread_attr_destroy(&untouched);
    if (pthread_attr_getstacksize(attributes, &size) || pthread_attr_getguardsize(attributes, &guard))
        return EINVAL;
    /* A stack of the program's own has no guard. Ours is used in any case, for the thread's TLS lies on it too. */
    bool own = pthread_attr_getstack(attributes, &stack, &own_size) == 0 && (uintptr_t)stack + own_size != 0;
    if (!own && __builtin_add_overflow(guard, size + PAGE, &own_size)) return EINVAL;
    if (size != usual) to->stack_size = size;
    return 0;
}

int rv_attributes_read(const pthread_attr_t *attributes, struct rv_thread_attributes *to) {
    memset(to, 0, sizeof *to);
    to->stack_size = state.default_stack;
    if (!attributes) return 0;
    int detach_state;
    if (pthread_attr_getdetachstate(attributes, &detach_state)) return EINVAL;
    to->detached = detach_state == PTHREAD_CREATE_DETACHED;
    to->own_mask = pthread_attr_getsigmask_np(attributes, &to->signal_mask) == 0;
    read_processors(attributes, to);
    int error = read_stack(attributes, to);
    return error ? error : read_scheduling(attributes, to);
}

void rv_attributes_give(struct rv_fiber *child, const struct rv_thread_attributes *wanted) {
    const struct rv_fiber *creator = rv_self();
    memcpy(child->name, creator->name, sizeof child->name);
    const struct settings *inherited = find(creator->id);
    if (!inherited && !wanted->scheduling && !wanted->cpus_given) return;
    struct settings *own = open_settings(child->id);
    if (!own) return;
    if (inherited) *own = *inherited;
    own->thread = child->id;
    if (wanted->scheduling) {
        own->scheduling = true;
        own->policy = wanted->policy;
        own->priority = wanted->priority;
    }
    if (wanted->cpus_given) {
        own->processors = true;
        own->cpus = wanted->cpus;
    }
}

RV_EXPORT int pthread_setattr_default_np(const pthread_attr_t *attributes) {
    int error = RV_REAL(pthread_setattr_default_np)(attributes);
    if (error || rv_threads_passive()) return error;
    size_t size;
    if (pthread_attr_getstacksize(attributes, &size) == 0) {
        state.default_stack = size;
        dirty = true;
    }
    return 0;
}

RV_EXPORT int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes) {
    if (rv_threads_passive()) return RV_REAL(pthread_getattr_np)(thread, attributes);
    const struct rv_fiber *fiber = rv_thread_find(thread);
    if (!fiber || fiber->state == RV_FIBER_JOINED) return ESRCH;
    int error = pthread_attr_init(attributes);
    if (error) return error;
    uintptr_t low;
    size_t size;
    rv_fiber_stack(fiber, &low, &size);
    error = pthread_attr_setstack(attributes, (void *)low, size);
    if (!error && fiber->detached) error = pthread_attr_setdetachstate(attributes, PTHREAD_CREATE_DETACHED);
    const struct settings *own = find(fiber->id);
    if (!error && own && own->scheduling) {
        const struct sched_param parameters = {.sched_priority = own->priority};
        error = pthread_attr_setschedpolicy(attributes, own->policy);
        if (!error) error = pthread_attr_setschedparam(attributes, &parameters);
    }
    if (!error && own && own->processors)
        error = pthread_attr_setaffinity_np(attributes, sizeof own->cpus, &own->cpus);
    if (error) (void)pthread_attr_destroy(attributes);
    return error;
}

/* Names. A thread without one has the process', as in the kernel. */

static int kernel_name(char *to) { return RV_REAL(prctl)(PR_GET_NAME, to, 0, 0, 0); }

/* At most NAME_SIZE; libc's would be somebody's hook. */
static size_t name_length(const char *name) {
    size_t length = 0;
    while (length < NAME_SIZE && name[length]) length++;
    return length;
}

static void set_name(struct rv_fiber *fiber, const char *name) {
    size_t length = name_length(name);
    memset(fiber->name, 0, sizeof fiber->name);
    memcpy(fiber->name, name, length < NAME_SIZE ? length : NAME_SIZE - 1);
}

static void get_name(const struct rv_fiber *fiber, char *to) {
    if (fiber->name[0])
        memcpy(to, fiber->name, NAME_SIZE);
    else
        (void)kernel_name(to);
}

RV_EXPORT int pthread_setname_np(pthread_t thread, const char *name) {
    if (rv_threads_passive()) return RV_REAL(pthread_setname_np)(thread, name);
    if (name_length(name) == NAME_SIZE) return ERANGE;
    struct rv_fiber *fiber = living(thread);
    if (!fiber) return ENOENT; /* as glibc, which looks for the thread in /proc */
    set_name(fiber, name);
    return 0;
}

RV_EXPORT int pthread_getname_np(pthread_t thread, char *to, size_t size) {
    if (rv_threads_passive()) return RV_REAL(pthread_getname_np)(thread, to, size);
    if (size < NAME_SIZE) return ERANGE;
    const struct rv_fiber *fiber = living(thread);
    if (!fiber) return ENOENT;
    get_name(fiber, to);
    return 0;
}

RV_EXPORT int prctl(int option, ...) {
    unsigned long arguments[4];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++) arguments[i] = va_arg(list, unsigned long);
    va_end(list);
    bool named = !rv_threads_passive() && (option == PR_SET_NAME || option == PR_GET_NAME);
    if (!named) return RV_REAL(prctl)(option, arguments[0], arguments[1], arguments[2], arguments[3]);
    if (option == PR_SET_NAME)
        set_name(rv_self(), (const char *)arguments[0]);
    else
        get_name(rv_self(), (char *)arguments[0]);
    return 0;
}

/* Scheduling parameters. */

RV_EXPORT int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *parameters) {
    if (rv_threads_passive()) return RV_REAL(pthread_setschedparam)(thread, policy, parameters);
    const struct rv_fiber *fiber = living(thread);
    if (!fiber) return ESRCH;
    int before = errno;
    bool valid = valid_priority(policy, parameters->sched_priority);
    errno = before;
    if (!valid) return EINVAL;
    struct settings *own = open_settings(fiber->id);
    if (!own) return 0;
    own->scheduling = true;
    own->policy = policy;
    own->priority = parameters->sched_priority;
    return 0;
}

RV_EXPORT int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *parameters) {
    if (rv_threads_passive()) return RV_REAL(pthread_getschedparam)(thread, policy, parameters);
    const struct rv_fiber *fiber = living(thread);
    if (!fiber) return ESRCH;
    const struct settings *own = find(fiber->id);
    bool set = own && own->scheduling;
    *policy = set ? own->policy : SCHED_OTHER;
    parameters->sched_priority = set ? own->priority : 0;
    return 0;
}

RV_EXPORT int pthread_setschedprio(pthread_t thread, int priority) {
    if (rv_threads_passive()) return RV_REAL(pthread_setschedprio)(thread, priority);
    int policy;
    struct sched_param parameters;
    int error = pthread_getschedparam(thread, &policy, &parameters);
    parameters.sched_priority = priority;
    return error ? error : pthread_setschedparam(thread, policy, &parameters);
}

RV_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *cpus) {
    if (rv_threads_passive()) return RV_REAL(pthread_setaffinity_np)(thread, size, cpus);
    const struct rv_fiber *fiber = living(thread);
    if (!fiber) return ESRCH;
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    memcpy(&wanted, cpus, size < sizeof wanted ? size : sizeof wanted);
    if (CPU_COUNT(&wanted) == 0) return EINVAL;
    struct settings *own = open_settings(fiber->id);
    if (!own) return 0;
    own->processors = true;
    own->cpus = wanted;
    return 0;
}

RV_EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *cpus) {
    if (rv_threads_passive()) return RV_REAL(pthread_getaffinity_np)(thread, size, cpus);
    const struct rv_fiber *fiber = living(thread);
    if (!fiber) return ESRCH;
    const struct settings *own = find(fiber->id);
    cpu_set_t answer;
    CPU_ZERO(&answer);
    if (own && own->processors) {
        answer = own->cpus;
    } else {
        long result = rv_sys3(SYS_sched_getaffinity, 0, sizeof answer, (long)&answer);
        if (rv_sys_failed(result)) return (int)-result;
    }
    memset(cpus, 0, size);
    memcpy(cpus, &answer, size < sizeof answer ? size : sizeof answer);
    return 0;
}

/* Every thread's own clock is the virtual one. */
RV_EXPORT int pthread_getcpuclockid(pthread_t thread, clockid_t *clock) {
    if (rv_threads_passive()) return RV_REAL(pthread_getcpuclockid)(thread, clock);
    if (!living(thread)) return ESRCH;
    *clock = CLOCK_THREAD_CPUTIME_ID;
    return 0;
}

void rv_attributes_snapshot(void) {
    saved = state;
    dirty = false;
}

void rv_attributes_restore(void) {
    if (!dirty) return;
    state = saved;
    dirty = false;
}
