/* Starting workers.
 *
 * Everything about a worker's surroundings that could make two executions differ is settled here, before and
 * between clone and exec: address space randomisation off (where the system lets us), standard input at its first byte,
 * signal handlers and mask as a shell would give them, the channel on a high descriptor so that the
 * program's own descriptors have the numbers they would have without ravel. A worker is in a process group
 * of its own: Ctrl-C reaches the supervisor only, which then asks the workers to end; and it dies with
 * the supervisor.
 *
 * Captured output goes to a memory file and not through a pipe, since a write to a full pipe blocks: when
 * the supervisor happens to read would become part of the schedule.
 */
#include "supervisor/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/text.h"
#include "supervisor/util.h"

enum { PAGE = 4096, CAPTURE_LIMIT = 16 << 20 };

bool rv_channel_open(struct rv_channel *channel, const struct rv_config *config, char **error) {
    uint64_t area_size = (sizeof(struct rv_area) + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    *channel = (struct rv_channel){.fd = -1, .size = rv_channel_size(config->workers, area_size)};
    _Static_assert(sizeof(struct rv_shared) <= RV_HEADER_SIZE, "the header has its place");
    channel->fd = memfd_create("ravel", MFD_CLOEXEC);
    if (channel->fd < 0 || ftruncate(channel->fd, (off_t)channel->size) != 0) {
        *error = rv_text_format("no memory to share with workers: %s", strerror(errno));
        rv_channel_close(channel);
        return false;
    }
    void *memory = mmap(NULL, channel->size, PROT_READ | PROT_WRITE, MAP_SHARED, channel->fd, 0);
    if (memory == MAP_FAILED) {
        *error = rv_text_format("no address space for %u workers: %s", config->workers, strerror(errno));
        rv_channel_close(channel);
        return false;
    }
    channel->shared = memory;
    channel->shared->magic = RV_PROTOCOL_MAGIC;
    channel->shared->version = RV_PROTOCOL_VERSION;
    channel->shared->area_size = area_size;
    channel->shared->config = *config;
    return true;
}

void rv_channel_close(struct rv_channel *channel) {
    if (channel->shared) munmap(channel->shared, channel->size);
    if (channel->fd >= 0) close(channel->fd);
    *channel = (struct rv_channel){.fd = -1};
}

bool rv_capture_open(struct rv_capture *capture) {
    memset(capture, 0, sizeof *capture);
    capture->fd = memfd_create("ravel-output", MFD_CLOEXEC);
    return capture->fd >= 0;
}

void rv_capture_trim(struct rv_capture *capture) {
    struct stat status;
    if (capture->fd < 0 || fstat(capture->fd, &status) != 0 || status.st_size < CAPTURE_LIMIT) return;
    if (capture->dropped == 0) {
        ssize_t head = pread(capture->fd, capture->head, sizeof capture->head, 0);
        capture->head_size = head > 0 ? (size_t)head : 0;
    }
    ssize_t tail =
        pread(capture->fd, capture->tail, sizeof capture->tail, status.st_size - (off_t)sizeof capture->tail);
    capture->tail_size = tail > 0 ? (size_t)tail : 0;
    capture->dropped += (uint64_t)status.st_size;
    if (ftruncate(capture->fd, 0) != 0) capture->tail_size = 0;
}

char *rv_capture_text(struct rv_capture *capture) {
    struct rv_text text = {0};
    struct stat status;
    if (capture->fd < 0 || fstat(capture->fd, &status) != 0) return rv_text_take(&text);
    char buffer[sizeof capture->head + sizeof capture->tail];
    uint64_t size = (uint64_t)status.st_size;
    if (capture->dropped == 0 && size <= sizeof buffer) {
        ssize_t got = pread(capture->fd, buffer, sizeof buffer, 0);
        rv_text_add_n(&text, buffer, got > 0 ? (size_t)got : 0);
        return rv_text_take(&text);
    }
    if (capture->dropped == 0) {
        ssize_t head = pread(capture->fd, capture->head, sizeof capture->head, 0);
        capture->head_size = head > 0 ? (size_t)head : 0;
    }
    uint64_t fresh = size < sizeof capture->tail ? size : sizeof capture->tail;
    ssize_t got = pread(capture->fd, buffer, fresh, (off_t)(size - fresh));
    size_t old =
        sizeof capture->tail - fresh < capture->tail_size ? sizeof capture->tail - fresh : capture->tail_size;
    rv_text_add_n(&text, capture->head, capture->head_size);
    rv_text_addf(&text, "\n[... %llu bytes left out ...]\n",
                 (unsigned long long)(capture->dropped + size - capture->head_size - fresh - old));
    rv_text_add_n(&text, capture->tail + capture->tail_size - old, old);
    rv_text_add_n(&text, buffer, got > 0 ? (size_t)got : 0);
    return rv_text_take(&text);
}

void rv_capture_close(struct rv_capture *capture) {
    if (capture->fd >= 0) close(capture->fd);
    capture->fd = -1;
}

/* A descriptor of our own as a new open file (own offset), at `to`. */
static bool reopen(int fd, int flags, int to) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int fresh = open(path, flags);
    if (fresh < 0) {
        fresh = dup(fd);
        if (fresh >= 0 && (flags & O_ACCMODE) == O_RDONLY) lseek(fresh, 0, SEEK_SET);
    }
    if (fresh < 0) return false;
    if (fresh != to) {
        dup2(fresh, to);
        close(fresh);
    }
    return true;
}

static void place_streams(const struct rv_program *program, const struct rv_streams *streams) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (program->input < 0 || !reopen(program->input, O_RDONLY, 0)) dup2(null, 0);
    switch (streams->way) {
    case RV_STREAM_PASS:
        if (streams->errors_only) dup2(2, 1);
        break;
    case RV_STREAM_CAPTURE:
        if (reopen(streams->capture->fd, O_WRONLY | O_APPEND, 1)) {
            dup2(1, 2);
            break;
        }
        /* fall through */
    case RV_STREAM_DISCARD:
        dup2(null, 1);
        dup2(null, 2);
        break;
    }
    if (null > 2) close(null);
}

static void default_signals(void) {
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A copy of the descriptor with a high number, which survives exec. */
static int high_copy(int fd) {
    struct rlimit limit = {.rlim_cur = 256};
    getrlimit(RLIMIT_NOFILE, &limit);
    int lowest = limit.rlim_cur > 1016 ? 1000 : (int)limit.rlim_cur - 16;
    return fcntl(fd, F_DUPFD, lowest < 3 ? 3 : lowest);
}

/* ---- the environment of a process that is to be ---- */

enum { OWN = 12 };
#define MEMORY_FILES "/dev/shm"

struct environment {
    char **list; /* ended by NULL; the texts are others', but for those of `own` */
    size_t count;
    char *own[OWN];
    size_t own_count;
    char number[64]; /* NAME=FD..., written when the descriptor is known */
};

static bool is_same_name(const char *one, const char *other) {
    size_t length = (size_t)(strchrnul(one, '=') - one);
    return strncmp(one, other, length) == 0 && other[length] == '=';
}

/* "NAME=value", which must stay; anything else is none. */
static void env_put(struct environment *env, char *entry) {
    size_t at = 0;
    if (!strchr(entry, '=')) return;
    while (at < env->count && !is_same_name(entry, env->list[at])) at++;
    env->list[at] = entry;
    if (at == env->count) env->count++;
}

static void env_set(struct environment *env, const char *name, const char *value) {
    if (env->own_count == OWN) return;
    char *entry = rv_text_format("%s=%s", name, value);
    env->own[env->own_count++] = entry;
    env_put(env, entry);
}

static const char *env_get(const struct environment *env, const char *name) {
    for (size_t i = 0; i < env->count; i++)
        if (is_same_name(name, env->list[i])) return strchr(env->list[i], '=') + 1;
    return NULL;
}

static size_t length_of(char *const *list) {
    size_t count = 0;
    while (list && list[count]) count++;
    return count;
}

/* Ours, and on top of it the program's. */
static void env_open(struct environment *env, const struct rv_program *program) {
    size_t count = length_of(environ), more = length_of(program->env);
    *env = (struct environment){.count = count};
    env->list = rv_allocate((count + more + OWN + 2) * sizeof *env->list);
    if (count) memcpy(env->list, environ, count * sizeof *env->list);
    for (size_t i = 0; i < more; i++) env_put(env, program->env[i]);
}

static void env_close(struct environment *env) {
    for (size_t i = 0; i < env->own_count; i++) free(env->own[i]);
    free(env->list);
}

/* Where a process is to find what it needs: with a channel as a worker, else natively. */
struct surroundings {
    const struct rv_program *program;
    const struct rv_streams *streams;
    const struct rv_channel *channel;
    unsigned index;
    const struct rv_native *native;
};

static void env_of_worker(struct environment *env, const struct surroundings *around) {
    const struct rv_program *program = around->program;
    const struct rv_config *config = &around->channel->shared->config;
    env_set(env, "LD_BIND_NOW",
            "1"); /* what is bound before the snapshot is bound once; start.c takes it away */
    if (config->test[0] || config->early) {
        /* frameworks: tests in this process, and an end that is seen, where libravel cannot do it */
        if (!env_get(env, "CK_FORK")) env_set(env, "CK_FORK", "no");
        if (!env_get(env, "CMOCKA_TEST_ABORT")) env_set(env, "CMOCKA_TEST_ABORT", "1");
        /* Check makes a file there for each of its tests, and removes it at once: a disk can take longer for that than
         * all else does */
        if (!env_get(env, "TEMP") && access(MEMORY_FILES, W_OK | X_OK) == 0)
            env_set(env, "TEMP", MEMORY_FILES);
    }
    if (program->instrumented) return;
    const char *old = env_get(env, "LD_PRELOAD");
    char *list =
        old && *old ? rv_text_format("%s:%s", program->library, old) : rv_text_copy(program->library);
    env_set(env, "LD_PRELOAD", list);
    free(list);
}

static void env_make(struct environment *env, const struct surroundings *around) {
    const struct rv_native *native = around->native;
    env_open(env, around->program);
    if (!native) env_of_worker(env, around);
    for (size_t i = 0; native && native->env && native->env[i]; i += 2)
        env_set(env, native->env[i], native->env[i + 1]);
    snprintf(env->number, sizeof env->number, "%s=", native ? RV_TESTS_ENV : RV_CHANNEL_ENV);
    if (!native || native->mode) env_put(env, env->number);
}

/* ---- becoming the program ---- */

/* Tells the runtime where the channel is, or where to tell of tests. */
static bool hand_over(struct environment *env, const struct surroundings *around) {
    const struct rv_native *native = around->native;
    if (native && !native->mode) return true;
    int fd = high_copy(native ? native->fd : around->channel->fd);
    char *value = strchr(env->number, '=') + 1;
    size_t room = sizeof env->number - (size_t)(value - env->number);
    if (native)
        snprintf(value, room, "%s:%d", native->mode, fd);
    else
        snprintf(value, room, "%d:%03u", fd, around->index); /* as long for each: it moves the stack */
    return fd >= 0;
}

/* Right before exec; allocates nothing. Returns errno of what did not work. */
static int prepare(struct environment *env, const struct surroundings *around) {
    if (around->program->directory && chdir(around->program->directory) != 0) return errno;
    if (!hand_over(env, around)) return errno;
    default_signals();
    if (around->native) return 0;
    int old = personality(0xffffffff);
    if (old >= 0) personality((unsigned long)old | ADDR_NO_RANDOMIZE); /* refused in some containers: fine */
    return 0;
}

struct birth {
    const struct surroundings *around;
    struct environment env;
    pid_t parent;
    int problem; /* errno of what did not work */
};

/* In the new process, on our memory: what it does there is seen here. */
static int be_born(void *data) {
    struct birth *birth = data;
    const struct rv_program *program = birth->around->program;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != birth->parent) return 127;
    place_streams(program, birth->around->streams);
    birth->problem = prepare(&birth->env, birth->around);
    if (birth->problem) return 127;
    execve(program->path, program->argv, birth->env.list);
    birth->problem = errno;
    return 127;
}

/* The new process; 0: *error. It shares our memory until it is the program, and we wait for that: copying our memory for the
 * moment between would take longer than all that it does there. No signal is handled there. */
static pid_t start(const struct surroundings *around, char **error) {
    enum { STACK = 1 << 16 };
    struct birth birth = {.around = around, .parent = getpid()};
    sigset_t all, before;
    char *stack = rv_allocate(STACK);
    env_make(&birth.env, around);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t pid = clone(be_born, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, &birth);
    if (pid < 0) birth.problem = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (pid > 0 && birth.problem)
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
    env_close(&birth.env);
    free(stack);
    if (birth.problem)
        *error = rv_text_format("%s: cannot be executed: %s", around->program->name, strerror(birth.problem));
    return birth.problem ? 0 : pid;
}

bool rv_worker_start(struct rv_worker *worker, const struct rv_program *program,
                     const struct rv_channel *channel, const struct rv_streams *streams, char **error) {
    struct surroundings around = {program, streams, channel, worker->index, NULL};
    worker->pid = start(&around, error);
    return worker->pid != 0;
}

bool rv_native_start(struct rv_worker *worker, const struct rv_program *program,
                     const struct rv_native *native, const struct rv_streams *streams, char **error) {
    struct surroundings around = {program, streams, NULL, 0, native};
    worker->pid = start(&around, error);
    return worker->pid != 0;
}

bool rv_worker_dead(struct rv_worker *worker, struct rv_death *death) {
    int status;
    if (worker->pid == 0 || waitpid(worker->pid, &status, WNOHANG) != worker->pid) return false;
    kill(-worker->pid, SIGKILL); /* children it forked, if any */
    worker->pid = 0;
    *death = (struct rv_death){.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                               .status = WIFEXITED(status) ? WEXITSTATUS(status) : -1};
    return true;
}

void rv_worker_kill(struct rv_worker *worker) {
    if (worker->pid == 0) return;
    kill(-worker->pid, SIGKILL);
    kill(worker->pid, SIGKILL);
    while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR) {}
    worker->pid = 0;
}

void rv_worker_become(const struct rv_program *program, const struct rv_channel *channel,
                      char *const *prefix) {
    size_t before = length_of(prefix), after = length_of(program->argv);
    struct surroundings around = {program, NULL, channel, 0, NULL};
    struct environment env;
    char **list = rv_allocate((before + after + 1) * sizeof *list);
    if (before) memcpy(list, prefix, before * sizeof *list);
    memcpy(list + before, program->argv, (after + 1) * sizeof *list);
    if (before) list[before] = program->path;
    env_make(&env, &around);
    int problem = prepare(&env, &around);
    if (problem)
        errno = problem;
    else if (before)
        execvpe(list[0], list, env.list);
    else
        execve(program->path, list, env.list);
    problem = errno;
    env_close(&env);
    free(list);
    errno = problem;
}
