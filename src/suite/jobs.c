#include "suite/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/kind.h"
#include "report/text.h"
#include "supervisor/serve.h"
#include "supervisor/util.h"

enum {
    TICK_MS = 50,
    PIECE = 1 << 16,
    AHEAD = 2,
    STOPPED = 75 /* exit code of a slot that was asked to end */
};
static const double patience = 5; /* seconds between asking a process to end and ending it */

/* A process that runs cases one after the other. It is told their numbers through a pipe, and sends for each the size of its
 * result and the result. */
struct slot {
    pid_t pid; /* 0: none */
    int from, to;
    size_t queue[AHEAD]; /* cases handed to it; it runs the first one */
    unsigned queued;
    struct rv_text text; /* what it has sent and was not looked at */
    double begun;        /* the first one in the queue */
    double asked;        /* to end; 0: not */
    bool late;           /* for its time was over */
};

struct crew {
    const struct rv_suite_jobs *jobs;
    const struct rv_suite_cases *cases;
    struct rv_test_result *results;
    enum { WAITS, RUNS, OVER, LEFT_OUT } * states; /* of the cases */
    struct slot *slots;
    unsigned ahead; /* cases that a slot has at a time */
    size_t next;    /* no case before it waits */
    size_t told;    /* cases before this one have been told */
};

static bool write_all(int to, const void *from, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t written = write(to, (const char *)from + done, size - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        done += (size_t)written;
    }
    return true;
}

/* --- the process that runs cases --- */

static void send_result(int to, const struct rv_test_result *result) {
    json_t *json = rv_test_result_json(result);
    char *text = json_dumps(json, JSON_COMPACT);
    uint32_t size = text ? (uint32_t)strlen(text) : 0;
    if (!write_all(to, &size, sizeof size) || !write_all(to, text, size)) _exit(1);
    free(text);
    json_decref(json);
}

static bool next_order(int from, size_t *index) {
    ssize_t size;
    do size = read(from, index, sizeof *index);
    while (size < 0 && errno == EINTR && !rv_interrupted);
    return size == sizeof *index;
}

/* In a group of its own: Ctrl-C reaches the first process only, which then asks the others to end. */
__attribute__((noreturn)) static void be_slot(const struct crew *crew, int from, int to, pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    for (unsigned i = 0; i < crew->jobs->jobs; i++) {
        if (!crew->slots[i].pid) continue;
        close(crew->slots[i].from); /* or it would not see its end */
        close(crew->slots[i].to);
    }
    for (size_t index; !rv_interrupted && next_order(from, &index);) {
        struct rv_test_result result = {.status = RV_TEST_ERROR};
        crew->jobs->run(crew->jobs->user, &crew->cases->cases[index], &result);
        rv_test_result_complete(&result);
        send_result(to, &result);
        rv_test_result_free(&result);
    }
    if (crew->jobs->end) crew->jobs->end(crew->jobs->user);
    _exit(rv_interrupted ? STOPPED : 0);
}

/* --- the first process --- */

static void set_failure(struct rv_test_result *result, enum rv_test_status status, enum rv_kind kind,
                        char *message) {
    rv_test_result_free(result);
    *result = (struct rv_test_result){
        .status = status,
        .kind = rv_text_copy(kind == RV_KIND_NONE ? "" : rv_kind_names[kind]),
        .message = message,
    };
    rv_test_result_complete(result);
}

static void finish(struct crew *crew, size_t index) {
    crew->states[index] = OVER;
    if (crew->results[index].interrupted) crew->states[index] = LEFT_OUT;
}

/* What cannot run fails without a process. */
static void fail_at_once(struct crew *crew, size_t index) {
    const struct rv_suite_case *one = &crew->cases->cases[index];
    struct rv_test_result *result = &crew->results[index];
    set_failure(result, RV_TEST_FAIL, RV_KIND_SCHEDULE, rv_text_copy(one->problem));
    rv_text_set(&result->report, rv_text_copy(one->details));
    finish(crew, index);
}

/* False: errno says why there is no process. */
static bool open_slot(struct crew *crew, struct slot *slot) {
    int orders[2], results[2];
    pid_t parent = getpid();
    *slot = (struct slot){.pid = 0};
    fflush(stdout);
    fflush(stderr);
    if (pipe2(orders, O_CLOEXEC) != 0) return false;
    bool piped = pipe2(results, O_CLOEXEC) == 0;
    pid_t pid = piped ? fork() : -1;
    if (pid == 0) {
        close(orders[1]);
        close(results[0]);
        be_slot(crew, orders[0], results[1], parent);
    }
    int problem = errno;
    close(orders[0]);
    if (piped) close(results[1]);
    if (pid < 0) {
        close(orders[1]);
        if (piped) close(results[0]);
        errno = problem;
        return false;
    }
    fcntl(results[0], F_SETFL, O_NONBLOCK);
    slot->pid = pid;
    slot->from = results[0];
    slot->to = orders[1];
    return true;
}

static void start(struct crew *crew, struct slot *slot, size_t index) {
    crew->states[index] = RUNS;
    if (!slot->pid && !open_slot(crew, slot)) {
        set_failure(&crew->results[index], RV_TEST_ERROR, RV_KIND_NONE,
                    rv_text_format("no process for the test: %s", strerror(errno)));
        finish(crew, index);
        return;
    }
    (void)write_all(slot->to, &index, sizeof index); /* if it is gone, that will be seen */
    if (slot->queued == 0) slot->begun = rv_seconds();
    slot->queue[slot->queued++] = index;
}

/* The case that the slot has run: what it said counts, if it can be read. NULL: it said nothing, and ended so. */
static void conclude(struct crew *crew, struct slot *slot, const char *text, size_t size, int status) {
    size_t index = slot->queue[0];
    struct rv_test_result *result = &crew->results[index];
    bool good = text && rv_test_result_read(result, text, size);
    if (slot->late && (!good || result->interrupted)) {
        set_failure(result, RV_TEST_FAIL, RV_KIND_HANG,
                    rv_text_format("not over after %.3g s (see --time-limit)", crew->jobs->limit));
    } else if (!good) {
        set_failure(
            result, RV_TEST_ERROR, RV_KIND_NONE,
            WIFSIGNALED(status)
                ? rv_text_format("ravel's process for this test was ended by signal %d", WTERMSIG(status))
                : rv_text_copy("ravel's process for this test gave no result"));
        result->interrupted = slot->asked > 0;
    }
    double now = rv_seconds();
    if (!good || result->seconds <= 0) result->seconds = now - slot->begun;
    finish(crew, index);
    slot->begun = now;
    memmove(slot->queue, slot->queue + 1, --slot->queued * sizeof *slot->queue);
}

/* The process has closed its end. What it had not begun waits again. */
static void gone(struct crew *crew, struct slot *slot) {
    int status = 0;
    close(slot->to);
    close(slot->from);
    while (waitpid(slot->pid, &status, 0) < 0 && errno == EINTR) {}
    bool stopped = slot->asked > 0 && WIFEXITED(status) && WEXITSTATUS(status) == STOPPED;
    if (slot->queued > 0 && !stopped) conclude(crew, slot, NULL, 0, status);
    for (unsigned i = 0; i < slot->queued; i++) {
        crew->states[slot->queue[i]] = WAITS;
        if (slot->queue[i] < crew->next) crew->next = slot->queue[i];
    }
    free(slot->text.data);
    *slot = (struct slot){.pid = 0};
}

/* Looks at the results that are complete. False: what it sends is none. */
static bool take_results(struct crew *crew, struct slot *slot) {
    size_t at = 0;
    uint32_t size;
    while (slot->text.size - at >= sizeof size) {
        memcpy(&size, slot->text.data + at, sizeof size);
        if (size > RV_TEST_RESULT_SIZE || slot->queued == 0) return false;
        if (slot->text.size - at - sizeof size < size) break;
        conclude(crew, slot, slot->text.data + at + sizeof size, size, 0);
        at += sizeof size + size;
    }
    if (at == 0) return true;
    slot->text.size -= at;
    memmove(slot->text.data, slot->text.data + at, slot->text.size);
    return true;
}

/* Reads what there is; true: the process is through. */
static bool hear(struct crew *crew, struct slot *slot) {
    char piece[PIECE];
    for (;;) {
        ssize_t size = read(slot->from, piece, sizeof piece);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return false;
        if (size == 0) return true;
        rv_text_add_n(&slot->text, piece, (size_t)size);
        if (take_results(crew, slot)) continue;
        kill(slot->pid, SIGKILL);
        return true;
    }
}

static void urge(const struct crew *crew, struct slot *slot) {
    double now = rv_seconds();
    if (slot->asked > 0) {
        if (now > slot->asked + patience) kill(slot->pid, SIGKILL);
        return;
    }
    slot->late = slot->queued > 0 && now > slot->begun + crew->jobs->limit;
    if (!slot->late && !rv_interrupted) return;
    slot->asked = now;
    kill(slot->pid, SIGTERM);
}

static void tell_in_order(struct crew *crew) {
    for (; crew->told < crew->cases->count; crew->told++) {
        const struct rv_suite_case *one = &crew->cases->cases[crew->told];
        if (one->chosen && crew->states[crew->told] < OVER) return;
        if (one->chosen && crew->states[crew->told] == OVER)
            crew->jobs->tell(crew->jobs->user, one, &crew->results[crew->told]);
    }
}

/* The next case that needs a process; false: there is none. */
static bool next_case(struct crew *crew, size_t *index) {
    for (; crew->next < crew->cases->count; crew->next++) {
        if (!crew->cases->cases[crew->next].chosen || crew->states[crew->next] != WAITS) continue;
        *index = crew->next;
        if (!crew->cases->cases[*index].problem) return true;
        fail_at_once(crew, *index);
    }
    return false;
}

/* Gives the next cases to those that are free; false: nobody works any more. */
static bool hand_out(struct crew *crew) {
    bool busy = false;
    size_t index;
    for (unsigned i = 0; i < crew->jobs->jobs; i++) {
        struct slot *slot = &crew->slots[i];
        while (slot->queued < crew->ahead && slot->asked <= 0 && !rv_interrupted && next_case(crew, &index))
            start(crew, slot, index);
        busy |= slot->queued > 0;
    }
    return busy;
}

static void look(struct crew *crew, struct pollfd *ready) {
    nfds_t count = 0;
    for (unsigned i = 0; i < crew->jobs->jobs; i++)
        if (crew->slots[i].pid) ready[count++] = (struct pollfd){.fd = crew->slots[i].from, .events = POLLIN};
    poll(ready, count, TICK_MS);
    for (unsigned i = 0; i < crew->jobs->jobs; i++) {
        struct slot *slot = &crew->slots[i];
        if (slot->pid == 0) continue;
        if (hear(crew, slot))
            gone(crew, slot);
        else
            urge(crew, slot);
    }
}

/* There is nothing left to do for them. */
static void close_slots(struct crew *crew) {
    for (unsigned i = 0; i < crew->jobs->jobs; i++)
        if (crew->slots[i].pid) close(crew->slots[i].to);
    for (unsigned i = 0; i < crew->jobs->jobs; i++) {
        struct slot *slot = &crew->slots[i];
        if (!slot->pid) continue;
        close(slot->from);
        while (waitpid(slot->pid, NULL, 0) < 0 && errno == EINTR) {}
        free(slot->text.data);
    }
}

size_t rv_suite_jobs_run(const struct rv_suite_jobs *jobs, const struct rv_suite_cases *cases,
                         struct rv_test_result *results) {
    struct crew crew = {.jobs = jobs,
                        .cases = cases,
                        .results = results,
                        .ahead = jobs->jobs > 1 ? 1 : AHEAD, /* or one would keep what another could run */
                        .states = rv_allocate((cases->count + 1) * sizeof *crew.states),
                        .slots = rv_allocate(jobs->jobs * sizeof *crew.slots)};
    struct pollfd *ready = rv_allocate(jobs->jobs * sizeof *ready);
    while (hand_out(&crew)) {
        tell_in_order(&crew);
        look(&crew, ready);
    }
    close_slots(&crew);
    size_t left = 0;
    for (size_t i = 0; i < cases->count; i++) {
        if (!cases->cases[i].chosen || crew.states[i] == OVER) continue;
        crew.states[i] = LEFT_OUT;
        left++;
    }
    tell_in_order(&crew);
    free(ready);
    free(crew.slots);
    free(crew.states);
    return left;
}
