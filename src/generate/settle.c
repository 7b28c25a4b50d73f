#include "generate/settle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "generate/write.h"
#include "migrate/command.h"
#include "supervisor/reduce.h"

static const double reduce_seconds = 3, reduce_seconds_race = 0.5;

void rv_settled_free(struct rv_settled *settled) {
    rv_bug_free(&settled->bug);
    rv_failure_free(&settled->failure);
    rv_bug_pattern_free(&settled->pattern);
    free(settled->case_file);
    free(settled->test_file);
    *settled = (struct rv_settled){0};
}

static bool write_file(const char *path, const void *data, size_t size) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return false;
    bool good = true;
    for (size_t done = 0; good && done < size;) {
        ssize_t part = write(fd, (const char *)data + done, size - done);
        good = part > 0 || (part < 0 && errno == EINTR);
        if (part > 0) done += (size_t)part;
    }
    return close(fd) == 0 && good;
}

/* KIND-METHOD-METHOD-XXXXXXXX */
static char *base_name(const struct rv_api *api, const struct rv_bug *bug, const char *directory,
                       const unsigned char *data, uint32_t size) {
    struct rv_text text = {0};
    uint64_t hash = 0xcbf29ce484222325u, named = 0;
    for (uint32_t i = 0; i < size; i++) hash = (hash ^ data[i]) * 0x100000001b3u;
    rv_text_addf(&text, "%s/%s", directory, rv_kind_names[bug->kind]);
    for (uint32_t i = 0; i < bug->test.count; i++) {
        const struct rv_case_call *call = &bug->test.calls[i];
        if (call->phase != RV_PHASE_DURING || named++ >= 3) continue;
        rv_text_addf(&text, "-%.40s", api->methods[call->method].name);
    }
    rv_text_addf(&text, "-%08x", (unsigned)(hash >> 32 ^ hash));
    return rv_text_take(&text);
}

static bool write_case(struct rv_settled *settled, const struct rv_settling *settling, char **warning) {
    static unsigned char data[RV_CASE_ROOM];
    struct rv_bug *bug = &settled->bug;
    struct rv_history history = {0};
    bool wrong = bug->kind == RV_KIND_NONLINEARIZABLE;
    rv_test_history(&bug->test, &history);
    uint32_t size = 0;
    if (!wrong || rv_test_told(&history, bug->told, bug->told_size))
        size = rv_test_encode(&bug->test, settling->hash, NULL, 0, wrong ? &history : NULL, data);
    rv_history_free(&history);
    if (!size) return false;
    char *name = base_name(settling->api, bug, settling->vault->directory, data, size);
    char *relative = rv_text_format("%s.case", name);
    free(name);
    bool good = write_file(relative, data, size);
    if (!good) *warning = rv_text_format("%s: %s", relative, strerror(errno));
    settled->case_file = good ? realpath(relative, NULL) : NULL;
    free(relative);
    return settled->case_file != NULL;
}

static bool confirm(struct rv_settled *settled, const struct rv_settling *settling, char **warning) {
    struct rv_program program;
    char *args[] = {settled->case_file, NULL};
    if (rv_program_open(&program, settling->harness, args, warning) != 0) return false;
    struct rv_case about = {.program = &program, .config = *settling->config};
    struct rv_expectation expected = {settled->bug.kind, settled->bug.signature, .met = false};
    struct rv_confirmation confirmation;
    if (settled->bug.kind == RV_KIND_NONLINEARIZABLE) expected.kind = RV_KIND_NONE; /* has no signature yet */
    rv_confirm(&confirmation, &about, &settled->bug.schedule, &expected);
    bool good = confirmation.verdict == RV_CONFIRMED && confirmation.failure.kind == settled->bug.kind;
    if (good) {
        settled->failure = confirmation.failure;
        confirmation.failure = (struct rv_failure){0};
        settled->failure.count = 1;
        settled->failure.first_schedule = settled->bug.executions;
        rv_text_set(&settled->failure.isolation, rv_text_copy("memory"));
        rv_reduce(&settled->failure, &about,
                  settled->bug.kind == RV_KIND_RACE ? reduce_seconds_race : reduce_seconds);
        if (!rv_vault_save(settling->vault, &settled->failure, warning))
            rv_text_set(&settled->failure.file, rv_text_copy(""));
    } else if (confirmation.why) {
        *warning = rv_text_copy(confirmation.why);
    }
    rv_confirmation_free(&confirmation);
    rv_program_close(&program);
    return good;
}

/* ---- the test to keep ---- */

static char *joined(char *const *words) {
    struct rv_text text = {0};
    for (; *words; words++) rv_text_addf(&text, "%s%s", text.size ? " " : "", *words);
    return rv_text_take(&text);
}

/* Whether a case of the test failed as the bug does. */
static bool failed_so(const char *json_file, enum rv_kind kind) {
    json_t *root = json_load_file(json_file, 0, NULL), *each;
    const char *wanted = rv_kind_names[kind == RV_KIND_NONLINEARIZABLE ? RV_KIND_ASSERT : kind];
    bool found = false;
    size_t i;
    json_array_foreach(json_object_get(root, "tests"), i, each) {
        const char *text = json_string_value(json_object_get(each, "kind"));
        found |= text && strcmp(text, wanted) == 0;
    }
    json_decref(root);
    return found;
}

/* Runs the program under `ravel test`; whether it shows the bug. */
static bool shows(const struct rv_settled *settled, const struct rv_settling *settling, const char *program,
                  bool explore) {
    char *json = rv_text_format("%s.json", program), *option = rv_text_format("--json=%s", json);
    char *out = rv_text_format("--out=%s.failures", program), *log = rv_text_format("%s.log", program);
    char *words[] = {
        (char *)settling->build->ravel, "test", option, out, "--time-limit=20", NULL, NULL, NULL};
    size_t count = 5;
    if (explore) words[count++] = "--explore";
    words[count++] = (char *)program;
    const char *none = NULL;
    char *no_value = NULL;
    int status = 0;
    struct rv_command_run run = {
        .words = words, .names = &none, .values = &no_value, .output = log, .limit = 60};
    enum rv_command_end end = rv_command_do(&run, &status);
    bool good = end == RV_COMMAND_FAILED && status == 1 && failed_so(json, settled->bug.kind);
    char *directory = rv_text_format("%s.failures", program);
    struct rv_vault vault;
    char *error = NULL;
    if (access(directory, F_OK) == 0 && rv_vault_open(&vault, directory, &error)) {
        char **files = rv_vault_list(&vault);
        for (size_t i = 0; files[i]; i++) {
            (void)unlink(files[i]);
            free(files[i]);
        }
        free(files);
        rv_vault_close(&vault);
        (void)rmdir(directory);
    }
    free(error);
    free(directory);
    (void)unlink(json);
    (void)unlink(log);
    free(json);
    free(option);
    free(out);
    free(log);
    return good;
}

static void keep_test(struct rv_settled *settled, const struct rv_settling *settling) {
    const char *base = strrchr(settled->case_file, '/') + 1;
    int length = (int)(strlen(base) - strlen(".case"));
    char *name = rv_text_format("%s/%.*s", settling->vault->directory, length, base),
         *file = rv_text_format("%s.c", name);
    char *program = rv_text_format("%s.test", name), *log = rv_text_format("%s.build", name), *error = NULL;
    char *flags = joined(settling->build->flags), *sources = joined(settling->build->sources);
    char *build = rv_text_format("ravel cc -O1 -g -I %s%s%s %s %s -pthread -o %s", settling->build->include,
                                 *flags ? " " : "", flags, file, sources, program);
    for (int explore = 0; explore < 2 && !settled->test_reproduces; explore++) {
        char *run = rv_text_format("ravel test %s%s", explore ? "--explore " : "", program);
        struct rv_test_file about = {.api = settling->api,
                                     .bug = &settled->bug,
                                     .runner = settling->runner,
                                     .header = settling->header,
                                     .build = build,
                                     .run = run,
                                     .replay = settled->failure.file ? settled->failure.file : ""};
        char *text = rv_test_file_text(&about);
        struct rv_build how = *settling->build;
        how.log = log;
        bool built = text && write_file(file, text, strlen(text)) &&
                     (explore || rv_harness_build(&how, file, program, &error));
        settled->test_reproduces = built && shows(settled, settling, program, explore);
        free(text);
        free(run);
        if (!built) break;
    }
    (void)unlink(log);
    (void)unlink(program);
    if (settled->test_reproduces)
        settled->test_file = rv_text_copy(file);
    else
        (void)unlink(file);
    free(name);
    free(file);
    free(program);
    free(log);
    free(error);
    free(flags);
    free(sources);
    free(build);
}

bool rv_settle(struct rv_settled *settled, struct rv_bug *bug, const struct rv_settling *settling,
               char **warning) {
    *settled = (struct rv_settled){.bug = *bug};
    *bug = (struct rv_bug){0};
    if (write_case(settled, settling, warning) && confirm(settled, settling, warning)) {
        if (settled->bug.kind == RV_KIND_RACE) return true;
        rv_bug_pattern_find(&settled->pattern, &settled->bug, settling->runner);
        keep_test(settled, settling);
        return true;
    }
    if (settled->case_file) (void)unlink(settled->case_file);
    rv_settled_free(settled);
    return false;
}
