#include "runtime/native_events.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "plan/monitor.h"
#include "runtime/core.h"
#include "runtime/native_blocked.h"
#include "runtime/real.h"
#include "runtime/sys.h"

enum { ARENA = 1 << 20, LINE = 1024 };

struct thread {
    pid_t tid; /* 0: not begun yet */
    bool over;
    bool in_monitor;         /* it waits for the lock, or has it */
    bool blocked;            /* as last noticed */
    char name[RV_PLAN_NAME]; /* "": none */
};

static struct {
    int fd;
    pid_t process; /* a child that the program forks is not watched */
    const char *test, *label;
    const struct rv_plan *plan; /* NULL: none */
    struct rv_monitor *monitor;
    bool looks;    /* the plan speaks of block@ or unblock@ */
    uint32_t lock; /* 0 free, 1 taken, 2 taken and waited for */
    uint32_t depth, count, first_of_test;
    uint32_t number; /* of the thread that runs the test, */
    uintptr_t sp;    /* its stack pointer there */
    bool violated, direct;
    struct thread threads[RV_MONITOR_THREADS];
} native;

static __thread uint32_t self_number; /* + 1; 0: not known yet */

static bool active(void) { return native.test && native.process == rv_sys_getpid(); }

const char *rv_native_chosen(void) { return native.test; }

void rv_native_set_direct(void) { native.direct = true; }
bool rv_native_direct(void) { return native.direct && active(); }

/* ---- the lock ---- */

static void take(void) {
    uint32_t free = 0;
    if (__atomic_compare_exchange_n(&native.lock, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    while (__atomic_exchange_n(&native.lock, 2, __ATOMIC_ACQUIRE))
        (void)rv_sys_futex(&native.lock, FUTEX_WAIT_PRIVATE, 2, NULL);
}

static void give(void) {
    if (__atomic_exchange_n(&native.lock, 0, __ATOMIC_RELEASE) == 2)
        (void)rv_sys_futex(&native.lock, FUTEX_WAKE_PRIVATE, 1, NULL);
}

/* ---- lines ---- */

static __attribute__((format(printf, 1, 2))) void tell(const char *format, ...) {
    char line[LINE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    size_t size = (size_t)length < sizeof line - 2 ? (size_t)length : sizeof line - 2;
    line[size++] = '\n';
    for (size_t done = 0; done < size;) {
        long written = rv_sys_write(native.fd, line + done, size - done);
        if (written == -EINTR) continue;
        if (rv_sys_failed(written)) return;
        done += (size_t)written;
    }
}

/* ---- threads ---- */

static bool is_blocked(const void *user, uint32_t number) {
    (void)user;
    if (number >= native.count) return false;
    const struct thread *thread = &native.threads[number];
    if (!thread->tid || thread->over || __atomic_load_n(&thread->in_monitor, __ATOMIC_ACQUIRE)) return false;
    return rv_native_blocked(thread->tid);
}

static const struct rv_monitor_view view = {is_blocked, NULL};

/* The current thread's number; RV_MONITOR_THREADS: there is no room to watch it. */
static uint32_t self(void) {
    if (self_number) return self_number - 1;
    uint32_t number = __atomic_load_n(&native.count, __ATOMIC_RELAXED);
    if (number >= RV_MONITOR_THREADS) return RV_MONITOR_THREADS;
    native.threads[number].tid = rv_sys_gettid();
    self_number = number + 1;
    native.count = number + 1;
    return number;
}

/* The lock, for the current thread. */
static uint32_t enter(void) {
    if (self_number) __atomic_store_n(&native.threads[self_number - 1].in_monitor, true, __ATOMIC_RELEASE);
    take();
    uint32_t number = self();
    if (number < RV_MONITOR_THREADS) native.threads[number].in_monitor = true;
    return number;
}

static void leave(uint32_t number) {
    if (number < RV_MONITOR_THREADS)
        __atomic_store_n(&native.threads[number].in_monitor, false, __ATOMIC_RELEASE);
    give();
}

bool rv_native_thread(uint32_t *number, const char **name) {
    if (!active() || !self_number) return false;
    *number = self_number - 1;
    *name = native.threads[*number].name[0] ? native.threads[*number].name : NULL;
    return true;
}

/* ---- what happens; with the lock ---- */

static void happen(enum rv_plan_what what, const char *name, uint32_t number) {
    struct rv_moment moment = {what, name, number};
    if (!native.monitor || !native.depth || number >= RV_MONITOR_THREADS) return;
    const struct rv_plan_ordering *against = rv_monitor_happen(native.monitor, &moment, &view);
    if (!against || native.violated) return;
    native.violated = true;
    const struct rv_plan_atom *target = &native.plan->atoms[against->target];
    tell("violated\t%u\t%u\t%s%s%s", against->at, against->length, target->name, target->thread ? "@" : "",
         target->thread ? target->thread : "");
}

static void look(void) {
    if (!native.looks || !native.depth) return;
    for (uint32_t i = 0; i < native.count; i++) {
        bool blocked = is_blocked(NULL, i);
        if (blocked == native.threads[i].blocked) continue;
        native.threads[i].blocked = blocked;
        happen(blocked ? RV_PLAN_BLOCK : RV_PLAN_UNBLOCK, NULL, i);
    }
}

static void give_name(uint32_t number, const char *name) {
    struct thread *thread = &native.threads[number];
    size_t size = strlen(name);
    if (size > sizeof thread->name - 1) size = sizeof thread->name - 1;
    memcpy(thread->name, name, size);
    thread->name[size] = 0;
    if (native.monitor && native.depth) rv_monitor_name(native.monitor, number, thread->name);
    tell("thread\t%u\t%s", number, thread->name);
}

void rv_native_event(const char *name) {
    if (!active()) return;
    int saved_errno = errno;
    uint32_t number = enter();
    look();
    if (native.depth) tell("event\t%u\t%s", number, name);
    happen(RV_PLAN_EVENT, name, number);
    leave(number);
    errno = saved_errno;
}

void rv_native_start(const char *name) {
    if (!active()) return;
    int saved_errno = errno;
    uint32_t number = enter();
    look();
    if (number < RV_MONITOR_THREADS) {
        give_name(number, name);
        if (native.depth) tell("event\t%u\tstart@%s", number, name);
        happen(RV_PLAN_START, NULL, number);
    }
    leave(number);
    errno = saved_errno;
}

/* ---- the life of threads ---- */

struct creation {
    void *(*start)(void *);
    void *argument;
    uint32_t number;
};

static void over(void *unused) {
    (void)unused;
    uint32_t number = enter();
    look();
    if (number < RV_MONITOR_THREADS) {
        struct thread *thread = &native.threads[number];
        if (thread->name[0] && native.depth) tell("event\t%u\tend@%s", number, thread->name);
        happen(RV_PLAN_END, NULL, number);
        thread->over = true;
    }
    leave(number);
}

static void *run(void *data) {
    struct creation creation = *(struct creation *)data;
    void *result;
    free(data);
    self_number = creation.number + 1;
    __atomic_store_n(&native.threads[creation.number].tid, rv_sys_gettid(), __ATOMIC_RELEASE);
    pthread_cleanup_push(over, NULL);
    result = creation.start(creation.argument);
    pthread_cleanup_pop(1);
    return result;
}

int rv_native_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                     void *argument) {
    struct creation *creation = active() ? malloc(sizeof *creation) : NULL;
    if (!creation) return RV_REAL(pthread_create)(thread, attributes, start, argument);
    uint32_t creator = enter(), number = native.count;
    bool watched = number < RV_MONITOR_THREADS;
    if (watched) native.threads[native.count++] = (struct thread){0};
    leave(creator);
    if (!watched) {
        free(creation);
        return RV_REAL(pthread_create)(thread, attributes, start, argument);
    }
    *creation = (struct creation){start, argument, number};
    int error = RV_REAL(pthread_create)(thread, attributes, run, creation);
    if (!error) return 0;
    free(creation);
    native.threads[number].over = true; /* its number is lost */
    return error;
}

/* ---- the test ---- */

bool rv_native_enter(const char *test, uintptr_t sp) {
    if (strcmp(test, native.test) != 0) return false;
    if (!active()) return true;
    uint32_t number = enter();
    if (native.depth++ == 0) {
        native.violated = false;
        native.first_of_test = native.count;
        native.number = number;
        native.sp = sp;
        if (native.monitor) {
            (void)rv_monitor_begin(native.monitor, native.plan);
            for (uint32_t i = 0; i < native.count; i++) native.threads[i].blocked = false;
        }
        tell("begin");
        if (number < RV_MONITOR_THREADS) {
            give_name(number, "main");
            happen(RV_PLAN_START, NULL, number);
        }
    }
    leave(number);
    return true;
}

static void tell_missing(void) {
    uint32_t cursor = 0;
    const struct rv_plan_atom *atom;
    while (native.monitor && (atom = rv_monitor_missing(native.monitor, &cursor))) {
        char count[16] = "";
        if (atom->count > 1) (void)snprintf(count, sizeof count, "#%u", atom->count);
        tell("missing\t%s%s%s%s", atom->name, count, atom->thread ? "@" : "",
             atom->thread ? atom->thread : "");
    }
}

/* With the lock: the test is over. `left`: by its own end, not that of the program. */
static void end(uint32_t number, bool left) {
    look();
    happen(RV_PLAN_END, NULL, number);
    tell_missing();
    for (uint32_t i = native.first_of_test; left && i < native.count; i++)
        if (!native.threads[i].over && i != number) tell("leaked\t%u\t%s", i, native.threads[i].name);
    native.depth = 0;
    tell("end");
}

void rv_native_leave(const char *test) {
    if (!active() || strcmp(test, native.test) != 0) return;
    uint32_t number = enter();
    if (native.depth == 1)
        end(number, true);
    else if (native.depth)
        native.depth--;
    leave(number);
}

void rv_native_unwind(uintptr_t sp) {
    if (!active()) return;
    uint32_t number = enter();
    if (native.depth && number == native.number && sp > native.sp) end(number, false);
    leave(number);
}

static void at_exit(void) {
    if (!active()) return;
    uint32_t number = enter();
    if (native.depth) end(number, false);
    leave(number);
}

const char *rv_native_schedule(void) {
    return native.test && native.depth && native.label[0] ? native.label : NULL;
}

static void escape(char *to, size_t size, const char *text) {
    size_t used = 0;
    for (; *text && used + 3 < size; text++) {
        char plain = *text == '\n' ? 'n' : *text == '\t' ? 't' : *text == '\\' ? '\\' : 0;
        if (plain) to[used++] = '\\';
        to[used++] = plain ? plain : *text;
    }
    to[used] = 0;
}

void rv_native_failed(const char *text) {
    if (!active()) return;
    char escaped[LINE - 16];
    escape(escaped, sizeof escaped, text);
    uint32_t number = enter();
    tell("assert\t%s", escaped);
    leave(number);
}

/* ---- the beginning ---- */

static void *memory_of(size_t size) {
    void *memory = rv_sys_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return rv_sys_failed((long)memory) ? NULL : memory;
}

static bool read_plan(const char *text) {
    static struct rv_arena arena;
    struct rv_plan_error error;
    void *memory = memory_of(ARENA);
    if (!memory) return false;
    rv_arena_init(&arena, memory, ARENA);
    native.plan = rv_plan_parse(&arena, text, &error);
    if (!native.plan) return false;
    native.monitor = memory_of(rv_monitor_size(native.plan));
    for (uint32_t i = 0; i < native.plan->atom_count; i++) {
        enum rv_plan_what what = native.plan->atoms[i].what;
        native.looks |= what == RV_PLAN_BLOCK || what == RV_PLAN_UNBLOCK;
    }
    return native.monitor != NULL;
}

bool rv_native_begin(int fd) {
    const char *test = getenv("RAVEL_TEST_NAME"), *label = getenv("RAVEL_TEST_LABEL");
    const char *plan = getenv("RAVEL_TEST_PLAN");
    if (!test || !test[0]) return false;
    native.fd = fd;
    if (plan && plan[0] && !read_plan(plan)) return false;
    (void)rv_sys_fcntl(fd, F_SETFD, FD_CLOEXEC);
    native.process = rv_sys_getpid();
    native.label = label ? label : "";
    (void)self(); /* the main thread is number 0 */
    (void)atexit(at_exit);
    native.test = test;
    return true;
}
