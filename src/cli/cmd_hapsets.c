/* `ravel hapsets`: what the strategy hapset has learned about a program, from the store, with names. Nothing is run. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/json_file.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "report/hapsets.h"
#include "report/text.h"
#include "supervisor/learning.h"

struct hapsets_values {
    const char *json;
    const char *store;
};

static int hapsets(int argc, char **argv);

static const struct rv_option hapsets_options[] = {
    {"json", 0, RV_OPTION_STRING, RV_AT(struct hapsets_values, json), .argument = "FILE",
     .help = "for machines; \"-\": standard output, and nothing else goes there"},
    {"store", 0, RV_OPTION_STRING, RV_AT(struct hapsets_values, store), .argument = "FILE",
     .help = "where ravel run has kept what it learned (default .ravel/store.db)"},
    RV_OPTION_END,
};

const struct rv_command rv_command_hapsets = {
    .name = "hapsets",
    .summary = "show what was learned about a program: which statements came after which",
    .usage = "[OPTIONS] PROGRAM",
    .description =
        "`ravel run --strategy=hapset` learns for each statement which others it was seen to come right\n"
        "after, on the same object and in another thread. PROGRAM is not run.\n",
    .options = hapsets_options,
    .interleaved = true,
    .run = hapsets,
};

/* What the store has about the program, one name at a time. */
struct subject {
    const struct hapsets_values *values;
    struct rv_program program;
    char key[RV_KEY_SIZE];
    char *directory;
    json_t *sets; /* NULL: print */
    bool found;
};

static struct rv_symboliser *open_symbols(const struct subject *subject, const struct rv_lessons *lessons) {
    struct rv_module modules[RV_MAX_MODULES] = {
        0}; /* no build-ids: statements of other builds are gone already */
    for (uint32_t i = 0; i < lessons->module_count; i++)
        memcpy(modules[i].path, lessons->modules[i].path, sizeof modules[i].path);
    return rv_symboliser_open_modules(modules, lessons->module_count, subject->directory);
}

static void print_sets(const struct subject *subject, const struct rv_lessons *lessons, uint32_t calls,
                       struct rv_symboliser *symbols) {
    const struct rv_hapsets *sets = &lessons->sets;
    struct rv_print_options options = rv_terminal_options(stdout);
    char *name = rv_text_harmless(subject->program.name, false);
    printf("%s%s: %u statement%s, told apart by %u call%s; %u predecessor%s\n\n", subject->found ? "\n" : "",
           name, sets->statements.count, sets->statements.count == 1 ? "" : "s", calls, calls == 1 ? "" : "s",
           sets->members.count, sets->members.count == 1 ? "" : "s");
    rv_hapsets_print(sets, symbols, stdout, &options);
    free(name);
}

static void add_json(const struct subject *subject, const struct rv_lessons *lessons, uint32_t calls,
                     struct rv_symboliser *symbols) {
    json_t *object = json_object();
    json_object_set_new(object, "calls", json_integer(calls));
    json_object_set_new(object, "statements", rv_hapsets_json(&lessons->sets, symbols));
    json_array_append_new(subject->sets, object);
}

static bool show_name(struct subject *subject, struct rv_store *store, const char *name, char **error) {
    struct rv_lessons *lessons;
    uint32_t calls;
    if (!rv_learning_calls(name, &calls)) return true; /* of a later ravel */
    if (!rv_learning_read(store, &subject->program, subject->key, name, &lessons, error)) return false;
    if (lessons && lessons->sets.statements.count > 0) {
        struct rv_symboliser *symbols = open_symbols(subject, lessons);
        if (subject->sets)
            add_json(subject, lessons, calls, symbols);
        else
            print_sets(subject, lessons, calls, symbols);
        rv_symboliser_close(symbols);
        subject->found = true;
    }
    rv_lessons_free(lessons);
    return true;
}

static bool show_store(struct subject *subject, struct rv_store *store, char **error) {
    char **names = rv_store_names(store, RV_LEARNING_KIND, subject->key, error);
    bool good = names;
    for (char **name = names; good && *name; name++) good = show_name(subject, store, *name, error);
    rv_store_names_free(names);
    return good;
}

static bool write_json(const struct subject *subject) {
    char *name = rv_text_utf8(subject->program.name);
    json_t *object = json_pack("{s:s, s:s, s:s, s:O}", "version", RV_VERSION, "program", name, "build",
                               subject->key, "sets", subject->sets);
    free(name);
    return rv_json_write(object, subject->values->json);
}

/* After everything was shown. */
static int conclude(const struct subject *subject) {
    if (subject->sets && !write_json(subject))
        return rv_command_error(&rv_command_hapsets, "%s: cannot be written: %s", subject->values->json,
                                strerror(errno));
    if (!subject->sets && !subject->found)
        printf("nothing has been learned yet about this build of %s (ravel run --strategy=hapset learns)\n",
               subject->program.name);
    if (fflush(stdout) != 0)
        return rv_command_error(&rv_command_hapsets, "standard output cannot be written: %s",
                                strerror(errno));
    return RV_EXIT_FINE;
}

static int show_program(struct subject *subject) {
    char *error = NULL, *directory = getcwd(NULL, 0);
    subject->directory = directory;
    if (subject->values->json) subject->sets = json_array();
    rv_key_of_file(subject->program.path, subject->key);
    signal(SIGPIPE, SIG_DFL); /* whoever reads may stop */
    struct rv_store *store = rv_store_open(subject->values->store, RV_STORE_READ, &error);
    int status = store && show_store(subject, store, &error)
                     ? conclude(subject)
                     : rv_command_error(&rv_command_hapsets, "%s", error);
    rv_store_close(store);
    json_decref(subject->sets);
    free(directory);
    free(error);
    return status;
}

static int hapsets(int argc, char **argv) {
    struct hapsets_values values = {.store = RV_STORE_DEFAULT};
    int first;
    int status = rv_options_parse(&rv_command_hapsets, &values, argc, argv, &first);
    if (status != RV_OPTIONS_GO) return status;
    if (argc - first != 1) return rv_usage_error(&rv_command_hapsets, "expected one program");
    struct subject subject = {.values = &values};
    char *error = NULL;
    status = rv_program_open(&subject.program, argv[first], NULL, &error);
    if (status == 0)
        status = show_program(&subject);
    else
        rv_command_error(&rv_command_hapsets, "%s", error);
    free(error);
    rv_program_close(&subject.program);
    return status;
}
