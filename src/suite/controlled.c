/* The test under control: its events wait until the plan allows them, so that nothing is left to chance but what the plan
 * leaves open. By default that is decided by the default policy (strategy/replay.h): one execution, without preemptions, the
 * same each time. With `explore`, a campaign tries what there is. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "coverage/collect.h"
#include "report/text.h"
#include "suite/details.h"
#include "suite/run.h"
#include "suite/traced.h"
#include "supervisor/campaign.h"
#include "supervisor/recorded.h"

enum { DETOURS = 1000 };

static struct rv_case case_of(const struct rv_suite_run *run, const struct rv_suite_case *one) {
    struct rv_case about = {.program = run->program, .config = run->config};
    struct rv_config *config = &about.config;
    snprintf(config->test, sizeof config->test, "%s", one->test);
    snprintf(config->plan_label, sizeof config->plan_label, "%s", one->label);
    snprintf(config->plan, sizeof config->plan, "%s", one->text);
    if (one->momentary) config->hidden = true; /* the order of independent steps matters to the plan */
    return about;
}

/* Saved, and told for people: the plan and its events before what every failure is told by. */
static void describe(const struct rv_suite_run *run, const struct rv_suite_case *one,
                     struct rv_failure *failure, struct rv_test_result *result) {
    char *text = NULL, *error = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct rv_printer printer = rv_printer_for(out, &run->print);
    failure->first_schedule = failure->first_schedule ? failure->first_schedule : 1;
    failure->count = failure->count ? failure->count : 1;
    if (!*failure->file && !rv_vault_save(run->vault, failure, &error)) {
        rv_print_row(&printer, 0, RV_ALARM, "the failure could not be saved: %s", error);
        free(error);
    }
    rv_details_schedule(&printer, one, 0, 0);
    rv_details_events(&printer, result);
    if (one->scheduled || result->event_count > 0) fputc('\n', out);
    rv_failure_print(failure, out, &run->print);
    fclose(out);
    result->status = RV_TEST_FAIL;
    result->kind = rv_text_copy(rv_kind_names[failure->kind]);
    result->message = rv_text_copy(failure->message);
    result->file = rv_text_copy(failure->file);
    result->report = text;
}

/* It could not be run, or did not end. */
static void unavailable(const struct rv_suite_run *run, const struct rv_server *server, double end,
                        struct rv_test_result *result) {
    result->interrupted = rv_interrupted;
    result->status = RV_TEST_ERROR;
    if (rv_interrupted) return;
    if (!server->error && rv_seconds() >= end) {
        result->status = RV_TEST_FAIL;
        result->kind = rv_text_copy(rv_kind_names[RV_KIND_HANG]);
        result->message = rv_text_format("not over after %.3g s (--time-limit)", run->limit);
        return;
    }
    char *why = rv_confirm_reason(server);
    result->message = why ? why : rv_text_copy("the program could not be run under control");
}

/* The failure that one process showed: another one must agree. */
static void confirm(const struct rv_suite_run *run, const struct rv_suite_case *one,
                    const struct rv_case *about, const struct rv_server *server,
                    struct rv_test_result *result) {
    struct rv_confirmation confirmation;
    const struct rv_outcome *outcome = &rv_server_area(server)->outcome;
    struct rv_expectation expected = {(enum rv_kind)outcome->kind, outcome->signature, .met = false};
    struct rv_schedule schedule = rv_schedule_of_log(rv_server_area(server));
    char *message = rv_clean_text(outcome->message, sizeof outcome->message);
    rv_confirm(&confirmation, about, &schedule, &expected);
    if (confirmation.verdict == RV_CONFIRMED) {
        describe(run, one, &confirmation.failure, result);
    } else {
        result->interrupted = rv_interrupted;
        result->status = RV_TEST_FAIL;
        result->kind =
            rv_text_copy(rv_kind_names[outcome->kind < RV_KIND_COUNT ? outcome->kind : RV_KIND_SIGNAL]);
        result->message = rv_text_format(
            "%s (not the same in another process: the test depends on something that ravel does not "
            "control)",
            message);
    }
    rv_schedule_free(&schedule);
    free(message);
}

static void not_terminating(const struct rv_suite_run *run, struct rv_test_result *result) {
    result->status = RV_TEST_FAIL;
    result->kind = rv_text_copy(rv_kind_names[RV_KIND_HANG]);
    result->message = rv_text_format("not over after %llu scheduling points (--max-steps)",
                                     (unsigned long long)run->config.max_steps);
}

/* --- exploring --- */

/* The failure's execution once more, for the events that happened in it. */
static void trace(const struct rv_suite_run *run, const struct rv_suite_case *one,
                  const struct rv_failure *failure, struct rv_test_result *result) {
    struct rv_case about = case_of(run, one);
    struct rv_schedule schedule = rv_recorded_schedule(failure);
    struct rv_expectation expected = {failure->kind, failure->signature, .met = false};
    struct rv_server server;
    struct rv_reply reply;
    if (rv_confirm_run(&server, &about, &schedule, &expected, &reply))
        rv_traced_events(rv_server_area(&server), result);
    rv_server_close(&server);
}

/* What was noticed beside failures and makes a result less than it seems. */
static void add_notes(const struct rv_result *found, struct rv_test_result *result) {
    struct rv_text text = {0};
    rv_text_add(&text, result->report ? result->report : "");
    if (found->nondeterminism.found) {
        char *what = rv_text_harmless(found->nondeterminism.what, false);
        rv_text_addf(&text, "nondeterminism: %s\n", what);
        free(what);
    }
    for (size_t i = 0; i < found->warnings.count; i++) {
        char *warning = rv_text_harmless(found->warnings.texts[i], false);
        rv_text_addf(&text, "warning: %s\n", warning);
        free(warning);
    }
    for (size_t i = 0; i < found->fixed.count; i++) {
        char *file = rv_text_harmless(found->fixed.texts[i], false);
        rv_text_addf(&text, "fixed: %s passes now (the file is kept)\n", file);
        free(file);
    }
    rv_text_set(&result->report, rv_text_take(&text));
}

static void judge(const struct rv_suite_run *run, const struct rv_suite_case *one, struct rv_result *found,
                  struct rv_test_result *result) {
    result->schedules = found->schedules;
    result->complete = found->complete;
    if (found->found_count > 0) {
        trace(run, one, &found->found[0].failure, result);
        describe(run, one, &found->found[0].failure, result);
    } else if (found->stopped_by == RV_STOP_INTERRUPT) {
        result->status = RV_TEST_ERROR;
        result->interrupted = true;
    } else if (found->error) {
        result->status = RV_TEST_ERROR;
        result->message = rv_text_copy(found->error);
    } else if (found->not_terminating) {
        not_terminating(run, result);
    } else if (found->schedules == 0 && found->stopped_by == RV_STOP_TIME) {
        result->status = RV_TEST_FAIL;
        result->kind = rv_text_copy(rv_kind_names[RV_KIND_HANG]);
        result->message =
            rv_text_format("no execution was over after %.3g s (--time, --time-limit)", run->time);
    } else {
        result->status = RV_TEST_PASS;
    }
}

static void campaign(const struct rv_suite_run *run, const struct rv_config *config, double time,
                     struct rv_result *found) {
    struct rv_progress silent = {.out = NULL};
    struct rv_campaign_options options = {
        .config = *config, .time_limit = time, .check = true, .progress = &silent};
    struct rv_cover_shelf shelf;
    if (run->store) {
        rv_cover_shelf_open(&shelf, run->store, run->program->path);
        options.coverage = &shelf;
    }
    rv_campaign_run(found, run->program, &options, run->vault);
    if (run->store) rv_cover_shelf_close(&shelf);
}

/* --- one execution --- */

/* The default policy may go where the plan leaves nobody who may go on, though other orders keep to it: a thread has first what
 * another one needs, or what is under a "!" came too early. Then those orders are the test. False: none was found. */
static bool run_detours(const struct rv_suite_run *run, const struct rv_suite_case *one,
                        const struct rv_outcome *outcome, struct rv_test_result *result) {
    static const char begin[] = "infeasible:";
    if (!one->scheduled || outcome->kind != RV_KIND_SCHEDULE ||
        strncmp(outcome->message, begin, sizeof begin - 1) != 0)
        return false;
    struct rv_config config = case_of(run, one).config;
    config.dead_ends = RV_DEAD_ENDS_COUNT_ALWAYS;
    config.schedules = DETOURS;
    config.races = 0;
    snprintf(config.strategy, sizeof config.strategy, "random");
    struct rv_result found;
    campaign(run, &config, run->limit, &found);
    bool any = found.found_count > 0 || found.dead_ends < found.schedules;
    if (any) {
        judge(run, one, &found, result);
        add_notes(&found, result);
    }
    rv_result_free(&found);
    return any;
}

/* What the one execution has covered goes into the store. */
static void keep_coverage(const struct rv_suite_run *run, const struct rv_server *server, double seconds,
                          struct rv_test_result *result) {
    struct rv_cover_shelf shelf;
    struct rv_cover_run done = {
        .time = (int64_t)time(NULL), .seconds = seconds, .executions = 1, .strategy = "ravel test"};
    char *error = NULL;
    rv_cover_shelf_open(&shelf, run->store, run->program->path);
    struct rv_symboliser *symbols = rv_symboliser_open(rv_server_area(server), shelf.directory);
    rv_coverage_collect(&shelf.data, rv_server_area(server), symbols);
    rv_symboliser_close(symbols);
    if (shelf.data.executions && !rv_cover_shelf_save(&shelf, &done, &error)) {
        char *why = rv_text_harmless(error, false);
        rv_text_set(&result->report, rv_text_format("%swarning: what was covered is not kept: %s\n",
                                                    result->report ? result->report : "", why));
        free(why);
    }
    free(error);
    rv_cover_shelf_close(&shelf);
}

static void run_once(const struct rv_suite_run *run, const struct rv_suite_case *one,
                     struct rv_test_result *result) {
    struct rv_case about = case_of(run, one);
    struct rv_expectation any = {.kind = RV_KIND_NONE};
    struct rv_config config = rv_case_config(&about, &any);
    struct rv_server server;
    struct rv_reply reply = {.state = RV_REPLY_UNAVAILABLE};
    if (rv_suite_run_shared(run, &config, result)) return;
    double begun = rv_seconds(), end = begun + run->limit;
    if (run->store) config.coverage = RV_COVER_ALL;
    if (rv_server_open(&server, about.program, &config, true)) {
        server.deadline = end;
        rv_server_run(&server, NULL, rv_confirm_flags(&any), &reply);
    }
    if (reply.state == RV_REPLY_UNAVAILABLE) {
        unavailable(run, &server, end, result);
    } else {
        result->schedules = 1;
        rv_traced_events(rv_server_area(&server), result);
        if (run->store) keep_coverage(run, &server, rv_seconds() - begun, result);
        bool detour = run_detours(run, one, &reply.outcome, result);
        if (!detour && reply.outcome.kind != RV_KIND_NONE)
            confirm(run, one, &about, &server, result);
        else if (detour)
            result->schedules++;
        else if (reply.outcome.not_terminating)
            not_terminating(run, result);
        else
            result->status = RV_TEST_PASS;
    }
    rv_server_close(&server);
}

static void explore(const struct rv_suite_run *run, const struct rv_suite_case *one,
                    struct rv_test_result *result) {
    struct rv_config config = case_of(run, one).config;
    struct rv_result found;
    config.dead_ends = one->scheduled ? RV_DEAD_ENDS_COUNT : RV_DEAD_ENDS_FAIL;
    campaign(run, &config, run->time, &found);
    judge(run, one, &found, result);
    add_notes(&found, result);
    rv_result_free(&found);
}

void rv_suite_run_controlled(const struct rv_suite_run *run, const struct rv_suite_case *one,
                             struct rv_test_result *result) {
    double begun = rv_seconds();
    if (run->explore || run->config.races)
        explore(run, one, result);
    else
        run_once(run, one, result);
    result->seconds = rv_seconds() - begun;
}

void rv_suite_run_case(const void *user, const struct rv_suite_case *one, struct rv_test_result *result) {
    const struct rv_suite_run *run = user;
    if (run->passive)
        rv_suite_run_passive(run, one, result);
    else
        rv_suite_run_controlled(run, one, result);
}
