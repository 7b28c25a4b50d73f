/* The test runs by itself, its threads in parallel, and libravel's monitor tells what happens. Several runs: the first that
 * fails counts. */
#include <stdlib.h>

#include "base/protocol.h"
#include "report/text.h"
#include "suite/checking.h"
#include "suite/details.h"
#include "suite/native.h"
#include "suite/run.h"
#include "supervisor/serve.h"

enum { LINES = 16 << 20 };

static void clear_events(struct rv_test_result *result) {
    for (size_t i = 0; i < result->event_count; i++) {
        free(result->events[i].thread);
        free(result->events[i].name);
    }
    result->event_count = 0;
    free(result->events);
    result->events = NULL;
}

/* What the process's end says, where the lines say nothing. */
static void judge_end(const struct rv_suite_run *run, const struct rv_suite_case *one,
                      const struct rv_native_end *end, struct rv_checking *checking) {
    if (checking->kind != RV_KIND_NONE) return;
    struct rv_outcome outcome = {.kind = RV_KIND_NONE};
    switch (end->how) {
    case RV_NATIVE_TIMEOUT:
        checking->kind = RV_KIND_HANG;
        checking->message = rv_text_format("not over after %.3g s (--time-limit)", run->limit);
        return;
    case RV_NATIVE_FLOODED:
        checking->kind = RV_KIND_HANG;
        checking->message =
            rv_text_format("more than %d MiB of events: it does not seem to end", LINES >> 20);
        return;
    case RV_NATIVE_INTERRUPTED: return;
    case RV_NATIVE_ENDED: break;
    }
    rv_outcome_of_death(&outcome, &end->death, &run->config);
    if (outcome.kind != RV_KIND_NONE) {
        checking->kind = (enum rv_kind)outcome.kind;
        checking->message = rv_text_copy(outcome.message);
    } else if (!checking->begun) {
        checking->kind = RV_KIND_SCHEDULE;
        checking->message = rv_text_format("test %s did not run", one->test);
    } else if (!checking->ended) {
        checking->kind = RV_KIND_EXIT;
        checking->message = rv_text_format("the program has ended within test %s", one->test);
    }
}

static void describe(const struct rv_suite_run *run, const struct rv_suite_case *one,
                     const struct rv_native_end *end, const struct rv_checking *checking,
                     struct rv_test_result *result) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct rv_printer printer = rv_printer_for(out, &run->print);
    rv_details_schedule(&printer, one, checking->at, checking->length);
    rv_details_events(&printer, result);
    rv_details_output(&printer, end->output);
    if (checking->damaged)
        rv_print_row(&printer, 0, RV_DIM, "%zu lines of what libravel told could not be read",
                     checking->damaged);
    rv_print_row(
        &printer, 0, RV_DIM,
        "no failure file: what threads do by themselves cannot be replayed; without --passive it is tried under "
        "control");
    fclose(out);
    result->report = text;
}

/* Whether to go on with the next run. */
static bool run_once(const struct rv_suite_run *run, const struct rv_suite_case *one,
                     struct rv_test_result *result) {
    const char *const env[] = {
        "RAVEL_TEST_NAME", one->test, "RAVEL_TEST_LABEL", one->label, "RAVEL_TEST_PLAN", one->text, NULL};
    struct rv_native_request request = {.mode = "passive", .env = env, .limit = run->limit, .most = LINES};
    struct rv_native_end end;
    struct rv_checking checking = {.result = result};
    clear_events(result);
    if (!rv_native_run(run->program, &request, &end, &result->message)) {
        result->status = RV_TEST_ERROR;
        return false;
    }
    rv_checking_read(&checking, end.lines.data ? end.lines.data : "", end.lines.size);
    judge_end(run, one, &end, &checking);
    result->seconds += end.seconds;
    result->schedules++;
    result->interrupted = end.how == RV_NATIVE_INTERRUPTED;
    result->status = checking.kind == RV_KIND_NONE ? RV_TEST_PASS : RV_TEST_FAIL;
    if (result->status == RV_TEST_FAIL) {
        result->kind = rv_text_copy(rv_kind_names[checking.kind]);
        result->message = rv_text_copy(checking.message);
        describe(run, one, &end, &checking, result);
    }
    rv_checking_free(&checking);
    rv_native_free(&end);
    return result->status == RV_TEST_PASS && !result->interrupted;
}

void rv_suite_run_passive(const struct rv_suite_run *run, const struct rv_suite_case *one,
                          struct rv_test_result *result) {
    for (uint64_t i = 0; i < run->runs; i++)
        if (!run_once(run, one, result)) return;
}
