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

enum { TICK_MS = 50, PIECE = 1 << 16 };
static const double patience = 5; /* seconds between asking a process to end and ending it */

/* A process and the case that it runs. */
struct job {
    pid_t pid; /* 0: none */
    int from;
    size_t index;
    struct rv_text text; /* what it has sent */
    double begun;
    double asked; /* to end; 0: not */
    bool late;    /* for its time was over */
    bool flooded; /* it sent more than any result has */
};

struct crew {
    const struct rv_suite_jobs *jobs;
    const struct rv_suite_cases *cases;
    struct rv_test_result *results;
    enum { WAITS, RUNS, OVER, LEFT_OUT } * states; /* of the cases */
    struct job *list;
    size_t next; /* case to start */
    size_t told; /* cases before this one have been told */
};

/* --- the process that runs a case --- */

static void send_result(int to, const struct rv_test_result *result) {
    json_t *json = rv_test_result_json(result);
    char *text = json_dumps(json, JSON_COMPACT);
    size_t size = text ? strlen(text) : 0;
    for (size_t done = 0; done < size;) {
        ssize_t written = write(to, text + done, size - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        done += (size_t)written;
    }
    free(text);
    json_decref(json);
}

/* In a group of its own: Ctrl-C reaches the first process only, which then asks the others to end. */
__attribute__((noreturn)) static void be_job(const struct crew *crew, size_t index, int to, pid_t parent) {
    struct rv_test_result result = {.status = RV_TEST_ERROR};
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    crew->jobs->run(crew->jobs->user, &crew->cases->cases[index], &result);
    rv_test_result_complete(&result);
    send_result(to, &result);
    _exit(0);
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

static void start(struct crew *crew, struct job *job, size_t index) {
    int ends[2];
    *job = (struct job){.index = index, .begun = rv_seconds()};
    pid_t parent = getpid(), pid = -1;
    fflush(stdout);
    fflush(stderr);
    if (pipe2(ends, O_CLOEXEC) == 0) {
        pid = fork();
        if (pid == 0) be_job(crew, index, ends[1], parent);
        int problem = errno;
        close(ends[1]);
        if (pid < 0) close(ends[0]);
        errno = problem;
    }
    crew->states[index] = RUNS;
    if (pid < 0) {
        set_failure(&crew->results[index], RV_TEST_ERROR, RV_KIND_NONE,
                    rv_text_format("no process for the test: %s", strerror(errno)));
        finish(crew, index);
        return;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    job->pid = pid;
    job->from = ends[0];
}

/* The process has closed its end: what it said counts, if it can be read. */
static void conclude(struct crew *crew, struct job *job) {
    struct rv_test_result *result = &crew->results[job->index];
    int status = 0;
    while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR) {}
    close(job->from);
    bool good =
        !job->flooded && rv_test_result_read(result, job->text.data ? job->text.data : "", job->text.size);
    if (job->late && (!good || result->interrupted)) {
        set_failure(result, RV_TEST_FAIL, RV_KIND_HANG,
                    rv_text_format("not over after %.3g s (--time-limit)", crew->jobs->limit));
    } else if (!good) {
        bool interrupted = job->asked > 0;
        set_failure(
            result, RV_TEST_ERROR, RV_KIND_NONE,
            WIFSIGNALED(status)
                ? rv_text_format("ravel's process for this test was ended by signal %d", WTERMSIG(status))
                : rv_text_copy("ravel's process for this test gave no result"));
        result->interrupted = interrupted;
    }
    if (!good || result->seconds <= 0) result->seconds = rv_seconds() - job->begun;
    free(job->text.data);
    finish(crew, job->index);
    *job = (struct job){.pid = 0};
}

/* Reads what there is; true: the process is through. */
static bool hear(struct job *job) {
    char piece[PIECE];
    for (;;) {
        ssize_t size = read(job->from, piece, sizeof piece);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return false;
        if (size == 0) return true;
        if (job->text.size + (size_t)size > RV_TEST_RESULT_SIZE) {
            job->flooded = true;
            kill(job->pid, SIGKILL);
            return true;
        }
        rv_text_add_n(&job->text, piece, (size_t)size);
    }
}

static void urge(const struct crew *crew, struct job *job) {
    double now = rv_seconds();
    if (job->asked > 0) {
        if (now > job->asked + patience) kill(job->pid, SIGKILL);
        return;
    }
    job->late = now > job->begun + crew->jobs->limit;
    if (!job->late && !rv_interrupted) return;
    job->asked = now;
    kill(job->pid, SIGTERM);
}

static void tell_in_order(struct crew *crew) {
    for (; crew->told < crew->cases->count; crew->told++) {
        const struct rv_suite_case *one = &crew->cases->cases[crew->told];
        if (one->chosen && crew->states[crew->told] < OVER) return;
        if (one->chosen && crew->states[crew->told] == OVER)
            crew->jobs->tell(crew->jobs->user, one, &crew->results[crew->told]);
    }
}

/* Gives the next cases to those that are free; false: nobody works any more. */
static bool hand_out(struct crew *crew) {
    bool busy = false;
    for (unsigned i = 0; i < crew->jobs->jobs; i++) {
        struct job *job = &crew->list[i];
        while (job->pid == 0 && crew->next < crew->cases->count && !rv_interrupted) {
            size_t index = crew->next++;
            if (!crew->cases->cases[index].chosen) continue;
            if (crew->cases->cases[index].problem)
                fail_at_once(crew, index);
            else
                start(crew, job, index);
        }
        busy |= job->pid != 0;
    }
    return busy;
}

static void look(struct crew *crew, struct pollfd *ready) {
    nfds_t count = 0;
    for (unsigned i = 0; i < crew->jobs->jobs; i++)
        if (crew->list[i].pid) ready[count++] = (struct pollfd){.fd = crew->list[i].from, .events = POLLIN};
    poll(ready, count, TICK_MS);
    for (unsigned i = 0; i < crew->jobs->jobs; i++) {
        struct job *job = &crew->list[i];
        if (job->pid == 0) continue;
        if (hear(job))
            conclude(crew, job);
        else
            urge(crew, job);
    }
}

size_t rv_suite_jobs_run(const struct rv_suite_jobs *jobs, const struct rv_suite_cases *cases,
                         struct rv_test_result *results) {
    struct crew crew = {.jobs = jobs,
                        .cases = cases,
                        .results = results,
                        .states = rv_allocate((cases->count + 1) * sizeof *crew.states),
                        .list = rv_allocate(jobs->jobs * sizeof *crew.list)};
    struct pollfd *ready = rv_allocate(jobs->jobs * sizeof *ready);
    while (hand_out(&crew)) {
        tell_in_order(&crew);
        look(&crew, ready);
    }
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
