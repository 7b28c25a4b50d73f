#include "supervisor/confirm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "races/recorded.h"
#include "report/symbolise.h"
#include "report/text.h"
#include "supervisor/standing.h"
#include "supervisor/util.h"

/* Variables that change what a program does without being its arguments: kept in the failure file. Others
 * (tokens, sessions, paths of a desktop) are nobody's business in a bug report. */
static bool matters(const char *entry) {
    static const char *const names[] = {
        "LANG=",           "LC_",  "TZ=",   "LD_LIBRARY_PATH=", "LD_PRELOAD=", "MALLOC_",
        "GLIBC_TUNABLES=", "OMP_", "GOMP_", "TMPDIR=",          "CK_FORK="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(entry, names[i], strlen(names[i])) == 0) return true;
    return false;
}

static char **environment_that_matters(void) {
    size_t count = 0, all = 0;
    while (environ[all]) all++;
    char **list = rv_allocate((all + 1) * sizeof *list);
    for (char **entry = environ; *entry; entry++)
        if (matters(*entry)) list[count++] = rv_text_copy(*entry);
    return list;
}

static char **copy_list(char *const *list) {
    size_t count = 0;
    while (list[count]) count++;
    char **copy = rv_allocate((count + 1) * sizeof *copy);
    for (size_t i = 0; i < count; i++) copy[i] = rv_text_copy(list[i]);
    return copy;
}

bool rv_expected(const struct rv_expectation *expected, const struct rv_outcome *outcome) {
    if (outcome->kind == RV_KIND_NONE) return false;
    if (expected->kind == RV_KIND_NONE) return true;
    return outcome->kind == (uint32_t)expected->kind && outcome->signature == expected->signature &&
           (outcome->race_met || !expected->met);
}

struct rv_config rv_case_config(const struct rv_case *about, const struct rv_expectation *expected) {
    struct rv_config config = about->config;
    config.races = 0;
    config.record = 0;
    config.coverage = RV_COVER_OFF;
    config.race = expected && expected->kind == RV_KIND_RACE ? expected->signature : 0;
    config.workers = 1;
    config.output = RV_OUTPUT_ALL;
    return config;
}

void rv_confirm_describe(struct rv_failure *failure, const struct rv_case *about, struct rv_server *server) {
    const struct rv_program *program = about->program;
    char *directory = program->directory ? rv_text_copy(program->directory) : getcwd(NULL, 0);
    *failure = (struct rv_failure){.program = rv_text_copy(program->name),
                                   .args = copy_list(program->argv + 1),
                                   .cwd = directory ? directory : rv_text_copy(""),
                                   .env = program->env ? copy_list(program->env) : environment_that_matters(),
                                   .build_id = rv_text_copy(program->build_id),
                                   .config = about->config};
    struct rv_symboliser *symbols = rv_symboliser_open(rv_server_area(server), failure->cwd);
    rv_failure_from_area(failure, rv_server_area(server), symbols);
    if (failure->kind == RV_KIND_RACE)
        failure->race =
            rv_race_recorded(rv_server_area(server), rv_recording_of(server->channel.shared), symbols);
    rv_symboliser_close(symbols);
    rv_text_set(&failure->output, rv_capture_text(&server->capture));
}

char *rv_confirm_reason(const struct rv_server *server) {
    if (server->error) return rv_text_copy(server->error);
    if (!server->channel.shared) return NULL;
    const struct rv_control *control = &rv_server_area(server)->control;
    uint32_t notes = rv_load32(&control->note_count);
    if (rv_load32(&control->done) == RV_DONE_UNUSABLE && notes > 0 && notes <= RV_MAX_NOTES)
        return rv_clean_text(control->notes[notes - 1], sizeof control->notes[0]);
    if (rv_load32(&control->started) == 0 && !rv_interrupted)
        return rv_text_format("%s: ended before ravel's runtime was loaded into it", server->program->name);
    return NULL;
}

unsigned rv_confirm_flags(const struct rv_expectation *expected) {
    unsigned flags = RV_REQUEST_TRACE | RV_REQUEST_STACKS;
    return expected->kind == RV_KIND_RACE ? flags | RV_REQUEST_RECORD : flags;
}

bool rv_confirm_run(struct rv_server *server, const struct rv_case *about, const struct rv_schedule *schedule,
                    const struct rv_expectation *expected, struct rv_reply *reply) {
    struct rv_config config = rv_case_config(about, expected);
    *reply = (struct rv_reply){.state = RV_REPLY_UNAVAILABLE};
    if (rv_server_open(server, about->program, &config, true))
        rv_server_run(server, schedule, rv_confirm_flags(expected), reply);
    return reply->state != RV_REPLY_UNAVAILABLE;
}

/* The failure is not the one expected: does another fresh process agree that it is one? */
static enum rv_verdict ask_again(const struct rv_case *about, const struct rv_schedule *schedule,
                                 const struct rv_outcome *first) {
    struct rv_server server;
    struct rv_reply reply;
    struct rv_expectation same = {(enum rv_kind)first->kind, first->signature, .met = false};
    bool ran = rv_confirm_run(&server, about, schedule, &same, &reply);
    rv_server_close(&server);
    if (!ran) return RV_UNAVAILABLE;
    return rv_expected(&same, &reply.outcome) ? RV_CONFIRMED : RV_UNSTABLE;
}

/* A race that was confirmed without both threads at their accesses: with them there, if that can be. */
static void bring_together(struct rv_confirmation *confirmation, const struct rv_case *about,
                           struct rv_server *server) {
    struct rv_server met;
    switch (rv_standing_find(about, server, &met)) {
    case RV_STANDING_MET:
        rv_server_close(server);
        *server = met;
        confirmation->outcome = rv_server_area(server)->outcome;
        break;
    case RV_STANDING_EXPLAINED: break;
    case RV_STANDING_HIDDEN: confirmation->verdict = RV_HIDDEN; break;
    case RV_STANDING_UNKNOWN: confirmation->verdict = RV_UNAVAILABLE; break;
    }
}

void rv_confirm(struct rv_confirmation *confirmation, const struct rv_case *about,
                const struct rv_schedule *schedule, const struct rv_expectation *expected) {
    struct rv_server server;
    struct rv_reply reply;
    *confirmation = (struct rv_confirmation){.verdict = RV_UNAVAILABLE};
    if (!rv_confirm_run(&server, about, schedule, expected, &reply)) {
        confirmation->why = rv_confirm_reason(&server);
    } else if (reply.outcome.kind == RV_KIND_NONE) {
        confirmation->verdict = RV_PASSED;
    } else {
        bool as_expected = expected->kind == RV_KIND_NONE ? false : rv_expected(expected, &reply.outcome);
        confirmation->verdict = as_expected ? RV_CONFIRMED : ask_again(about, schedule, &reply.outcome);
    }
    confirmation->outcome = reply.outcome;
    if (confirmation->verdict == RV_CONFIRMED && reply.outcome.kind == RV_KIND_RACE &&
        !reply.outcome.race_met)
        bring_together(confirmation, about, &server);
    if (confirmation->verdict == RV_CONFIRMED || confirmation->verdict == RV_HIDDEN)
        rv_confirm_describe(&confirmation->failure, about, &server);
    rv_server_close(&server);
}

void rv_confirmation_free(struct rv_confirmation *confirmation) {
    rv_failure_free(&confirmation->failure);
    free(confirmation->why);
    *confirmation = (struct rv_confirmation){0};
}
