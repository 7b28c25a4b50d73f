/* Starting workers.
 *
 * Everything about a worker's surroundings that could make two executions differ is settled here, between fork
 * and exec: address space randomisation off (where the system lets us), standard input at its first byte,
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

/* Tells the runtime where the channel is. */
static bool hand_over_channel(const struct rv_channel *channel, unsigned index) {
    int fd = high_copy(channel->fd);
    char text[32];
    snprintf(text, sizeof text, "%d:%03u", fd, index); /* as long for each: it moves the stack */
    return fd >= 0 && setenv(RV_CHANNEL_ENV, text, 1) == 0;
}

static void set_environment(const struct rv_program *program, bool test) {
    for (char **entry = program->env; entry && *entry; entry++) putenv(*entry);
    setenv("LD_BIND_NOW", "1",
           1);  /* what is bound before the snapshot is bound once; start.c takes it away */
    if (test) { /* frameworks: tests in this process, and an end that is seen, where libravel cannot do it */
        setenv("CK_FORK", "no", 0);
        setenv("CMOCKA_TEST_ABORT", "1", 0);
    }
    if (program->instrumented) return;
    const char *old = getenv("LD_PRELOAD");
    char *list =
        old && *old ? rv_text_format("%s:%s", program->library, old) : rv_text_copy(program->library);
    setenv("LD_PRELOAD", list, 1);
}

/* In the child. Returns errno of what did not work. */
static int prepare(const struct rv_program *program, const struct rv_channel *channel, unsigned index) {
    if (program->directory && chdir(program->directory) != 0) return errno;
    if (!hand_over_channel(channel, index)) return errno;
    set_environment(program, channel->shared->config.test[0] || channel->shared->config.early);
    default_signals();
    int old = personality(0xffffffff);
    if (old >= 0) personality((unsigned long)old | ADDR_NO_RANDOMIZE); /* refused in some containers: fine */
    return 0;
}

/* Where a process is to find what it needs: with a channel as a worker, else natively. */
struct surroundings {
    const struct rv_program *program;
    const struct rv_streams *streams;
    const struct rv_channel *channel;
    unsigned index;
    const struct rv_native *native;
};

/* In the child. Returns errno of what did not work. */
static int prepare_native(const struct rv_program *program, const struct rv_native *native) {
    char mode[64];
    if (program->directory && chdir(program->directory) != 0) return errno;
    for (char **entry = program->env; entry && *entry; entry++) putenv(*entry);
    for (size_t i = 0; native->env && native->env[i]; i += 2) setenv(native->env[i], native->env[i + 1], 1);
    if (native->mode) {
        int fd = high_copy(native->fd);
        snprintf(mode, sizeof mode, "%s:%d", native->mode, fd);
        if (fd < 0 || setenv(RV_TESTS_ENV, mode, 1) != 0) return errno;
    }
    default_signals();
    return 0;
}

/* The new process; 0: *error. */
static pid_t start(const struct surroundings *around, char **error) {
    const struct rv_program *program = around->program;
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) {
        *error = rv_text_format("cannot start a worker: %s", strerror(errno));
        return 0;
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(127);
        place_streams(program, around->streams);
        int problem = around->native ? prepare_native(program, around->native)
                                     : prepare(program, around->channel, around->index);
        if (!problem) {
            execv(program->path, program->argv);
            problem = errno;
        }
        ssize_t ignored = write(report[1], &problem, sizeof problem);
        (void)ignored;
        _exit(127);
    }
    int problem = pid < 0 ? errno : 0;
    close(report[1]);
    if (pid > 0 && read(report[0], &problem, sizeof problem) > 0) waitpid(pid, NULL, 0);
    close(report[0]);
    if (problem) *error = rv_text_format("%s: cannot be executed: %s", program->name, strerror(problem));
    return problem ? 0 : pid;
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
    size_t before = 0, after = 0;
    while (prefix && prefix[before]) before++;
    while (program->argv[after]) after++;
    char **list = rv_allocate((before + after + 1) * sizeof *list);
    if (before) memcpy(list, prefix, before * sizeof *list);
    memcpy(list + before, program->argv, (after + 1) * sizeof *list);
    if (before) list[before] = program->path;
    int problem = prepare(program, channel, 0);
    if (problem)
        errno = problem;
    else if (before)
        execvp(list[0], list);
    else
        execv(program->path, list);
    free(list);
}
