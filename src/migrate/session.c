/* The way of a migration:
 *
 *   1. The command runs as it is. `ravel cc` notes how it compiles the file. If it does not (the file is up to date), the file is
 *      made to look changed, once. The command must succeed.
 *   2. The file is read with these options, and a copy with log calls is written.
 *   3. The command runs again and again, `ravel cc` compiling the copy in place of the file, until enough runs have passed.
 *   4. What the logs tell is inferred, for each test by itself.
 *   5. The file is built once more as it is, so that no instrumented object is left behind, and gets its old time back.
 *
 * All tests run in all runs: their logs are cut at the begins and ends of tests, so one command serves them all.
 */
#include "migrate/session.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "migrate/command.h"
#include "migrate/note.h"
#include "migrate/rewrite.h"
#include "report/text.h"

enum { CAPACITY = 1 << 18 };

static char *inside(const struct rv_migration *migration, const char *name) {
    return rv_text_format("%s/%s", migration->directory, name);
}

/* ---- running ---- */

enum { ENV_ASKED, ENV_NOTE, ENV_LOG, ENV_SCALE, ENV_TEST, ENV_SKIP, ENV_CC, ENV_COUNT };
static const char *const env_names[] = {[ENV_ASKED] = RV_MIGRATE_ENV,
                                        [ENV_NOTE] = RV_MIGRATE_NOTE_ENV,
                                        [ENV_LOG] = RV_MIGRATE_LOG_ENV,
                                        [ENV_SCALE] = RV_MIGRATE_SCALE_ENV,
                                        [ENV_TEST] = RV_MIGRATE_TEST_ENV,
                                        [ENV_SKIP] = RV_MIGRATE_SKIP_ENV,
                                        [ENV_CC] = "CC",
                                        [ENV_COUNT] = NULL};

static enum rv_command_end run_command(struct rv_migration *migration, char **values, char **message) {
    char *output = inside(migration, "output");
    char *cc = getenv("CC") ? rv_text_copy(getenv("CC")) : rv_text_format("%s cc", migration->request.ravel);
    values[ENV_CC] = cc;
    struct rv_command_run run = {.words = migration->request.command,
                                 .names = env_names,
                                 .values = values,
                                 .output = output,
                                 .limit = migration->request.limit};
    int status;
    enum rv_command_end end = rv_command_do(&run, &status);
    const char *name = migration->request.command[0];
    char *said = rv_command_said(output);
    free(*message);
    *message = NULL;
    if (end == RV_COMMAND_NOT_RUN)
        *message = rv_text_format("%s: %s", name, strerror(status));
    else if (end == RV_COMMAND_LATE)
        *message = rv_text_format("%s: did not end within %g seconds (--time-limit); nothing was changed",
                                  name, migration->request.limit);
    else if (end == RV_COMMAND_INTERRUPTED)
        *message = rv_text_copy("interrupted; nothing was changed");
    else if (end == RV_COMMAND_FAILED)
        *message = rv_text_format("%s ends with status %d%s%s", name, status, *said ? ": " : "", said);
    free(said);
    free(cc);
    free(output);
    return end;
}

/* ---- time stamps ---- */

static void look_changed(struct rv_migration *migration) {
    struct stat now;
    if (!migration->touched && stat(migration->file, &now) == 0) {
        migration->seconds = now.st_mtim.tv_sec;
        migration->nanoseconds = now.st_mtim.tv_nsec;
        migration->touched = true;
    }
    (void)utimensat(AT_FDCWD, migration->file, NULL, 0);
}

static void look_as_before(struct rv_migration *migration) {
    if (!migration->touched) return;
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {migration->seconds, migration->nanoseconds}};
    (void)utimensat(AT_FDCWD, migration->file, times, 0);
    migration->touched = false;
}

/* ---- the steps ---- */

static bool begin(struct rv_migration *migration, char **message) {
    char real[PATH_MAX];
    struct stat status;
    const char *file = migration->request.file, *dot = strrchr(file, '.');
    if (!realpath(file, real) || stat(real, &status) || access(real, R_OK)) {
        *message = rv_text_format("%s: %s", file, strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode) || !dot || strcmp(dot, ".c") != 0) {
        *message = rv_text_format("%s: expected a C file, NAME.c", file);
        return false;
    }
    migration->file = rv_text_copy(real);
    const char *room = getenv("TMPDIR");
    migration->directory = rv_text_format("%s/ravel-migrate-XXXXXX", room && *room ? room : "/tmp");
    if (mkdtemp(migration->directory)) return true;
    *message = rv_text_format("%s: %s", migration->directory, strerror(errno));
    rv_text_set(&migration->directory, NULL);
    return false;
}

static bool write_file(const char *path, const char *text, size_t size) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool good = fd >= 0 && write(fd, text, size) == (ssize_t)size;
    if (fd >= 0) good = close(fd) == 0 && good;
    return good;
}

static bool new_log(const char *path) {
    struct rv_migrate_log header = {.magic = RV_MIGRATE_LOG_MAGIC, .capacity = CAPACITY};
    return write_file(path, (const char *)&header, sizeof header) &&
           truncate(path, (off_t)rv_migrate_log_size(CAPACITY)) == 0;
}

static char *scale_text(const struct rv_migration *migration) {
    return rv_text_format("%.0f", migration->request.scale * 1000);
}

/* Tries of the first run that count as one: a test that sleeps may fail on a busy machine. */
enum { TRIES = 3 };

/* As it is, but in slow time. */
static enum rv_migrate_end first_run(struct rv_migration *migration, struct rv_note *note, char **message) {
    char *path = inside(migration, "note"), *asked = rv_text_format("%s=", migration->file);
    char *log = inside(migration, "log"), *scale = scale_text(migration);
    char *values[ENV_COUNT] = {[ENV_ASKED] = asked, [ENV_NOTE] = path, [ENV_LOG] = log, [ENV_SCALE] = scale};
    enum rv_command_end end = RV_COMMAND_PASSED;
    bool known = false;
    for (int i = 0; i < 2 && end == RV_COMMAND_PASSED && !known; i++) {
        if (i > 0) look_changed(migration);
        if (!write_file(path, "", 0) || !new_log(log)) break;
        end = run_command(migration, values, message);
        for (int again = 1; again < TRIES && end == RV_COMMAND_FAILED; again++)
            end = run_command(migration, values, message);
        known = rv_note_read(note, path);
    }
    free(log);
    free(scale);
    free(path);
    free(asked);
    if (end != RV_COMMAND_PASSED) {
        char *reason = *message;
        *message = end == RV_COMMAND_FAILED ? rv_text_format("before anything was changed, %s", reason)
                                            : rv_text_copy(reason);
        free(reason);
        return RV_MIGRATE_BROKEN;
    }
    if (known) return RV_MIGRATE_FINE;
    *message = rv_text_format(
        "%s: not compiled by the command; expected one that builds it with `ravel cc` and runs its tests",
        migration->request.file);
    return RV_MIGRATE_WRONG;
}

static bool has_sleeps(const struct rv_source *source) {
    for (uint32_t i = 0; i < source->place_count; i++)
        if (source->places[i].sleeps && source->functions[source->places[i].function].followed) return true;
    return false;
}

/* "test-queue.c" is "test_queue", "queue.c" is "test_queue", too. */
static char *name_of_file(const char *path) {
    const char *base = strrchr(path, '/') + 1;
    struct rv_text name = {0};
    if (strncmp(base, "test", 4) != 0) rv_text_add(&name, "test_");
    for (; *base && *base != '.'; base++) rv_text_add_n(&name, isalnum((unsigned char)*base) ? base : "_", 1);
    return rv_text_take(&name);
}

static bool choose_tests(struct rv_migration *migration, char **message) {
    const struct rv_source *source = &migration->source;
    const char *wanted = migration->request.test;
    for (uint32_t i = 0; i < source->function_count; i++) {
        const struct rv_function *function = &source->functions[i];
        if (!function->is_test ||
            (wanted && strcmp(wanted, function->test_name) != 0 && strcmp(wanted, function->name) != 0))
            continue;
        migration->tests =
            rv_text_realloc(migration->tests, migration->test_count + 1, sizeof *migration->tests);
        if (function->is_main)
            rv_text_set(&migration->source.functions[i].test_name, name_of_file(migration->file));
        struct rv_test_found *test = &migration->tests[migration->test_count++];
        *test = (struct rv_test_found){.function = i, .schedule = rv_text_copy("")};
        test->passed = rv_text_alloc(source->place_count, sizeof *test->passed);
    }
    if (migration->test_count) return true;
    if (wanted)
        *message = rv_text_format("--test: %s has no test '%s' that sleeps or starts threads",
                                  migration->request.file, wanted);
    else
        *message = rv_text_format(
            "%s: no test functions found; expected functions without a result that main calls or has in a "
            "table",
            migration->request.file);
    return false;
}

static enum rv_migrate_end read_source(struct rv_migration *migration, const struct rv_note *note,
                                       char **message) {
    if (!rv_source_read(&migration->source, migration->file, note->arguments, note->directory, message))
        return RV_MIGRATE_BROKEN;
    if (!has_sleeps(&migration->source)) {
        *message = rv_text_format("%s: no sleeps: nothing to migrate", migration->request.file);
        return RV_MIGRATE_WRONG;
    }
    return choose_tests(migration, message) ? RV_MIGRATE_FINE : RV_MIGRATE_WRONG;
}

/* ---- logged runs ---- */

struct runs {
    struct rv_run *of_test; /* runs of each test, `most` each */
    uint32_t *count;        /* by test */
    uint32_t most;
};

static void cut_log(struct rv_migration *migration, struct runs *runs, const struct rv_log *log) {
    for (uint32_t t = 0; t < migration->test_count; t++) {
        struct rv_run *run = &runs->of_test[t * runs->most + runs->count[t]];
        if (!rv_run_cut(run, log, migration->tests[t].function, migration->source.place_count)) continue;
        runs->count[t]++;
        for (uint32_t p = 0; p < run->pass_count; p++)
            migration->tests[t].passed[run->passes[p].place] = true;
    }
    if (!migration->program && log->program[0]) migration->program = rv_text_copy(log->program);
}

static enum rv_migrate_end one_run(struct rv_migration *migration, struct runs *runs, char **values,
                                   bool *passed, char **message) {
    if (!new_log(values[ENV_LOG])) {
        *message = rv_text_format("%s: %s", values[ENV_LOG], strerror(errno));
        return RV_MIGRATE_BROKEN;
    }
    enum rv_command_end end = run_command(migration, values, message);
    *passed = end == RV_COMMAND_PASSED;
    if (end != RV_COMMAND_PASSED && end != RV_COMMAND_FAILED) return RV_MIGRATE_BROKEN;
    if (!*passed) return RV_MIGRATE_FINE;
    struct rv_log log;
    if (rv_log_read(&log, values[ENV_LOG])) cut_log(migration, runs, &log);
    bool full = log.full;
    rv_log_free(&log);
    if (full) {
        *message = rv_text_format("%s: its tests do more than a log can hold; choose one with --test",
                                  migration->request.file);
        return RV_MIGRATE_BROKEN;
    }
    if (migration->program) return RV_MIGRATE_FINE;
    *message = rv_text_format("%s: the command runs no test of it", migration->request.file);
    return RV_MIGRATE_WRONG;
}

/* Runs that fail are no evidence; when as many have failed as shall pass, the test is not one to learn from. */
static enum rv_migrate_end all_runs(struct rv_migration *migration, struct runs *runs, char **message) {
    char *copy = inside(migration, strrchr(migration->file, '/') + 1);
    char *log = inside(migration, "log"), *asked = rv_text_format("%s=%s", migration->file, copy);
    char *scale = scale_text(migration);
    char *only = migration->request.test ? rv_text_format("%u", migration->tests[0].function) : NULL;
    char *values[ENV_COUNT] = {[ENV_ASKED] = asked, [ENV_LOG] = log, [ENV_SCALE] = scale, [ENV_TEST] = only};
    char *text = rv_source_instrument(&migration->source, migration->shown);
    enum rv_migrate_end end = RV_MIGRATE_FINE;
    if (!write_file(copy, text, strlen(text))) {
        *message = rv_text_format("%s: %s", copy, strerror(errno));
        end = RV_MIGRATE_BROKEN;
    }
    look_changed(migration);
    migration->instrumented = true;
    uint32_t failed = 0;
    while (end == RV_MIGRATE_FINE && migration->runs < migration->request.runs) {
        bool passed = false;
        end = one_run(migration, runs, values, &passed, message);
        migration->runs += passed;
        if (end != RV_MIGRATE_FINE || passed || ++failed < migration->request.runs) continue;
        char *reason = *message;
        *message =
            rv_text_format("%u of %u runs failed; the last: %s", failed, failed + migration->runs, reason);
        free(reason);
        end = RV_MIGRATE_BROKEN;
    }
    free(text);
    free(copy);
    free(log);
    free(asked);
    free(scale);
    free(only);
    return end;
}

static void infer(struct rv_migration *migration, const struct runs *runs) {
    struct rv_inference **all = rv_text_alloc(migration->test_count, sizeof(struct rv_inference *));
    for (uint32_t t = 0; t < migration->test_count; t++) {
        struct rv_test_found *test = &migration->tests[t];
        const struct rv_function *function = &migration->source.functions[test->function];
        const struct rv_run *own = &runs->of_test[t * runs->most];
        rv_infer(&test->inference, &migration->source, own, runs->count[t], migration->request.confidence);
        all[t] = &test->inference;
        if (function->is_main && !rv_main_splits(&migration->source, test->function))
            test->skipped =
                rv_text_copy("main is the test; expected a function without a result that main calls");
        else if (!function->is_main && !function->is_void && !function->result)
            test->skipped = rv_text_copy(
                "the function has a result: expected one that ends with `return` and a constant, to know what it shall "
                "return when another test was chosen");
    }
    rv_marks_name(all, migration->test_count, &migration->source);
    free(all);
    for (uint32_t t = 0; t < migration->test_count; t++)
        rv_text_set(&migration->tests[t].schedule, rv_schedule_text(&migration->tests[t].inference));
}

static enum rv_migrate_end log_and_infer(struct rv_migration *migration, char **message) {
    struct runs runs = {.most = migration->request.runs};
    runs.of_test = rv_text_alloc((size_t)migration->test_count * runs.most, sizeof *runs.of_test);
    runs.count = rv_text_alloc(migration->test_count, sizeof *runs.count);
    enum rv_migrate_end end = all_runs(migration, &runs, message);
    if (end == RV_MIGRATE_FINE) infer(migration, &runs);
    for (uint32_t i = 0; i < migration->test_count * runs.most; i++) rv_run_free(&runs.of_test[i]);
    free(runs.of_test);
    free(runs.count);
    return end;
}

enum rv_migrate_end rv_migration_run(struct rv_migration *migration, const struct rv_migrate_request *request,
                                     char **message) {
    *migration = (struct rv_migration){.request = *request};
    *message = NULL;
    struct rv_note note = {0};
    if (!begin(migration, message)) return RV_MIGRATE_WRONG;
    enum rv_migrate_end end = RV_MIGRATE_FINE;
    if (request->compile_commands &&
        !rv_note_from_database(&note, request->compile_commands, migration->file, message))
        end = RV_MIGRATE_WRONG;
    if (end == RV_MIGRATE_FINE) end = first_run(migration, &note, message);
    if (end == RV_MIGRATE_FINE) {
        migration->shown = rv_text_copy(note.shown);
        end = read_source(migration, &note, message);
    }
    if (end == RV_MIGRATE_FINE) end = log_and_infer(migration, message);
    rv_note_free(&note);
    return end;
}

bool rv_migration_rebuild(struct rv_migration *migration, bool changed, char **message) {
    if (!migration->instrumented && !changed) { /* whatever was built was built from this text */
        look_as_before(migration);
        return true;
    }
    look_changed(migration);
    char *values[ENV_COUNT] = {[ENV_SKIP] = migration->program};
    bool good = run_command(migration, values, message) == RV_COMMAND_PASSED;
    if (good) migration->instrumented = false;
    if (good && !changed) look_as_before(migration);
    migration->touched = false; /* else it stays new, and the next build takes it */
    return good;
}

static void remove_failures(const struct rv_migration *migration) {
    char *path = inside(migration, "failures");
    DIR *directory = opendir(path);
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        (void)unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory) closedir(directory);
    (void)rmdir(path);
    free(path);
}

static void remove_directory(const struct rv_migration *migration) {
    remove_failures(migration);
    static const char *const names[] = {"output", "note", "log", NULL};
    for (const char *const *name = names; *name; name++) {
        char *path = inside(migration, *name);
        (void)unlink(path);
        free(path);
    }
    char *copy = inside(migration, strrchr(migration->file, '/') + 1);
    (void)unlink(copy);
    free(copy);
    (void)rmdir(migration->directory);
}

void rv_migration_free(struct rv_migration *migration) {
    if (migration->file && migration->directory) remove_directory(migration);
    for (uint32_t i = 0; i < migration->test_count; i++) {
        rv_inference_free(&migration->tests[i].inference);
        free(migration->tests[i].schedule);
        free(migration->tests[i].skipped);
        free(migration->tests[i].passed);
    }
    free(migration->tests);
    rv_source_free(&migration->source);
    free(migration->program);
    free(migration->directory);
    free(migration->file);
    free(migration->shown);
}
