/* `ravel migrate`: options, the migration, and what is done with it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/json_file.h"
#include "cli/options.h"
#include "migrate/command.h"
#include "migrate/edits.h"
#include "migrate/rewrite.h"
#include "migrate/tell.h"
#include "report/text.h"
#include "supervisor/util.h"

struct migrate_values {
    uint64_t runs;
    double scale, time_limit;
    const char *confidence, *test, *json, *compile_commands, *run;
    bool write;
};

static int migrate(int argc, char **argv);

static const char *check_confidence(const char *text) {
    char *end;
    double value = strtod(text, &end);
    return *end || end == text || !(value > 0 && value <= 1) ? "expected a number above 0, at most 1" : NULL;
}

#define AT(member) RV_AT(struct migrate_values, member)
static const struct rv_option migrate_options[] = {
    {"runs", 0, RV_OPTION_UINT, AT(runs), .argument = "N", .min = 1, .max = 1000,
     .help = "learn from N runs that pass (default 10)"},
    {"scale", 0, RV_OPTION_SECONDS, AT(scale), .argument = "N",
     .help = "time runs N times slower for the tests, so that their sleeps are long\n"
             "against what logging costs (default 3)"},
    {"confidence", 0, RV_OPTION_STRING, AT(confidence), .argument = "C", .check = check_confidence,
     .help = "drop what was seen in a smaller share of the runs (default 0.5)"},
    {"test", 0, RV_OPTION_STRING, AT(test), .argument = "NAME", .help = "migrate this test only"},
    {"write", 'w', RV_OPTION_FLAG, AT(write),
     .help = "rewrite the file, build it, and run its tests under their schedules;\n"
             "if one fails, put everything back"},
    {"json", 0, RV_OPTION_STRING, AT(json), .argument = "FILE",
     .help = "what was found as JSON; \"-\": standard output, and nothing else goes\nthere"},
    {"time-limit", 0, RV_OPTION_SECONDS, AT(time_limit), .argument = "SECONDS",
     .help = "a run of the command that takes longer has failed (default 120)"},
    {"compile-commands", 0, RV_OPTION_STRING, AT(compile_commands), .argument = "FILE",
     .help = "read the options with which the file is compiled from this\n"
             "compile_commands.json"},
    {"run", 0, RV_OPTION_STRING, AT(run), .argument = "COMMAND",
     .help = "the command as one line for the shell, in place of -- COMMAND"},
    RV_OPTION_END,
};

const struct rv_command rv_command_migrate = {
    .name = "migrate",
    .summary = "turn tests that order their threads by sleeping into tests with schedules",
    .usage = "[OPTIONS] TESTFILE.c -- COMMAND...",
    .description =
        "COMMAND builds TESTFILE.c with `ravel cc` and runs its tests, e.g. make check. It is run several\n"
        "times. From what the threads do while others sleep, events and their order are inferred; the\n"
        "result is a change of TESTFILE.c, shown as a diff, or made with --write. Environment: CC is set\n"
        "to `ravel cc` for COMMAND unless it is set.\n",
    .options = migrate_options,
    .run = migrate,
};

/* ---- writing ---- */

static bool write_text(const char *path, const char *text, size_t size) {
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    bool good = fd >= 0;
    for (size_t done = 0; good && done < size;) {
        ssize_t part = write(fd, text + done, size - done);
        good = part > 0 || (part < 0 && errno == EINTR);
        if (part > 0) done += (size_t)part;
    }
    if (fd >= 0) good = close(fd) == 0 && good;
    return good;
}

#define EXPLORED "200"

/* The tests under their schedules, by `ravel test`; `explore`: in some of the ways that these allow. NULL: all have passed; else why
 * not, malloc'ed. */
static char *check_tests(const struct rv_migration *migration, bool explore) {
    char **words = rv_text_alloc(migration->test_count + 8, sizeof *words);
    char *out = rv_text_format("--out=%s/failures", migration->directory);
    size_t count = 0;
    words[count++] = (char *)migration->request.ravel;
    words[count++] = "test";
    words[count++] = out;
    if (explore) words[count++] = "--explore";
    if (explore) words[count++] = "--schedules=" EXPLORED;
    words[count++] = migration->program;
    for (uint32_t t = 0; t < migration->test_count; t++)
        if (!migration->tests[t].skipped)
            words[count++] = migration->source.functions[migration->tests[t].function].test_name;
    const char *none = NULL;
    char *no_value = NULL, *output = rv_text_format("%s/output", migration->directory), *reason = NULL;
    struct rv_command_run run = {.words = words,
                                 .names = &none,
                                 .values = &no_value,
                                 .output = output,
                                 .limit = migration->request.limit};
    int status;
    enum rv_command_end end = rv_command_do(&run, &status);
    if (end != RV_COMMAND_PASSED) {
        char *said = rv_command_said(output);
        reason =
            end == RV_COMMAND_FAILED ? rv_text_copy(said) : rv_text_copy("ravel test did not come to an end");
        free(said);
    }
    free(words);
    free(output);
    free(out);
    return reason;
}

/* The new text is in the file when it is built and all tests pass; else the old one is, and *message says why. */
static bool write_and_check(struct rv_migration *migration, const char *text, char **message) {
    const struct rv_source *source = &migration->source;
    char *reason = NULL, *ignored = NULL;
    if (!write_text(migration->file, text, strlen(text)))
        reason = rv_text_format("%s: %s", migration->request.file, strerror(errno));
    else if (!rv_migration_rebuild(migration, true, &reason))
        rv_text_set(&reason, rv_text_format("the migrated file does not build: %s", reason ? reason : ""));
    else
        reason = check_tests(migration, false);
    if (!reason) return true;
    bool back = write_text(migration->file, source->text, source->size);
    if (back) (void)rv_migration_rebuild(migration, false, &ignored);
    free(ignored);
    *message = rv_text_format("%s: %s; %s", migration->request.file, reason,
                              back ? "everything is as before" : "and the file could not be put back");
    free(reason);
    return false;
}

/* ---- the command ---- */

static int finish(struct rv_migration *migration, const struct migrate_values *values, double began) {
    char *text = rv_migration_rewrite(migration), *message = NULL;
    const char *name =
        migration->request.file + strspn(migration->request.file, "/"); /* for patch -p1 -d / */
    char *diff = rv_text_diff(migration->source.text, text, name);
    int status = RV_EXIT_FINE;
    bool written = false, quiet = rv_is_standard(values->json);
    if (!quiet) {
        fputs(diff, stdout);
        rv_migration_tell(stdout, migration);
        fflush(stdout);
    }
    if (values->write && *diff) {
        written = write_and_check(migration, text, &message);
        if (!written) {
            (void)rv_command_error(&rv_command_migrate, "%s", message);
            status = RV_EXIT_FAILURE;
        } else if (!quiet) {
            printf("%s: written; all tests pass under their schedules\n", migration->request.file);
            char *open = check_tests(migration, true);
            if (open)
                printf("what the schedules leave open is not meant to be: ravel test --explore %s says: %s\n",
                       migration->program, open);
            free(open);
        }
    } else if (!rv_migration_rebuild(migration, false, &message)) {
        status = rv_command_error(&rv_command_migrate, "%s", message);
    }
    if (values->json &&
        !rv_json_write(rv_migration_json(migration, rv_seconds() - began, written), values->json))
        status = rv_command_error(&rv_command_migrate, "%s: %s", values->json, strerror(errno));
    free(message);
    free(diff);
    free(text);
    return status;
}

static int begin(struct rv_migrate_request *request, const struct migrate_values *values) {
    struct rv_migration migration;
    char *message = NULL;
    double began = rv_seconds();
    rv_catch_interrupts();
    enum rv_migrate_end end = rv_migration_run(&migration, request, &message);
    int status;
    if (end == RV_MIGRATE_FINE) {
        status = finish(&migration, values, began);
    } else {
        char *ignored = NULL;
        (void)rv_migration_rebuild(&migration, false, &ignored);
        free(ignored);
        status = end == RV_MIGRATE_WRONG ? rv_usage_error(&rv_command_migrate, "%s", message)
                                         : rv_command_error(&rv_command_migrate, "%s", message);
    }
    rv_migration_free(&migration);
    free(message);
    return status;
}

static int migrate(int argc, char **argv) {
    struct migrate_values values = {.runs = 10, .scale = 3, .time_limit = 120, .confidence = "0.5"};
    int first;
    int status = rv_options_parse(&rv_command_migrate, &values, argc, argv, &first);
    if (status != RV_OPTIONS_GO) return status;
    char *shell[] = {"sh", "-c", (char *)values.run, NULL};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return rv_command_error(&rv_command_migrate, "/proc/self/exe: %s", strerror(errno));
    self[length] = '\0';
    if (first >= argc) return rv_usage_error(&rv_command_migrate, "expected a test file, NAME.c");
    int command = first + 1;
    if (command < argc && strcmp(argv[command], "--") == 0) command++;
    if (values.run ? command < argc : command >= argc)
        return rv_usage_error(&rv_command_migrate, "expected -- COMMAND, or --run=COMMAND%s",
                              values.run ? ", not both" : "");
    if (values.write && access(argv[first], F_OK) == 0 && access(argv[first], W_OK) != 0)
        return rv_usage_error(&rv_command_migrate, "--write: %s: %s", argv[first], strerror(errno));
    if (values.json && !rv_file_writable(values.json))
        return rv_usage_error(&rv_command_migrate, "--json: %s: %s", values.json, strerror(errno));
    struct rv_migrate_request request = {.file = argv[first],
                                         .command = values.run ? shell : argv + command,
                                         .runs = (uint32_t)values.runs,
                                         .scale = values.scale,
                                         .confidence = strtod(values.confidence, NULL),
                                         .limit = values.time_limit,
                                         .test = values.test,
                                         .compile_commands = values.compile_commands,
                                         .ravel = self};
    return begin(&request, &values);
}
