/* Tests one after the other in one worker: what makes a suite of passing tests fast. It has told before which tests there are.
 *
 * The worker takes its snapshot before main (config.early). Each test is an execution from there, and memory, descriptors and
 * all else that an execution changes are brought back after it, as between the executions of a search. So starting the program
 * is paid for once.
 *
 * What comes of it counts only if the test passes and left nothing behind. Anything else (a failure of whatever kind, files
 * written, a note) ends the worker, and the test is run again by itself, in a fresh process: no test is ever blamed for what
 * another one did. Where that happens too often sharing is given up. */
#include <string.h>

#include "suite/run.h"
#include "suite/traced.h"
#include "supervisor/confirm.h"
#include "supervisor/serve.h"
#include "supervisor/util.h"

enum { CHANCES = 3 /* workers that may be lost to tests that pass by themselves */ };

static const double list_seconds = 1; /* within which a worker tells its list: constructors may take longer */

static struct rv_server server;
static bool running;
static unsigned lost;

void rv_suite_run_end(const void *user) {
    (void)user;
    if (running) rv_server_close(&server);
    running = false;
}

static bool ready(const struct rv_suite_run *run, const struct rv_config *config) {
    struct rv_config early = *config;
    early.early = 1;
    if (running) {
        rv_server_change(&server, &early);
        return true;
    }
    running = rv_server_open(&server, run->program, &early, true);
    if (!running) rv_server_close(&server);
    return running;
}

/* It passed, and the next test finds everything as this one has. */
static bool is_clean(const struct rv_reply *reply) {
    const struct rv_area *area = rv_server_area(&server);
    const struct rv_outcome *outcome = &reply->outcome;
    return reply->state == RV_REPLY_SERVED && outcome->kind == RV_KIND_NONE && !outcome->not_terminating &&
           area->control.note_count == 0 && !area->control.left_files && area->control.started == 1;
}

bool rv_suite_run_shares(const struct rv_suite_run *run) {
    bool once = !run->passive && !run->explore && !run->config.races && !run->store;
    return once && run->config.isolation != RV_ISOLATION_FORK;
}

/* It is copied before it is looked at: the worker may still write. */
static char *take_list(size_t *size) {
    const struct rv_area *area = rv_server_area(&server);
    uint64_t told = rv_load64(&area->request.list_size);
    if (told == 0 || told > sizeof area->arena) return NULL;
    *size = (size_t)told;
    return rv_copy(area->arena, *size);
}

char *rv_suite_run_list(const struct rv_suite_run *run, size_t *size) {
    struct rv_case about = {.program = run->program, .config = run->config};
    struct rv_expectation any = {.kind = RV_KIND_NONE};
    struct rv_config config = rv_case_config(&about, &any); /* as cases have it */
    struct rv_reply reply;
    if (!rv_suite_run_shares(run) || !ready(run, &config)) return NULL;
    server.deadline = rv_seconds() + (run->limit < list_seconds ? run->limit : list_seconds);
    rv_server_run(&server, NULL, RV_REQUEST_LIST, &reply);
    char *list = reply.state == RV_REPLY_SERVED ? take_list(size) : NULL;
    if (!list) rv_suite_run_end(NULL);
    return list;
}

bool rv_suite_run_shared(const struct rv_suite_run *run, const struct rv_config *config,
                         struct rv_test_result *result) {
    struct rv_expectation any = {.kind = RV_KIND_NONE};
    struct rv_reply reply;
    if (lost == CHANCES || !rv_suite_run_shares(run) || !ready(run, config)) return false;
    server.deadline = rv_seconds() + run->limit;
    rv_server_run(&server, NULL, rv_confirm_flags(&any), &reply);
    bool clean = is_clean(&reply);
    if (clean) {
        result->status = RV_TEST_PASS;
        result->schedules = 1;
        rv_traced_events(rv_server_area(&server), result);
    } else {
        if (reply.state != RV_REPLY_SERVED || reply.outcome.kind == RV_KIND_NONE) lost++;
        rv_suite_run_end(NULL);
    }
    return clean;
}
