#include "generate/session.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "coverage/collect.h"
#include "generate/harness.h"
#include "generate/probe.h"
#include "generate/settle.h"
#include "generate/spec.h"
#include "report/race.h"
#include "report/whole_file.h"
#include "supervisor/progress.h"
#include "supervisor/util.h"

struct session {
    const struct rv_generate_request *request;
    struct rv_generated *result;
    struct rv_vault vault;
    struct rv_program program;
    struct rv_runner runner;
    struct rv_hunt hunt;
    struct rv_settling settling;
    struct rv_progress progress;
    char *harness, *header, *include;
    struct rv_build how;
    uint64_t hash;
    bool has_vault, has_program, has_runner, has_hunt;
};

/* ---- texts to pass on ---- */

static void add_string(struct rv_api *api, const char *text) {
    for (uint32_t i = 0; i < api->string_count; i++)
        if (strcmp(api->strings[i], text) == 0) return;
    api->strings = rv_text_realloc(api->strings, api->string_count + 1, sizeof *api->strings);
    api->strings[api->string_count++] = rv_text_copy(text);
}

/* What stands in quotes in the header's comments is likely to be understood by the module. */
static void add_quoted(struct rv_api *api) {
    size_t size;
    char *error = NULL, *text = rv_whole_file(api->header, 16u << 20, "header", &size, &error);
    free(error);
    for (char *at = text; at && *at && api->string_count < 24;) {
        char *open = strchr(at, '"'), *close = open ? strpbrk(open + 1, "\"\n") : NULL;
        if (!close) break;
        at = close + 1;
        char *line = open;
        while (line > text && line[-1] != '\n') line--;
        if (*close != '"' || *line == '#' || close - open > 40) continue;
        *close = 0;
        struct rv_text plain = {0};
        for (char *c = open + 1; *c; c++) {
            if (*c == '\\' && c[1] == 'n') {
                rv_text_add(&plain, "\n");
                c++;
            } else {
                rv_text_add_n(&plain, c, 1);
            }
        }
        char *taken = rv_text_take(&plain);
        add_string(api, taken);
        free(taken);
    }
    free(text);
}

static void fill_strings(struct rv_api *api) {
    static const char *const usual[] = {"a",
                                        "b",
                                        "",
                                        "ab",
                                        "c",
                                        "abc",
                                        "a=1",
                                        "a=1\nb=2",
                                        "b=2",
                                        "hello, world",
                                        "0123456789012345678901234567890123456789"};
    if (api->string_count == 0) add_quoted(api);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) add_string(api, usual[i]);
}

/* Guesses, and what the user knows better. */
static bool specify(struct rv_api *api, const char *path, char **message) {
    struct rv_spec *spec = path ? rv_spec_read(path, message) : NULL;
    if (path && !spec) return false;
    bool good = !spec || rv_spec_lengths(spec, api, message);
    if (good) {
        rv_api_guess(api);
        good = !spec || rv_spec_apply(spec, api, message);
    }
    rv_spec_free(spec);
    return good;
}

/* ---- the harness ---- */

static bool write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    if (!file) return false;
    bool good = fputs(text, file) >= 0;
    return fclose(file) == 0 && good;
}

static enum rv_generate_end build(struct session *session, char **message) {
    const struct rv_generate_request *request = session->request;
    struct rv_api *api = &session->result->api;
    char *header = realpath(request->header, NULL), *directory = realpath(session->vault.directory, NULL);
    if (!header || !directory) {
        *message =
            rv_text_format("%s: %s", header ? session->vault.directory : request->header, strerror(errno));
        free(header);
        free(directory);
        return RV_GENERATE_WRONG;
    }
    char *text = rv_harness_text(api, header, &session->hash);
    session->include = rv_text_copy(header);
    *strrchr(session->include, '/') = 0;
    session->harness = rv_text_format("%s/harness-%s", directory, api->short_name);
    char *text_file = rv_text_format("%s.c", session->harness),
         *log = rv_text_format("%s.log", session->harness);
    session->how = (struct rv_build){.ravel = request->ravel,
                                     .sources = request->sources,
                                     .flags = request->flags,
                                     .include = *session->include ? session->include : "/",
                                     .log = log};
    bool good = write_text(text_file, text);
    if (!good) *message = rv_text_format("%s: %s", text_file, strerror(errno));
    good = good && rv_harness_build(&session->how, text_file, session->harness, message);
    if (good) (void)unlink(log);
    session->how.log = NULL;
    session->header = header;
    free(text);
    free(text_file);
    free(log);
    free(directory);
    return good ? RV_GENERATED : RV_GENERATE_WRONG;
}

/* ---- what is found ---- */

static bool is_known(const struct session *session, const struct rv_bug *bug) {
    for (uint32_t i = 0; i < session->result->bug_count; i++)
        if (rv_bug_same(&session->result->bugs[i].bug, bug)) return true;
    return false;
}

static void settle(struct session *session) {
    struct rv_generated *result = session->result;
    struct rv_settled settled;
    char *warning = NULL;
    rv_progress_say(&session->progress, "making the test small");
    rv_bug_shrink(&session->hunt.bug, &session->runner, &result->api, session->request->seed);
    if (is_known(session, &session->hunt.bug)) {
        rv_bug_free(&session->hunt.bug);
        return;
    }
    if (rv_settle(&settled, &session->hunt.bug, &session->settling, &warning)) {
        result->bugs = rv_text_realloc(result->bugs, result->bug_count + 1, sizeof *result->bugs);
        result->bugs[result->bug_count++] = settled;
    } else {
        result->unconfirmed++;
    }
    if (warning) fprintf(stderr, "ravel generate: %s\n", warning);
    free(warning);
}

/* The same pair of lines: one race to the user. */
static bool race_is_known(const struct rv_generated *result, const struct rv_race_text *race) {
    char *lines = rv_race_lines(rv_race_statement(&race->first), rv_race_statement(&race->second));
    bool known = false;
    for (uint32_t i = 0; i < result->race_count && !known; i++) {
        const struct rv_race_text *other = result->races[i].failure.race;
        char *those = rv_race_lines(rv_race_statement(&other->first), rv_race_statement(&other->second));
        known = strcmp(lines, those) == 0;
        free(those);
    }
    free(lines);
    return known;
}

/* Races that a fresh process shows, too. Known ones, of bugs that were found, are among them. */
static void settle_races(struct session *session) {
    struct rv_generated *result = session->result;
    result->races = rv_text_alloc(RV_RACES_SEEN, sizeof *result->races);
    rv_progress_say(&session->progress, "looking at data races");
    for (uint32_t i = 0; i < session->hunt.race_count && !rv_interrupted; i++) {
        struct rv_bug bug = {.test = session->hunt.races[i].test,
                             .kind = RV_KIND_RACE,
                             .signature = session->hunt.races[i].signature,
                             .schedule = session->hunt.races[i].schedule};
        session->hunt.races[i].schedule = (struct rv_schedule){0};
        char *warning = NULL;
        struct rv_settled settled;
        if (rv_settle(&settled, &bug, &session->settling, &warning)) {
            if (settled.failure.race && !race_is_known(result, settled.failure.race)) {
                result->races[result->race_count++] = settled;
            } else {
                (void)unlink(settled.failure.file);
                (void)unlink(settled.case_file);
                rv_settled_free(&settled);
            }
        }
        free(warning);
    }
    rv_progress_clear(&session->progress);
}

static bool enough(const struct session *session) {
    const struct rv_generate_request *request = session->request;
    if (rv_interrupted || (session->result->bug_count && !request->keep_going)) return true;
    if (request->tests && session->hunt.tests >= request->tests) return true;
    return request->time > 0 && rv_seconds() - session->hunt.started >= request->time;
}

static void count_pairs(struct session *session) {
    const struct rv_hunt *hunt = &session->hunt;
    struct rv_generated *result = session->result;
    result->pairs = result->pairs_covered = 0;
    for (uint32_t i = 0; i < hunt->maker.concurrent_count; i++)
        for (uint32_t j = i; j < hunt->maker.concurrent_count; j++) {
            result->pairs++;
            result->pairs_covered +=
                hunt->pairs
                    .counted[hunt->maker.concurrent[i] * hunt->pairs.count + hunt->maker.concurrent[j]] > 0;
        }
}

static void show(struct session *session) {
    const struct rv_generate_request *request = session->request;
    double now = rv_seconds(), spent = now - session->hunt.started;
    char line[256], tests[32], executions[32], left[48] = "";
    if (!session->progress.out || now - session->progress.shown < 0.1) return;
    count_pairs(session);
    if (request->time > 0) (void)snprintf(left, sizeof left, ", about %.0f s left", request->time - spent);
    (void)snprintf(line, sizeof line, "%s tests, %s executions, %llu of %llu pairs of methods, %u bug%s%s",
                   rv_grouped(session->hunt.tests, tests), rv_grouped(session->runner.executions, executions),
                   (unsigned long long)session->result->pairs_covered,
                   (unsigned long long)session->result->pairs, session->result->bug_count,
                   session->result->bug_count == 1 ? "" : "s", left);
    rv_progress_say(&session->progress, line);
    session->progress.shown = now;
}

static enum rv_generate_end hunt(struct session *session, char **message) {
    struct rv_generated *result = session->result;
    session->progress =
        (struct rv_progress){.out = session->request->progress, .width = session->request->width};
    while (!enough(session)) {
        show(session);
        bool more = rv_hunt_test(&session->hunt);
        if (session->hunt.found) {
            if (is_known(session, &session->hunt.bug))
                rv_bug_free(&session->hunt.bug);
            else
                settle(session);
        }
        if (!more) break;
    }
    settle_races(session);
    count_pairs(session);
    char *directory = getcwd(NULL, 0);
    struct rv_symboliser *symbols =
        rv_symboliser_open(rv_runner_area(&session->runner), directory ? directory : "");
    rv_coverage_collect(&result->coverage, rv_runner_area(&session->runner), symbols);
    rv_symboliser_close(symbols);
    free(directory);
    result->tests = session->hunt.tests;
    result->executions = session->runner.executions;
    result->useless = session->hunt.useless;
    result->misuse = session->hunt.misuse;
    result->unknown = session->hunt.unknown;
    result->seconds = rv_seconds() - session->hunt.started;
    if (session->hunt.error && !rv_interrupted && !result->bug_count) {
        *message = rv_text_copy(session->hunt.error);
        return RV_GENERATE_BROKEN;
    }
    result->interrupted = rv_interrupted;
    return RV_GENERATED;
}

/* ---- the whole ---- */

static enum rv_generate_end start(struct session *session, char **message) {
    const struct rv_generate_request *request = session->request;
    char *none[] = {NULL};
    int status = rv_program_open(&session->program, session->harness, none, message);
    if (status != 0) return status == 2 ? RV_GENERATE_WRONG : RV_GENERATE_BROKEN;
    session->has_program = true;
    session->has_runner =
        rv_runner_open(&session->runner, &session->program, &request->config, session->hash);
    if (!session->has_runner) {
        *message = rv_text_copy(session->runner.error);
        return RV_GENERATE_BROKEN;
    }
    session->has_hunt = true;
    rv_probe_nulls(&session->result->api, &session->runner, request->seed);
    if (!rv_hunt_open(&session->hunt, &session->result->api, &session->runner, request->engine,
                      request->seed))
        return RV_GENERATE_WRONG;
    session->settling = (struct rv_settling){.api = &session->result->api,
                                             .harness = session->harness,
                                             .hash = session->hash,
                                             .config = &request->config,
                                             .vault = &session->vault,
                                             .runner = &session->runner,
                                             .build = &session->how,
                                             .header = session->header};
    return hunt(session, message);
}

enum rv_generate_end rv_generate_run(struct rv_generated *result, const struct rv_generate_request *request,
                                     char **message) {
    struct session session = {.request = request, .result = result};
    *result = (struct rv_generated){0};
    if (access(request->header, R_OK) != 0) {
        *message = rv_text_format("%s: %s", request->header, strerror(errno));
        return RV_GENERATE_WRONG;
    }
    if (!rv_api_read(&result->api, request->header, request->type, request->flags, message))
        return RV_GENERATE_WRONG;
    if (!specify(&result->api, request->spec, message)) return RV_GENERATE_WRONG;
    fill_strings(&result->api);
    if (!rv_hunt_possible(&result->api, message)) return RV_GENERATE_WRONG;
    session.has_vault = rv_vault_open(&session.vault, request->out, message);
    enum rv_generate_end end = session.has_vault ? build(&session, message) : RV_GENERATE_WRONG;
    if (end == RV_GENERATED) end = start(&session, message);
    if (session.has_hunt) rv_hunt_close(&session.hunt);
    rv_runner_close(&session.runner);
    if (session.has_program) rv_program_close(&session.program);
    if (session.has_vault && session.harness && result->bug_count == 0 && result->race_count == 0) {
        static const char *const ends[] = {"", ".c", ".log"};
        for (size_t i = 0; i < 3; i++) {
            char *file = rv_text_format("%s%s", session.harness, ends[i]);
            (void)unlink(file);
            free(file);
        }
    }
    if (session.has_vault) rv_vault_close(&session.vault);
    free(session.harness);
    free(session.header);
    free(session.include);
    return end;
}

void rv_generated_free(struct rv_generated *result) {
    for (uint32_t i = 0; i < result->bug_count; i++) rv_settled_free(&result->bugs[i]);
    for (uint32_t i = 0; i < result->race_count; i++) rv_settled_free(&result->races[i]);
    free(result->races);
    free(result->bugs);
    rv_cover_data_free(&result->coverage);
    rv_api_free(&result->api);
    *result = (struct rv_generated){0};
}
