#include "suite/jobs.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
};
static const double patience = 5; /* seconds between asking a process to end and ending it */

/* A process for cases, and what it has to do. */
struct job {
    struct rv_suite_slot slot;
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
    struct job *list;
    unsigned ahead; /* cases that a slot has at a time */
    size_t next;    /* no case before it waits */
    size_t told;    /* cases before this one have been told */
};

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
static bool open_slot(struct crew *crew, struct job *job) {
    struct rv_suite_slot *others = rv_allocate(crew->jobs->jobs * sizeof *others);
    for (unsigned i = 0; i < crew->jobs->jobs; i++) others[i] = crew->list[i].slot;
    *job = (struct job){.queued = 0};
    bool good = rv_suite_slot_open(&job->slot, &crew->jobs->work, crew->cases, others, crew->jobs->jobs);
    int problem = errno;
    free(others);
    errno = problem;
    return good;
}

static void start(struct crew *crew, struct job *job, size_t index) {
    crew->states[index] = RUNS;
    if (!job->slot.pid && !open_slot(crew, job)) {
        set_failure(&crew->results[index], RV_TEST_ERROR, RV_KIND_NONE,
                    rv_text_format("no process for the test: %s", strerror(errno)));
        finish(crew, index);
        return;
    }
    (void)rv_suite_slot_order(&job->slot, index); /* if it is gone, that will be seen */
    if (job->queued == 0) job->begun = rv_seconds();
    job->queue[job->queued++] = index;
}

/* The case that the slot has run: what it said counts, if it can be read. NULL: it said nothing, and ended so. */
static void conclude(struct crew *crew, struct job *job, const char *text, size_t size, int status) {
    size_t index = job->queue[0];
    struct rv_test_result *result = &crew->results[index];
    bool good = text && rv_test_result_read(result, text, size);
    if (job->late && (!good || result->interrupted)) {
        set_failure(result, RV_TEST_FAIL, RV_KIND_HANG,
                    rv_text_format("not over after %.3g s (see --time-limit)", crew->jobs->limit));
    } else if (!good) {
        set_failure(
            result, RV_TEST_ERROR, RV_KIND_NONE,
            WIFSIGNALED(status)
                ? rv_text_format("ravel's process for this test was ended by signal %d", WTERMSIG(status))
                : rv_text_copy("ravel's process for this test gave no result"));
        result->interrupted = job->asked > 0;
    }
    double now = rv_seconds();
    if (!good || result->seconds <= 0) result->seconds = now - job->begun;
    finish(crew, index);
    job->begun = now;
    memmove(job->queue, job->queue + 1, --job->queued * sizeof *job->queue);
}

/* The process has closed its end. What it had not begun waits again. */
static void gone(struct crew *crew, struct job *job) {
    int status = rv_suite_slot_close(&job->slot);
    bool stopped = job->asked > 0 && WIFEXITED(status) && WEXITSTATUS(status) == RV_SLOT_STOPPED;
    if (job->queued > 0 && !stopped) conclude(crew, job, NULL, 0, status);
    for (unsigned i = 0; i < job->queued; i++) {
        crew->states[job->queue[i]] = WAITS;
        if (job->queue[i] < crew->next) crew->next = job->queue[i];
    }
    free(job->text.data);
    *job = (struct job){.queued = 0};
}

/* Looks at the results that are complete. False: what it sends is none. */
static bool take_results(struct crew *crew, struct job *job) {
    size_t at = 0;
    uint32_t size;
    while (job->text.size - at >= sizeof size) {
        memcpy(&size, job->text.data + at, sizeof size);
        if (size > RV_TEST_RESULT_SIZE || job->queued == 0) return false;
        if (job->text.size - at - sizeof size < size) break;
        conclude(crew, job, job->text.data + at + sizeof size, size, 0);
        at += sizeof size + size;
    }
    if (at == 0) return true;
    job->text.size -= at;
    memmove(job->text.data, job->text.data + at, job->text.size);
    return true;
}

/* Reads what there is; true: the process is through. */
static bool hear(struct crew *crew, struct job *job) {
    char piece[PIECE];
    for (;;) {
        ssize_t size = read(job->slot.from, piece, sizeof piece);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return false;
        if (size == 0) return true;
        rv_text_add_n(&job->text, piece, (size_t)size);
        if (take_results(crew, job)) continue;
        kill(job->slot.pid, SIGKILL);
        return true;
    }
}

static void urge(const struct crew *crew, struct job *job) {
    double now = rv_seconds();
    if (job->asked > 0) {
        if (now > job->asked + patience) kill(job->slot.pid, SIGKILL);
        return;
    }
    job->late = job->queued > 0 && now > job->begun + crew->jobs->limit;
    if (!job->late && !rv_interrupted) return;
    job->asked = now;
    kill(job->slot.pid, SIGTERM);
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
        struct job *job = &crew->list[i];
        while (job->queued < crew->ahead && job->asked <= 0 && !rv_interrupted && next_case(crew, &index))
            start(crew, job, index);
        busy |= job->queued > 0;
    }
    return busy;
}

static void look(struct crew *crew, struct pollfd *ready) {
    nfds_t count = 0;
    for (unsigned i = 0; i < crew->jobs->jobs; i++)
        if (crew->list[i].slot.pid)
            ready[count++] = (struct pollfd){.fd = crew->list[i].slot.from, .events = POLLIN};
    poll(ready, count, TICK_MS);
    for (unsigned i = 0; i < crew->jobs->jobs; i++) {
        struct job *job = &crew->list[i];
        if (job->slot.pid == 0) continue;
        if (hear(crew, job))
            gone(crew, job);
        else
            urge(crew, job);
    }
}

/* There is nothing left to do for them. */
static void close_slots(struct crew *crew) {
    for (unsigned i = 0; i < crew->jobs->jobs; i++)
        if (crew->list[i].slot.pid) rv_suite_slot_dismiss(&crew->list[i].slot);
    for (unsigned i = 0; i < crew->jobs->jobs; i++) {
        struct job *job = &crew->list[i];
        if (!job->slot.pid) continue;
        rv_suite_slot_close(&job->slot);
        free(job->text.data);
    }
}

size_t rv_suite_jobs_run(const struct rv_suite_jobs *jobs, const struct rv_suite_cases *cases,
                         struct rv_test_result *results) {
    struct crew crew = {.jobs = jobs,
                        .cases = cases,
                        .results = results,
                        .ahead = jobs->jobs > 1 ? 1 : AHEAD, /* or one would keep what another could run */
                        .states = rv_allocate((cases->count + 1) * sizeof *crew.states),
                        .list = rv_allocate(jobs->jobs * sizeof *crew.list)};
    struct pollfd *ready = rv_allocate(jobs->jobs * sizeof *ready);
    if (jobs->first) {
        crew.list[0].slot = *jobs->first;
        jobs->first->pid = 0;
    }
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
    free(crew.list);
    free(crew.states);
    return left;
}
