/* `ravel replay`: the recorded schedule once more, in a fresh process, and what came of it. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/signature.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "report/race.h"
#include "report/symbolise.h"
#include "report/text.h"
#include "supervisor/debug.h"
#include "supervisor/recorded.h"
#include "supervisor/trace_text.h"
#include "supervisor/util.h"

struct replay_values {
    bool gdb;
    bool trace;
};

static int replay(int argc, char **argv);

static const struct rv_option replay_options[] = {
    {"gdb", 0, RV_OPTION_FLAG, RV_AT(struct replay_values, gdb),
     .help = "in the debugger, which stops where the failure happens"},
    {"trace", 0, RV_OPTION_FLAG, RV_AT(struct replay_values, trace),
     .help = "print every event of the execution"},
    RV_OPTION_END,
};

const struct rv_command rv_command_replay = {
    .name = "replay",
    .summary = "run a recorded failure again, exactly",
    .usage = "[OPTIONS] FILE",
    .description =
        "FILE is a failure that `ravel run` saved. Exit code 1: the failure was reproduced; 0: the\n"
        "execution passed. In a trace, > marks a switch of threads, ! one that interrupted a thread.\n",
    .options = replay_options,
    .interleaved = true,
    .run = replay,
};

static void print_notes(const struct rv_area *area) {
    uint32_t count = rv_load32(&area->control.note_count);
    for (uint32_t i = 0; i < count && i < RV_MAX_NOTES; i++) {
        char *note = rv_clean_text(area->control.notes[i], sizeof area->control.notes[i]);
        printf("note: %s\n", note);
        free(note);
    }
}

static void print_difference(const struct rv_failure *recorded, const struct rv_area *area,
                             const struct rv_outcome *outcome, struct rv_symboliser *symbols) {
    char *difference = rv_recorded_difference(recorded, area, symbols);
    if (difference) {
        char *clean = rv_text_harmless(difference, false);
        printf("  first difference: %s\n", clean);
        free(clean);
    }
    if (outcome->deviations)
        printf("  %llu run%s of the schedule could not be followed as recorded\n",
               (unsigned long long)outcome->deviations, outcome->deviations == 1 ? "" : "s");
    free(difference);
}

static void print_verdict(const struct rv_failure *recorded, const struct rv_outcome *outcome, bool same,
                          bool changed) {
    if (same && outcome->event_hash == recorded->event_hash) {
        printf("reproduced: every event as recorded\n\n");
    } else if (same) {
        printf("reproduced, though not every event is as recorded%s\n\n",
               changed ? " (the program has changed)" : "");
    } else if (outcome->kind != RV_KIND_NONE) {
        printf("not reproduced: this schedule fails in another way now (recorded: %s: %s)\n",
               rv_kind_names[recorded->kind], recorded->message);
    } else {
        printf("not reproduced: the execution passed (recorded: %s: %s)\n", rv_kind_names[recorded->kind],
               recorded->message);
    }
}

/* What happened, told; the exit code. */
static int tell(const struct rv_failure *recorded, const struct rv_case *about, struct rv_server *server,
                const struct rv_reply *reply, const struct replay_values *values) {
    const struct rv_area *area = rv_server_area(server);
    const struct rv_outcome *outcome = &reply->outcome;
    const char *build_id = about->program->build_id;
    bool changed = strcmp(recorded->build_id, build_id) != 0;
    struct rv_expectation expected = {recorded->kind, recorded->signature, .met = false};
    /* In a changed program the same place has another address: the kind must do. */
    bool same = changed ? outcome->kind == (uint32_t)recorded->kind : rv_expected(&expected, outcome);
    struct rv_symboliser *symbols = rv_symboliser_open(area, recorded->cwd);
    if (changed) printf("%s has changed since the recording; trying all the same\n", recorded->program);
    if (values->trace) rv_trace_print(stdout, symbols, area);
    print_verdict(recorded, outcome, same, changed);
    if (!same || outcome->event_hash != recorded->event_hash)
        print_difference(recorded, area, outcome, symbols);
    rv_symboliser_close(symbols);
    if (outcome->kind != RV_KIND_NONE) {
        struct rv_failure now;
        struct rv_print_options options = rv_terminal_options(stdout);
        rv_confirm_describe(&now, about, server);
        if (same && now.race && recorded->race) rv_race_carry_over(now.race, recorded->race);
        rv_failure_print(&now, stdout, &options);
        rv_failure_free(&now);
    }
    print_notes(area);
    return outcome->kind == RV_KIND_NONE ? RV_EXIT_FINE : RV_EXIT_FAILURE;
}

static int run_once(const struct rv_failure *recorded, const struct rv_case *about,
                    const struct replay_values *values) {
    struct rv_schedule schedule = rv_recorded_schedule(recorded);
    struct rv_expectation expected = {recorded->kind, recorded->signature, .met = false};
    if (strcmp(recorded->build_id, about->program->build_id) != 0) expected.signature = RV_RACE_ANY;
    struct rv_config config = rv_case_config(about, &expected);
    struct rv_server server;
    struct rv_reply reply = {.state = RV_REPLY_UNAVAILABLE};
    int status;
    if (rv_server_open(&server, about->program, &config, true))
        rv_server_run(&server, &schedule, rv_confirm_flags(&expected), &reply);
    if (reply.state == RV_REPLY_UNAVAILABLE) {
        char *reason = rv_confirm_reason(&server);
        status = rv_command_error(&rv_command_replay, "%s", reason ? reason : "interrupted");
        free(reason);
    } else {
        signal(SIGPIPE, SIG_DFL); /* whoever reads may stop */
        status = tell(recorded, about, &server, &reply, values);
    }
    rv_server_close(&server);
    return status;
}

static int replay_failure(const struct rv_failure *recorded, const struct replay_values *values) {
    struct rv_program program;
    char *error = NULL;
    int status = rv_recorded_open(&program, recorded, &error);
    if (status != 0) {
        rv_command_error(&rv_command_replay, "%s", error);
        free(error);
        rv_program_close(&program);
        return status;
    }
    struct rv_case about = {.program = &program, .config = recorded->config};
    if (values->gdb) { /* standard input is gdb's */
        rv_debug(&about, recorded);
        status = rv_command_error(&rv_command_replay, "gdb cannot be started: %s", strerror(errno));
    } else {
        rv_program_take_input(&program);
        rv_catch_interrupts();
        status = run_once(recorded, &about, values);
    }
    rv_program_close(&program);
    return status;
}

static int replay(int argc, char **argv) {
    struct replay_values values = {0};
    int first;
    int status = rv_options_parse(&rv_command_replay, &values, argc, argv, &first);
    if (status != RV_OPTIONS_GO) return status;
    if (argc - first != 1) return rv_usage_error(&rv_command_replay, "expected one failure file");
    struct rv_failure recorded;
    char *error = NULL;
    if (!rv_failure_read(&recorded, argv[first], &error)) {
        status = rv_usage_error(&rv_command_replay, "%s", error);
        free(error);
        return status;
    }
    status = replay_failure(&recorded, &values);
    rv_failure_free(&recorded);
    return status;
}
