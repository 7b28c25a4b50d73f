/* Child processes: which there are, waiting for them, and starting other programs.
 *
 * A child runs outside of the campaign. Waiting for one is a scheduler-visible wait (rv_wait_child); when it
 * ends is up to the real world, so a program with children is only as deterministic as they are. A poll
 * (WNOHANG) is therefore patient: it gives the child a moment of real time before it says "not yet", or a
 * loop around it would count thousands of steps for a child that needs a millisecond.
 *
 * Children that an execution leaves behind are killed and reaped before the next one begins. Those started before
 * the snapshot belong to all executions and stay.
 */
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/hooks/child.h"
#include "runtime/hooks/outside.h"

enum { CHILDREN = 256, PATIENCE_LOOKS = 100, LOOK_NS = 100000 };
enum { PATIENCE_OUTSIDE_MS = 20000, PATIENCE_SHARED_MS = 500 };

static struct child {
    pid_t pid;
    bool of_execution;
} children[CHILDREN];
static unsigned child_count;
static int rested; /* moments in which nothing could go on, in this execution */

static int fail_with(int error) {
    errno = error;
    return -1;
}

/* ---- which there are ---- */

void rv_child_prepare(void) {
    if (rv.mode == RV_DETACHED) return;
    rv_signals_expect_children();
    rv_fds_shared();
    rv_note("the program starts child processes; they run outside of ravel's control");
}

void rv_child_started(pid_t pid) {
    if (pid <= 0 || rv.mode == RV_DETACHED) return;
    if (child_count == CHILDREN) {
        rv_note("more than %d child processes at a time: not all of them are ended with their execution",
                CHILDREN);
        return;
    }
    children[child_count++] = (struct child){.pid = pid, .of_execution = rv.mode == RV_CONTROLLED};
}

void rv_child_reaped(pid_t pid) {
    for (unsigned i = 0; i < child_count; i++) {
        if (children[i].pid != pid) continue;
        if (!children[i].of_execution && rv.mode == RV_CONTROLLED)
            rv_need_fork("it waits for a child process that was started before its threads");
        children[i] = children[--child_count];
        return;
    }
}

bool rv_children_alive(void) { return child_count > 0; }

static bool waits_for_outside(void) {
    for (uint32_t i = 0; i < rv.fiber_count; i++)
        if (rv.fibers[i]->state == RV_FIBER_ALIVE && rv.fibers[i]->pending.external) return true;
    return false;
}

/* A semaphore in shared memory, a signal: nothing tells us that it has come but looking again. A child that was
 * forked looks for ever; under control, it is a deadlock after a while. */
bool rv_others_may_act(void) {
    static const struct timespec moment = {.tv_nsec = 1000000};
    bool detached = rv.mode == RV_DETACHED;
    if (!detached && !child_count) return false;
    if (!detached && ++rested > (waits_for_outside() ? PATIENCE_OUTSIDE_MS : PATIENCE_SHARED_MS))
        return false;
    if (!detached && rv.area) rv.area->control.heartbeat++; /* alive: it is others that are slow */
    (void)rv_sys2(SYS_nanosleep, (long)&moment, 0);
    return true;
}

void rv_children_forked(void) { child_count = 0; }

void rv_children_restore(void) {
    unsigned kept = 0;
    for (unsigned i = 0; i < child_count; i++) {
        if (!children[i].of_execution) {
            children[kept++] = children[i];
            continue;
        }
        (void)rv_sys_kill(children[i].pid, SIGKILL);
        while (rv_sys_wait4(children[i].pid, NULL, __WALL, NULL) == -EINTR) continue;
    }
    child_count = kept;
    rested = 0;
    rv_exit_restore();
}

/* ---- waiting ---- */

static bool has_ended(int id_type, id_t id, int options) {
    siginfo_t info = {.si_pid = 0};
    long result = rv_sys6(SYS_waitid, id_type, id, (long)&info, options | WNOHANG | WNOWAIT, 0, 0);
    return rv_sys_failed(result) || info.si_pid != 0;
}

static void be_patient(int id_type, id_t id, int options) {
    static const struct timespec look = {.tv_nsec = LOOK_NS};
    for (int i = 0; i < PATIENCE_LOOKS && !has_ended(id_type, id, options); i++)
        (void)rv_sys2(SYS_nanosleep, (long)&look, 0);
}

/* Waits until waitid would answer. -EINTR: a handler ran instead. */
static int wait_until_ended(int id_type, id_t id, int options, struct rv_pending *pending, uintptr_t site) {
    if (options & WNOHANG) {
        *pending = RV_PENDING(RV_OP_CHILD_WAIT, NULL, site);
        (void)rv_schedule(pending);
        be_patient(id_type, id, options);
        return 0;
    }
    return rv_wait_child(id_type, id, options, site, pending) == RV_SIGNAL ? -EINTR : 0;
}

static void forget_usage(struct rusage *usage) {
    if (usage) memset(usage, 0, sizeof *usage); /* it differs from run to run */
}

pid_t rv_wait_for(pid_t which, int *status, int options, struct rusage *usage, uintptr_t site) {
    int id_type = which == -1 ? P_ALL : which > 0 ? P_PID : P_PGID;
    id_t id = which > 0 ? (id_t)which : which < -1 ? (id_t)-which : 0;
    struct rv_pending pending;
    int own_status = 0;
    long result;
    do {
        result = wait_until_ended(id_type, id, options | WEXITED, &pending, site);
        if (result == 0) result = rv_sys_wait4(which, &own_status, options | WNOHANG, NULL);
    } while (result == 0 && !(options & WNOHANG));
    bool over = result > 0 && (WIFEXITED(own_status) || WIFSIGNALED(own_status));
    if (over) rv_child_reaped((pid_t)result);
    if (result > 0 && status) *status = own_status;
    if (result > 0) forget_usage(usage);
    rv_done(&pending, (uint64_t)own_status, rv_sys_failed(result) ? RV_EVENT_FAILED : 0);
    return (pid_t)rv_result(result);
}

RV_EXPORT pid_t waitpid(pid_t which, int *status, int options) {
    if (rv_passive()) return RV_REAL(waitpid)(which, status, options);
    return rv_wait_for(which, status, options, NULL, RV_SITE());
}

RV_EXPORT pid_t wait(int *status) {
    if (rv_passive()) return RV_REAL(wait)(status);
    return rv_wait_for(-1, status, 0, NULL, RV_SITE());
}

RV_EXPORT pid_t wait3(int *status, int options, struct rusage *usage) {
    if (rv_passive()) return RV_REAL(wait3)(status, options, usage);
    return rv_wait_for(-1, status, options, usage, RV_SITE());
}

RV_EXPORT pid_t wait4(pid_t which, int *status, int options, struct rusage *usage) {
    if (rv_passive()) return RV_REAL(wait4)(which, status, options, usage);
    return rv_wait_for(which, status, options, usage, RV_SITE());
}

RV_EXPORT int waitid(idtype_t id_type, id_t id, siginfo_t *info, int options) {
    if (rv_passive()) return RV_REAL(waitid)(id_type, id, info, options);
    struct rv_pending pending;
    siginfo_t own = {.si_pid = 0};
    long result;
    do {
        result = wait_until_ended((int)id_type, id, options & ~WNOWAIT, &pending, RV_SITE());
        if (result == 0) result = rv_sys6(SYS_waitid, (long)id_type, id, (long)&own, options | WNOHANG, 0, 0);
    } while (result == 0 && own.si_pid == 0 && !(options & WNOHANG));
    bool over = own.si_code == CLD_EXITED || own.si_code == CLD_KILLED || own.si_code == CLD_DUMPED;
    if (result == 0 && own.si_pid && over && !(options & WNOWAIT)) rv_child_reaped(own.si_pid);
    if (result == 0 && info) *info = own;
    rv_done(&pending, (uint64_t)own.si_status, rv_sys_failed(result) ? RV_EVENT_FAILED : 0);
    return (int)rv_result(result);
}

/* ---- starting other programs ---- */

static bool ties_to_campaign(const char *variable) {
    static const char prefix[] = RV_CHANNEL_ENV "=";
    return memcmp(variable, prefix, sizeof prefix - 1) == 0;
}

/* memcmp must not read past the end of a short variable. */
static bool has_prefix_length(const char *variable) { return strlen(variable) >= sizeof RV_CHANNEL_ENV; }

size_t rv_environment_size(char *const *environment) {
    size_t count = 1;
    for (size_t i = 0; environment && environment[i]; i++) count++;
    return count;
}

char *const *rv_environment(char *const *environment, char **room) {
    if (!environment) return environment;
    size_t kept = 0;
    for (size_t i = 0; environment[i]; i++)
        if (!has_prefix_length(environment[i]) || !ties_to_campaign(environment[i]))
            room[kept++] = environment[i];
    room[kept] = NULL;
    return room;
}

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, char *const[], char *const[]);

static int spawn(spawn_function *real, pid_t *pid, const char *path,
                 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                 char *const argv[], char *const environment[], uintptr_t site) {
    struct rv_pending pending = RV_PENDING(RV_OP_FORK, NULL, site);
    (void)rv_schedule(&pending);
    rv_child_prepare();
    char *room[rv_environment_size(environment)];
    pid_t own = 0;
    rv.internal++;
    rv_signals_lend_mask();
    int result = real(&own, path, actions, attributes, argv, rv_environment(environment, room));
    rv_signals_unlend_mask();
    rv.internal--;
    if (result == 0) rv_child_started(own);
    if (result == 0 && pid) *pid = own;
    rv_done(&pending, 0, result ? RV_EVENT_FAILED : 0);
    return result;
}

RV_EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
                          const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *restrict attributes, char *const argv[restrict],
                          char *const environment[restrict]) {
    spawn_function *real = RV_REAL(posix_spawn);
    if (rv_passive()) return real(pid, path, actions, attributes, argv, environment);
    return spawn(real, pid, path, actions, attributes, argv, environment, RV_SITE());
}

RV_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const argv[],
                           char *const environment[]) {
    spawn_function *real = RV_REAL(posix_spawnp);
    if (rv_passive()) return real(pid, file, actions, attributes, argv, environment);
    return spawn(real, pid, file, actions, attributes, argv, environment, RV_SITE());
}

/* The command does not inherit that we ignore or catch INT and QUIT, as with glibc's. */
static int run_command(const char *command, uintptr_t site) {
    posix_spawnattr_t attributes;
    sigset_t defaults;
    (void)posix_spawnattr_init(&attributes);
    rv_signal_set(rv_signal_bit(SIGINT) | rv_signal_bit(SIGQUIT), &defaults);
    (void)posix_spawnattr_setsigdefault(&attributes, &defaults);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    char *const argv[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)command,
                          NULL};
    pid_t pid = 0;
    int error = spawn(RV_REAL(posix_spawn), &pid, "/bin/sh", NULL, &attributes, argv, environ, site);
    if (error == EAGAIN || error == ENOMEM) return fail_with(error);
    if (error) return 127 << 8; /* W_EXITCODE(127, 0): the shell could not be executed */
    int status = 0;
    pid_t waited;
    do waited = rv_wait_for(pid, &status, 0, NULL, site);
    while (waited == -1 && errno == EINTR);
    return waited == pid ? status : -1;
}

RV_EXPORT int system(const char *command) {
    if (rv_passive()) return RV_REAL(system)(command);
    if (!command) return rv_sys2(SYS_access, (long)"/bin/sh", X_OK) == 0;
    return run_command(command, RV_SITE());
}
