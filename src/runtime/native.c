/* Logging of what happens natively, into a file mapped shared (base/migrate_log.h has the layout and why).
 *
 * Order of entries is the order in which their indices were taken. Numbers of threads are given by creation, by a counter
 * in the log, so that they are unique over all processes of a run; a thread that nobody here created (a process's first one)
 * gets its number with its first entry. After a fork the child goes on under the number of the thread that forked: together
 * with the process it is unique.
 */
#include "runtime/native.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/core.h"
#include "runtime/real.h"
#include "runtime/sys.h"

enum { RECORDS = 4096, CLOCKS = 16, PATH_SIZE = 1024, CAPACITY_MAX = 1 << 24 };
#define NS INT64_C(1000000000)

bool rv_native_on;

static struct {
    struct rv_migrate_log *log;
    int64_t scale; /* thousandths */
    int64_t base[CLOCKS];
    int32_t only; /* number of the only test to run; -1: all */
} native = {.scale = 1000, .only = -1};

static __thread uint32_t self __attribute__((tls_model("initial-exec")));

/* A thread between create and its first instruction. Never freed: bounded, later threads are unknown until they act. */
static struct record {
    void *(*start)(void *);
    void *argument;
    uint32_t number, creator;
    pthread_t thread; /* for join */
} records[RECORDS];
static uint32_t record_count;

static uint32_t number_of_self(void) {
    if (!self) self = __atomic_add_fetch(&native.log->threads, 1, __ATOMIC_RELAXED);
    return self;
}

void rv_native_add(enum rv_migrate_type type, int64_t info) {
    if (!native.log) return;
    uint32_t thread = number_of_self();
    uint64_t index = __atomic_fetch_add(&native.log->count, 1, __ATOMIC_ACQ_REL);
    if (index >= native.log->capacity) return;
    struct rv_migrate_entry *entry = &native.log->entries[index];
    entry->time = rv_sys_clock_ns(CLOCK_MONOTONIC);
    entry->info = info;
    entry->process = (uint32_t)rv_sys_getpid();
    entry->thread = thread;
    __atomic_store_n(&entry->type, (uint32_t)type, __ATOMIC_RELEASE);
}

/* ---- time ---- */

static int64_t times(int64_t length, int64_t by, int64_t through) {
    __int128 product = (__int128)length * by / through;
    return product > INT64_MAX ? INT64_MAX : product < INT64_MIN ? INT64_MIN : (int64_t)product;
}

static bool known(clockid_t clock) { return clock >= 0 && clock < CLOCKS && native.base[clock]; }

int64_t rv_native_length(int64_t length) {
    return length < 0 || !rv_native_on ? length : times(length, native.scale, 1000);
}

int rv_native_milliseconds(int length) {
    int64_t scaled = rv_native_length(length);
    return scaled > INT32_MAX ? INT32_MAX : (int)scaled;
}

int64_t rv_native_ns(const struct timespec *length) {
    return length->tv_sec > INT64_MAX / NS - 1 ? INT64_MAX : length->tv_sec * NS + length->tv_nsec;
}

static struct timespec timespec_of(int64_t ns) {
    return (struct timespec){.tv_sec = ns / NS, .tv_nsec = ns % NS};
}

/* Bad values stay as they are: libc shall say so. */
static bool convertible(const struct timespec *time) {
    return rv_native_on && time && time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < NS;
}

const struct timespec *rv_native_interval(const struct timespec *length, struct timespec *room) {
    if (!convertible(length)) return length;
    *room = timespec_of(rv_native_length(rv_native_ns(length)));
    return room;
}

const struct timespec *rv_native_deadline(clockid_t clock, const struct timespec *time,
                                          struct timespec *room) {
    if (!convertible(time) || !known(clock)) return time;
    int64_t base = native.base[clock], ns = rv_native_ns(time);
    if (ns <= base) return time;
    int64_t length = rv_native_length(ns - base);
    *room = timespec_of(length > INT64_MAX - base ? INT64_MAX : base + length);
    return room;
}

int64_t rv_native_clock(clockid_t clock, int64_t real) {
    if (!rv_native_on || !known(clock)) return real;
    int64_t base = native.base[clock];
    return base + times(real - base, 1000, native.scale);
}

void rv_native_left(struct timespec *left) {
    if (convertible(left)) *left = timespec_of(times(rv_native_ns(left), 1000, native.scale));
}

bool rv_native_readable(int fd) {
    if (!rv_native_on) return false;
    struct pollfd ask = {.fd = fd, .events = POLLIN};
    return rv_sys3(SYS_poll, (long)&ask, 1, 0) != 0;
}

/* ---- threads ---- */

static void say_end(const char *unused) {
    (void)unused;
    rv_native_add(RV_MIGRATE_THREAD_END, 0);
}

static void *begin(void *argument) {
    struct record record = *(struct record *)argument;
    self = record.number;
    rv_native_add(RV_MIGRATE_THREAD_BEGIN, record.creator);
    char ended __attribute__((cleanup(say_end), unused)) = 0; /* also by pthread_exit or cancellation */
    return record.start(record.argument);
}

int rv_native_log_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                         void *argument) {
    uint32_t index = __atomic_fetch_add(&record_count, 1, __ATOMIC_RELAXED);
    if (index >= RECORDS) return RV_REAL(pthread_create)(thread, attributes, start, argument);
    struct record *record = &records[index];
    record->start = start;
    record->argument = argument;
    record->creator = number_of_self();
    record->number = __atomic_add_fetch(&native.log->threads, 1, __ATOMIC_RELAXED);
    rv_native_add(RV_MIGRATE_THREAD_START, record->number);
    int result = RV_REAL(pthread_create)(thread, attributes, begin, record);
    if (result == 0) record->thread = *thread;
    return result;
}

int rv_native_join(pthread_t thread, void **result) {
    int status = RV_REAL(pthread_tryjoin_np)(thread, result);
    if (status == EBUSY) status = RV_WAITING(RV_MIGRATE_WAIT_JOIN, RV_REAL(pthread_join)(thread, result));
    uint32_t count = __atomic_load_n(&record_count, __ATOMIC_RELAXED);
    for (uint32_t i = count < RECORDS ? count : RECORDS; status == 0 && i-- > 0;)
        if (records[i].thread == thread) {
            rv_native_add(RV_MIGRATE_JOINED, records[i].number);
            break;
        }
    return status;
}

/* ---- what the instrumented copy calls ---- */

RV_EXPORT int ravel_migrate_step(int statement);
RV_EXPORT int ravel_migrate_enter(int function);
RV_EXPORT void ravel_migrate_leave(const int *function);
RV_EXPORT int ravel_migrate_test(int test);
RV_EXPORT void ravel_migrate_end(const int *test);

static void note_program(void) {
    char *to = native.log->program;
    if (__atomic_load_n(&to[0], __ATOMIC_RELAXED)) return;
    long length = rv_sys3(SYS_readlink, (long)"/proc/self/exe", (long)to, PATH_SIZE - 1);
    if (length > 0) to[length] = '\0';
}

/* Each gives its number back, so that it can stand in a declaration. */
int ravel_migrate_step(int statement) {
    if (rv_native_on) rv_native_add(RV_MIGRATE_STEP, statement);
    return statement;
}

int ravel_migrate_enter(int function) {
    if (rv_native_on) {
        note_program();
        rv_native_add(RV_MIGRATE_ENTER, function);
    }
    return function;
}

void ravel_migrate_leave(const int *function) {
    if (rv_native_on) rv_native_add(RV_MIGRATE_LEAVE, *function);
}

/* A test function begins. Not 0: its body shall not run. */
int ravel_migrate_test(int test) {
    if (!rv_native_on) return 0;
    note_program();
    if (native.only >= 0 && test != native.only) return 1;
    rv_native_add(RV_MIGRATE_TEST_BEGIN, test);
    return 0;
}

void ravel_migrate_end(const int *test) {
    if (rv_native_on && *test >= 0) rv_native_add(RV_MIGRATE_TEST_END, *test);
}

/* ---- begin ---- */

static struct rv_migrate_log *attach(const char *path) {
    long fd = rv_sys_open(path, O_RDWR | O_CLOEXEC, 0);
    if (rv_sys_failed(fd)) return NULL;
    struct rv_migrate_log *found = NULL;
    struct rv_migrate_log header;
    if (rv_sys_pread((int)fd, &header, sizeof header, 0) == (long)sizeof header &&
        header.magic == RV_MIGRATE_LOG_MAGIC && header.capacity <= CAPACITY_MAX &&
        rv_sys_lseek((int)fd, 0, SEEK_END) >= (long)rv_migrate_log_size(header.capacity)) {
        found = rv_sys_mmap(NULL, rv_migrate_log_size(header.capacity), PROT_READ | PROT_WRITE, MAP_SHARED,
                            (int)fd, 0);
        if (rv_sys_failed((long)found)) found = NULL;
    }
    (void)rv_sys_close((int)fd);
    return found;
}

/* Only this program: a command that builds before it runs may use others with libravel in them. */
static void leave_if_skipped(void) {
    const char *skipped = getenv(RV_MIGRATE_SKIP_ENV);
    char path[PATH_SIZE];
    if (!skipped) return;
    long length = rv_sys3(SYS_readlink, (long)"/proc/self/exe", (long)path, PATH_SIZE - 1);
    if (length <= 0) return;
    path[length] = '\0';
    if (strcmp(path, skipped) == 0) rv_sys_exit_group(0);
}

__attribute__((constructor(102))) static void start(void) {
    if (!rv_passive()) return;
    leave_if_skipped();
    const char *path = getenv(RV_MIGRATE_LOG_ENV);
    if (!path || !*path) return;
    native.log = attach(path);
    if (!native.log) return;
    const char *scale = getenv(RV_MIGRATE_SCALE_ENV), *only = getenv(RV_MIGRATE_TEST_ENV);
    if (scale) native.scale = strtol(scale, NULL, 10);
    if (native.scale < 1) native.scale = 1000;
    if (only && *only) native.only = (int32_t)strtol(only, NULL, 10);
    static const clockid_t slowed[] = {CLOCK_REALTIME,        CLOCK_MONOTONIC,        CLOCK_MONOTONIC_RAW,
                                       CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME};
    for (size_t i = 0; i < sizeof slowed / sizeof *slowed; i++)
        native.base[slowed[i]] = rv_sys_clock_ns(slowed[i]);
    rv_native_on = true;
}
