/* Functions of the C and C++ libraries, which have no bitcode: what they do with what their arguments point to.
 *
 * Each has a line in a table: name, result, arguments, and which argument says how many bytes are meant.
 *   result     -: points nowhere; a digit: that argument; m: fresh memory; s: memory of the library's own
 *   arguments  one letter each: r reads, w writes, u does both; . leaves it alone; * repeats the last for all others
 * A function that is in no table may do anything with what its arguments point to, keep it, give it back, and call it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modeller/foreign.h"

/* Sorted when it is first used. */
static struct foreign table[] = {
    /* memory and strings */
    {"memcpy", "0", "wr.", 2},
    {"memmove", "0", "wr.", 2},
    {"mempcpy", "0", "wr.", 2},
    {"memset", "0", "w..", 2},
    {"explicit_bzero", "-", "w.", 1},
    {"bzero", "-", "w.", 1},
    {"bcopy", "-", "rw.", 2},
    {"memcmp", "-", "rr.", 2},
    {"bcmp", "-", "rr.", 2},
    {"memchr", "0", "r..", 2},
    {"memrchr", "0", "r..", 2},
    {"rawmemchr", "0", "r.", -1},
    {"memmem", "0", "r.r.", -1},
    {"memccpy", "0", "wr..", 3},
    {"strlen", "-", "r", -1},
    {"strnlen", "-", "r.", -1},
    {"strcpy", "0", "wr", -1},
    {"stpcpy", "0", "wr", -1},
    {"strncpy", "0", "wr.", -1},
    {"stpncpy", "0", "wr.", -1},
    {"strlcpy", "-", "wr.", -1},
    {"strcat", "0", "ur", -1},
    {"strncat", "0", "ur.", -1},
    {"strcmp", "-", "rr", -1},
    {"strncmp", "-", "rr.", -1},
    {"strcasecmp", "-", "rr", -1},
    {"strncasecmp", "-", "rr.", -1},
    {"strcoll", "-", "rr", -1},
    {"strchr", "0", "r.", -1},
    {"strchrnul", "0", "r.", -1},
    {"strrchr", "0", "r.", -1},
    {"index", "0", "r.", -1},
    {"rindex", "0", "r.", -1},
    {"strstr", "0", "rr", -1},
    {"strcasestr", "0", "rr", -1},
    {"strpbrk", "0", "rr", -1},
    {"strspn", "-", "rr", -1},
    {"strcspn", "-", "rr", -1},
    {"strdup", "m", "r", -1},
    {"strndup", "m", "r.", -1},
    {"strerror", "s", ".", -1},
    {"strerror_r", "1", ".w.", -1},
    {"strsignal", "s", ".", -1},
    {"strtol", "-", "rw.", -1},
    {"strtoll", "-", "rw.", -1},
    {"strtoul", "-", "rw.", -1},
    {"strtoull", "-", "rw.", -1},
    {"strtod", "-", "rw", -1},
    {"strtof", "-", "rw", -1},
    {"strtold", "-", "rw", -1},
    {"atoi", "-", "r", -1},
    {"atol", "-", "r", -1},
    {"atoll", "-", "r", -1},
    {"atof", "-", "r", -1},
    {"swab", "-", "rw.", -1},
    {"wcslen", "-", "r", -1},
    {"wcscpy", "0", "wr", -1},
    {"wmemcpy", "0", "wr.", -1},
    /* the heap */
    {"malloc", "m", ".", -1},
    {"calloc", "m", "..", -1},
    {"valloc", "m", ".", -1},
    {"aligned_alloc", "m", "..", -1},
    {"memalign", "m", "..", -1},
    {"mmap", "m", "......", -1},
    {"mremap", "0", ".....", -1},
    {"sbrk", "m", ".", -1},
    {"alloca", "m", ".", -1},
    {"_Znwm", "m", ".", -1},
    {"_Znam", "m", ".", -1},
    {"_ZnwmRKSt9nothrow_t", "m", "..", -1},
    {"_ZnamRKSt9nothrow_t", "m", "..", -1},
    {"_ZnwmSt11align_val_t", "m", "..", -1},
    {"_ZnamSt11align_val_t", "m", "..", -1},
    {"shmat", "m", "...", -1},
    {"free", "-", ".", -1},
    {"cfree", "-", ".", -1},
    {"_ZdlPv", "-", ".", -1},
    {"_ZdaPv", "-", ".", -1},
    {"_ZdlPvm", "-", "..", -1},
    {"_ZdaPvm", "-", "..", -1},
    {"munmap", "-", "..", -1},
    {"malloc_usable_size", "-", ".", -1},
    {"mprotect", "-", "...", -1},
    {"madvise", "-", "...", -1},
    {"msync", "-", "...", -1},
    /* stdio */
    {"printf", "-", "r*", -1},
    {"puts", "-", "r", -1},
    {"putchar", "-", ".", -1},
    {"putc", "-", "..", -1},
    {"fputc", "-", "..", -1},
    {"fputs", "-", "r.", -1},
    {"fprintf", "-", ".r*", -1},
    {"dprintf", "-", ".r*", -1},
    {"sprintf", "-", "wr*", -1},
    {"snprintf", "-", "w.r*", -1},
    {"vprintf", "-", "rr", -1},
    {"vfprintf", "-", ".rr", -1},
    {"vsprintf", "-", "wrr", -1},
    {"vsnprintf", "-", "w.rr", -1},
    {"perror", "-", "r", -1},
    {"scanf", "-", "rw*", -1},
    {"fscanf", "-", ".rw*", -1},
    {"sscanf", "-", "rrw*", -1},
    {"getchar", "-", "", -1},
    {"getc", "-", ".", -1},
    {"fgetc", "-", ".", -1},
    {"ungetc", "-", "..", -1},
    {"fgets", "0", "w..", 1},
    {"fread", "-", "w...", -1},
    {"fwrite", "-", "r...", -1},
    {"fopen", "m", "rr", -1},
    {"fdopen", "m", ".r", -1},
    {"freopen", "2", "rr.", -1},
    {"popen", "m", "rr", -1},
    {"tmpfile", "m", "", -1},
    {"fclose", "-", ".", -1},
    {"pclose", "-", ".", -1},
    {"fflush", "-", ".", -1},
    {"feof", "-", ".", -1},
    {"ferror", "-", ".", -1},
    {"clearerr", "-", ".", -1},
    {"fileno", "-", ".", -1},
    {"fseek", "-", "...", -1},
    {"fseeko", "-", "...", -1},
    {"ftell", "-", ".", -1},
    {"ftello", "-", ".", -1},
    {"rewind", "-", ".", -1},
    {"setvbuf", "-", "....", -1},
    {"setbuf", "-", "..", -1},
    {"setlinebuf", "-", ".", -1},
    {"flockfile", "-", ".", -1},
    {"funlockfile", "-", ".", -1},
    {"remove", "-", "r", -1},
    {"rename", "-", "rr", -1},
    /* files and descriptors */
    {"open", "-", "r..", -1},
    {"openat", "-", ".r..", -1},
    {"creat", "-", "r.", -1},
    {"close", "-", ".", -1},
    {"read", "-", ".w.", 2},
    {"write", "-", ".r.", 2},
    {"pread", "-", ".w..", 2},
    {"pwrite", "-", ".r..", 2},
    {"readv", "-", ".r.", -1},
    {"writev", "-", ".r.", -1},
    {"lseek", "-", "...", -1},
    {"dup", "-", ".", -1},
    {"dup2", "-", "..", -1},
    {"pipe", "-", "w", -1},
    {"pipe2", "-", "w.", -1},
    {"fcntl", "-", "..u", -1},
    {"ioctl", "-", "..u", -1},
    {"poll", "-", "u..", -1},
    {"ppoll", "-", "u.rr", -1},
    {"select", "-", ".uuuu", -1},
    {"eventfd", "-", "..", -1},
    {"eventfd_read", "-", ".w", -1},
    {"eventfd_write", "-", "..", -1},
    {"timerfd_create", "-", "..", -1},
    {"timerfd_settime", "-", "..rw", -1},
    {"epoll_create", "-", ".", -1},
    {"epoll_create1", "-", ".", -1},
    {"stat", "-", "rw", -1},
    {"fstat", "-", ".w", -1},
    {"lstat", "-", "rw", -1},
    {"access", "-", "r.", -1},
    {"unlink", "-", "r", -1},
    {"rmdir", "-", "r", -1},
    {"mkdir", "-", "r.", -1},
    {"mkstemp", "-", "u", -1},
    {"ftruncate", "-", "..", -1},
    {"truncate", "-", "r.", -1},
    {"fsync", "-", ".", -1},
    {"fdatasync", "-", ".", -1},
    {"chmod", "-", "r.", -1},
    {"fchmod", "-", "..", -1},
    {"getcwd", "0", "w.", 1},
    {"readlink", "-", "rw.", 2},
    {"socket", "-", "...", -1},
    {"socketpair", "-", "...w", -1},
    {"bind", "-", ".r.", -1},
    {"listen", "-", "..", -1},
    {"accept", "-", ".ww", -1},
    {"connect", "-", ".r.", -1},
    {"send", "-", ".r..", 2},
    {"recv", "-", ".w..", 2},
    {"shutdown", "-", "..", -1},
    {"setsockopt", "-", "...r.", -1},
    {"getsockopt", "-", "...ww", -1},
    {"fchown", "-", "...", -1},
    {"chown", "-", "r..", -1},
    {"lchown", "-", "r..", -1},
    {"system", "-", "r", -1},
    {"isatty", "-", ".", -1},
    {"utime", "-", "rr", -1},
    {"utimes", "-", "rr", -1},
    {"futimens", "-", ".r", -1},
    {"getrusage", "-", ".w", -1},
    {"opendir", "m", "r", -1},
    {"fdopendir", "m", ".", -1},
    {"readdir", "s", ".", -1},
    {"rewinddir", "-", ".", -1},
    {"closedir", "-", ".", -1},
    {"dirfd", "-", ".", -1},
    {"symlink", "-", "rr", -1},
    {"link", "-", "rr", -1},
    {"chdir", "-", "r", -1},
    {"fchdir", "-", ".", -1},
    {"getpwuid", "s", ".", -1},
    {"getpwnam", "s", "r", -1},
    {"realpath", "1", "rw", -1},
    {"strtok_r", "0", "ur.", -1},
    {"fallocate", "-", "....", -1},
    {"posix_fallocate", "-", "...", -1},
    {"posix_fadvise", "-", "....", -1},
    {"sync", "-", "", -1},
    {"recvfrom", "-", ".w..ww", 2},
    {"sendto", "-", ".r..r.", 2},
    {"recvmsg", "-", ".u.", -1},
    {"sendmsg", "-", ".r.", -1},
    {"epoll_ctl", "-", "...r", -1},
    {"epoll_wait", "-", ".w..", -1},
    {"timerfd_gettime", "-", ".w", -1},
    {"signalfd", "-", ".r.", -1},
    {"inotify_init", "-", "", -1},
    {"execv", "-", "rr", -1},
    {"execvp", "-", "rr", -1},
    {"execve", "-", "rrr", -1},
    {"uname", "-", "w", -1},
    {"gethostname", "-", "w.", -1},
    {"sysinfo", "-", "w", -1},
    {"getrlimit", "-", ".w", -1},
    {"setrlimit", "-", ".r", -1},
    {"frexp", "-", ".w", -1},
    {"modf", "-", ".w", -1},
    {"asctime", "s", "r", -1},
    {"ctime", "s", "r", -1},
    /* time, process, environment */
    {"time", "-", "w", -1},
    {"clock", "-", "", -1},
    {"clock_gettime", "-", ".w", -1},
    {"clock_getres", "-", ".w", -1},
    {"gettimeofday", "-", "ww", -1},
    {"nanosleep", "-", "rw", -1},
    {"clock_nanosleep", "-", "..rw", -1},
    {"thrd_sleep", "-", "rw", -1},
    {"sleep", "-", ".", -1},
    {"usleep", "-", ".", -1},
    {"localtime", "s", "r", -1},
    {"gmtime", "s", "r", -1},
    {"localtime_r", "1", "rw", -1},
    {"gmtime_r", "1", "rw", -1},
    {"mktime", "-", "u", -1},
    {"strftime", "-", "w.rr", -1},
    {"difftime", "-", "..", -1},
    {"timespec_get", "-", "w.", -1},
    {"getenv", "s", "r", -1},
    {"secure_getenv", "s", "r", -1},
    {"setenv", "-", "rr.", -1},
    {"exit", "-", ".", -1},
    {"_exit", "-", ".", -1},
    {"_Exit", "-", ".", -1},
    {"quick_exit", "-", ".", -1},
    {"abort", "-", "", -1},
    {"assert_fail", "-", "rr.r", -1},
    {"getpid", "-", "", -1},
    {"getppid", "-", "", -1},
    {"gettid", "-", "", -1},
    {"getuid", "-", "", -1},
    {"geteuid", "-", "", -1},
    {"fork", "-", "", -1},
    {"wait", "-", "w", -1},
    {"waitpid", "-", ".w.", -1},
    {"kill", "-", "..", -1},
    {"raise", "-", ".", -1},
    {"alarm", "-", ".", -1},
    {"pause", "-", "", -1},
    {"setitimer", "-", ".rw", -1},
    {"timer_settime", "-", "..rw", -1},
    {"timer_delete", "-", ".", -1},
    {"sigemptyset", "-", "w", -1},
    {"sigfillset", "-", "w", -1},
    {"sigaddset", "-", "u.", -1},
    {"sigdelset", "-", "u.", -1},
    {"sigismember", "-", "r.", -1},
    {"sigprocmask", "-", ".rw", -1},
    {"sigwait", "-", "rw", -1},
    {"sigtimedwait", "-", "rwr", -1},
    {"sigwaitinfo", "-", "rw", -1},
    {"sigsuspend", "-", "r", -1},
    {"sigqueue", "-", "...", -1},
    {"sysconf", "-", ".", -1},
    {"getpagesize", "-", "", -1},
    {"rand", "-", "", -1},
    {"srand", "-", ".", -1},
    {"rand_r", "-", "u", -1},
    {"random", "-", "", -1},
    {"srandom", "-", ".", -1},
    {"getrandom", "-", "w..", 1},
    {"abs", "-", ".", -1},
    {"labs", "-", ".", -1},
    {"errno_location", "s", "", -1},
    {"ctype_b_loc", "s", "", -1},
    {"ctype_tolower_loc", "s", "", -1},
    {"ctype_toupper_loc", "s", "", -1},
    {"tolower", "-", ".", -1},
    {"toupper", "-", ".", -1},
    {"isalnum", "-", ".", -1},
    {"isalpha", "-", ".", -1},
    {"isdigit", "-", ".", -1},
    {"isspace", "-", ".", -1},
    {"isprint", "-", ".", -1},
    {"isupper", "-", ".", -1},
    {"islower", "-", ".", -1},
    {"setjmp", "-", ".", -1},
    {"_setjmp", "-", ".", -1},
    {"sigsetjmp", "-", "..", -1},
    {"longjmp", "-", "..", -1},
    {"siglongjmp", "-", "..", -1},
    {"syscall", "-", ".u*", -1},
    {"memfd_create", "-", "r.", -1},
    {"membarrier", "-", "...", -1},
    {"dlopen", "s", "r.", -1},
    {"dlclose", "-", ".", -1},
    {"dlerror", "s", "", -1},
    {"getopt", "-", "...", -1},
    {"setlocale", "s", ".r", -1},
    /* threads */
    {"pthread_join", "-", "..", -1},
    {"pthread_detach", "-", ".", -1},
    {"pthread_self", "-", "", -1},
    {"pthread_equal", "-", "..", -1},
    {"pthread_cancel", "-", ".", -1},
    {"pthread_kill", "-", "..", -1},
    {"pthread_sigqueue", "-", "...", -1},
    {"pthread_testcancel", "-", "", -1},
    {"pthread_setname_np", "-", "..", -1},
    {"pthread_getname_np", "-", "...", -1},
    {"pthread_yield", "-", "", -1},
    {"sched_yield", "-", "", -1},
    {"sched_getcpu", "-", "", -1},
    {"sched_setaffinity", "-", "..r", -1},
    {"sched_getaffinity", "-", "..w", -1},
    {"sched_setscheduler", "-", "..r", -1},
    {"sched_getscheduler", "-", ".", -1},
    {"sched_setparam", "-", ".r", -1},
    {"sched_getparam", "-", ".w", -1},
    {"sched_get_priority_max", "-", ".", -1},
    {"sched_get_priority_min", "-", ".", -1},
    {"sched_rr_get_interval", "-", ".w", -1},
    {"sem_init", "-", "...", -1},
    {"sem_destroy", "-", ".", -1},
    {"sem_wait", "-", ".", -1},
    {"sem_trywait", "-", ".", -1},
    {"sem_timedwait", "-", ".r", -1},
    {"sem_clockwait", "-", "..r", -1},
    {"sem_post", "-", ".", -1},
    {"sem_getvalue", "-", ".w", -1},
    {"sem_open", "s", "r...", -1},
    {"sem_close", "-", ".", -1},
    {"sem_unlink", "-", "r", -1},
    {"thrd_yield", "-", "", -1},
    {"thrd_current", "-", "", -1},
    {"thrd_equal", "-", "..", -1},
    {"thrd_detach", "-", ".", -1},
    {"thrd_join", "-", ".w", -1},
    {"pthread_setcancelstate", "-", ".w", -1},
    {"pthread_setcanceltype", "-", ".w", -1},
    {"pthread_sigmask", "-", ".rw", -1},
    {"pthread_key_delete", "-", ".", -1},
    {"pthread_setspecific", "-", "..", -1},
    {"pthread_getspecific", "-", ".", -1},
    {"pthread_exit", "-", ".", -1},
    {"thrd_exit", "-", ".", -1},
    {"pthread_register_cancel", "-", ".", -1},
    {"pthread_unregister_cancel", "-", ".", -1},
    {"pthread_unwind_next", "-", ".", -1},
    {"tss_delete", "-", ".", -1},
    {"tss_get", "-", ".", -1},
    {"tss_set", "-", "..", -1},
    /* C++ */
    {"cxa_guard_acquire", "-", "u", -1},
    {"cxa_guard_release", "-", "w", -1},
    {"cxa_guard_abort", "-", ".", -1},
    {"cxa_allocate_exception", "m", ".", -1},
    {"cxa_free_exception", "-", ".", -1},
    {"cxa_throw", "-", "...", -1},
    {"cxa_rethrow", "-", "", -1},
    {"cxa_begin_catch", "-", ".", -1},
    {"cxa_end_catch", "-", "", -1},
    {"cxa_call_unexpected", "-", ".", -1},
    {"clang_call_terminate", "-", ".", -1},
    {"_ZSt9terminatev", "-", "", -1},
    {"_ZSt20__throw_system_errori", "-", ".", -1},
    {"_ZSt17__throw_bad_allocv", "-", "", -1},
    {"_ZSt20__throw_length_errorPKc", "-", "r", -1},
    {"_ZSt28__throw_bad_array_new_lengthv", "-", "", -1},
    {"_ZSt19__throw_logic_errorPKc", "-", "r", -1},
    {"_ZSt25__throw_bad_function_callv", "-", "", -1},
    {"gxx_personality_v0", "-", "....", -1},
    {"_ZNSt6thread4joinEv", "-", ".", -1},
    {"_ZNSt6thread6detachEv", "-", ".", -1},
    {"_ZNSt6thread20hardware_concurrencyEv", "-", "", -1},
    {"_ZNSt6thread6_StateD2Ev", "-", ".", -1},
    {"_ZNSt18condition_variableC1Ev", "-", ".", -1},
    {"_ZNSt18condition_variableD1Ev", "-", ".", -1},
    {"_ZNSt18condition_variable10notify_oneEv", "-", ".", -1},
    {"_ZNSt18condition_variable10notify_allEv", "-", ".", -1},
    {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", "-", "..", -1},
};

/* Prefixes of whole families that only synchronise: names that belong to the C and C++ libraries, or to ravel. */
static const char *const harmless_families[] = {
    "pthread_mutex",
    "pthread_cond",
    "pthread_rwlock",
    "pthread_spin",
    "pthread_barrier",
    "pthread_attr",
    "mtx_",
    "cnd_",
    "ravel__",
    "pthread_setaff",
    "pthread_getaff",
    "_ZNSt15__exception_ptr",
    "_ZNKSt15__exception_ptr",
    "_ZNSt6chrono",
    "_ZSt20__throw",
    "_ZSt19__throw",
    "_ZSt17__throw",
    "_ZSt24__throw",
    "_ZSt25__throw",
    "_ZSt28__throw",
    "_ZSt16__throw",
    "cxa_pure_virtual",
    "_ZNSt6thread6_State",
    "_ZSt17rethrow_exception",
    "_ZSt17current_exception",
    "_ZNSt18condition_variable",
    NULL,
};

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct foreign *)a)->name, ((const struct foreign *)b)->name);
}

bool rm_begins(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* "__isoc99_sscanf" and "__strcpy_chk" are sscanf and strcpy. */
const char *rm_foreign_name(const char *name, char *room, size_t size) {
    if (rm_begins(name, "\1")) name++;
    if (rm_begins(name, "__isoc99_")) name += strlen("__isoc99_");
    if (rm_begins(name, "__isoc23_")) name += strlen("__isoc23_");
    if (rm_begins(name, "__xpg_")) name += strlen("__xpg_");
    if (rm_begins(name, "__gthrw___")) name += strlen("__gthrw_");
    if (rm_begins(name, "__gthrw_")) name += strlen("__gthrw_");
    if (rm_begins(name, "__builtin_")) name += strlen("__builtin_");
    while (name[0] == '_' && name[1] == '_' && name[2] && name[2] != 'Z') name += 2;
    snprintf(room, size, "%s", name);
    size_t length = strlen(room);
    static const char *const ends[] = {"_chk", "_unlocked", "64", NULL};
    for (const char *const *end = ends; *end; end++)
        if (length > strlen(*end) && strcmp(room + length - strlen(*end), *end) == 0)
            room[length -= strlen(*end)] = '\0';
    return room;
}

const struct foreign *rm_foreign_find(const char *name) {
    static bool sorted;
    if (!sorted) qsort(table, sizeof table / sizeof table[0], sizeof table[0], by_name);
    sorted = true;
    struct foreign wanted = {.name = name};
    return bsearch(&wanted, table, sizeof table / sizeof table[0], sizeof table[0], by_name);
}

bool rm_foreign_is_harmless(const char *name) {
    for (const char *const *family = harmless_families; *family; family++)
        if (rm_begins(name, *family)) return true;
    return false;
}

bool rm_foreign_gives_memory(const char *name) {
    char room[256];
    const struct foreign *foreign = rm_foreign_find(rm_foreign_name(name, room, sizeof room));
    return (foreign && foreign->result[0] == 'm') || strcmp(room, "realloc") == 0 ||
           strcmp(room, "reallocarray") == 0;
}

const char *rm_foreign_sync(const char *name, int *object) {
    static const struct {
        const char *name, *word;
        int object;
    } words[] = {
        {"pthread_mutex_lock", "lock", 0},
        {"pthread_mutex_unlock", "unlock", 0},
        {"pthread_mutex_trylock", "trylock", 0},
        {"pthread_mutex_timedlock", "trylock", 0},
        {"pthread_mutex_clocklock", "trylock", 0},
        {"pthread_spin_lock", "lock", 0},
        {"pthread_spin_unlock", "unlock", 0},
        {"pthread_spin_trylock", "trylock", 0},
        {"mtx_lock", "lock", 0},
        {"mtx_unlock", "unlock", 0},
        {"mtx_trylock", "trylock", 0},
        {"mtx_timedlock", "trylock", 0},
        {"pthread_rwlock_rdlock", "rdlock", 0},
        {"pthread_rwlock_wrlock", "wrlock", 0},
        {"pthread_rwlock_unlock", "unlock", 0},
        {"pthread_rwlock_tryrdlock", "trylock", 0},
        {"pthread_rwlock_trywrlock", "trylock", 0},
        {"pthread_rwlock_timedrdlock", "trylock", 0},
        {"pthread_rwlock_timedwrlock", "trylock", 0},
        {"sem_wait", "semwait", 0},
        {"sem_trywait", "trywait", 0},
        {"sem_timedwait", "trywait", 0},
        {"sem_post", "post", 0},
        {"pthread_cond_wait", "wait", 1},
        {"pthread_cond_timedwait", "wait", 1},
        {"pthread_cond_clockwait", "wait", 1},
        {"cnd_wait", "wait", 1},
        {"cnd_timedwait", "wait", 1},
        {"pthread_cond_signal", "signal", 0},
        {"pthread_cond_broadcast", "broadcast", 0},
        {"cnd_signal", "signal", 0},
        {"cnd_broadcast", "broadcast", 0},
        {"pthread_barrier_wait", "barrier", 0},
        {"pthread_create", "create", -1},
        {"thrd_create", "create", -1},
        {"pthread_join", "join", -1},
        {"thrd_join", "join", -1},
        {"pthread_once", "once", 0},
        {"call_once", "once", 0},
    };
    char room[256];
    rm_foreign_name(name, room, sizeof room);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(room, words[i].name) == 0) {
            *object = words[i].object;
            return words[i].word;
        }
    return NULL;
}

/* Those that call, keep or give back, and so have code below. */
static bool has_own_code(const char *name) {
    static const char *const names[] = {"pthread_create",
                                        "thrd_create",
                                        "pthread_once",
                                        "call_once",
                                        "pthread_key_create",
                                        "tss_create",
                                        "atexit",
                                        "at_quick_exit",
                                        "on_exit",
                                        "cxa_atexit",
                                        "cxa_thread_atexit",
                                        "qsort",
                                        "qsort_r",
                                        "bsearch",
                                        "signal",
                                        "sigaction",
                                        "timer_create",
                                        "mq_notify",
                                        "realloc",
                                        "reallocarray",
                                        "posix_memalign",
                                        "pthread_cleanup_push",
                                        "sigset",
                                        "pthread_atfork",
                                        "register_atfork",
                                        "getline",
                                        "getdelim",
                                        "asprintf",
                                        "vasprintf",
                                        "strtok",
                                        NULL};
    for (const char *const *at = names; *at; at++)
        if (strcmp(name, *at) == 0) return true;
    return false;
}

char rm_foreign_use(LLVMValueRef call, LLVMValueRef function, unsigned argument, uint64_t *size) {
    char room[256];
    const char *name = rm_foreign_name(LLVMGetValueName(function), room, sizeof room);
    const struct foreign *foreign = rm_foreign_find(name);
    *size = 0;
    if (!foreign) {
        if (strcmp(name, "qsort") == 0 || strcmp(name, "qsort_r") == 0) return argument == 0 ? 'u' : '.';
        if (strcmp(name, "bsearch") == 0) return '.';
        if (strcmp(name, "posix_memalign") == 0) return argument == 0 ? 'w' : '.';
        if (strcmp(name, "getline") == 0 || strcmp(name, "getdelim") == 0) return argument < 2 ? 'u' : '.';
        if (strcmp(name, "asprintf") == 0 || strcmp(name, "vasprintf") == 0) return argument == 0 ? 'w' : 'r';
        if (strcmp(name, "sigaction") == 0) return argument == 1 ? 'r' : argument == 2 ? 'w' : '.';
        if (strcmp(name, "timer_create") == 0) return argument == 1 ? 'r' : argument == 2 ? 'w' : '.';
        if (strcmp(name, "pthread_create") == 0 || strcmp(name, "thrd_create") == 0 ||
            strcmp(name, "pthread_key_create") == 0)
            return argument == 0 ? 'w' : '.';
        return rm_foreign_is_harmless(name) || has_own_code(name) ? '.' : 'u';
    }
    const char *star = strchr(foreign->arguments, '*');
    size_t count = star ? (size_t)(star - foreign->arguments) : strlen(foreign->arguments);
    char use = argument < count ? foreign->arguments[argument]
               : star && count  ? foreign->arguments[count - 1]
                                : '.';
    if (foreign->size_argument >= 0 && (unsigned)foreign->size_argument < LLVMGetNumArgOperands(call)) {
        LLVMValueRef number = LLVMGetOperand(call, (unsigned)foreign->size_argument);
        if (LLVMIsAConstantInt(number)) *size = LLVMConstIntGetZExtValue(number);
    }
    return use;
}
