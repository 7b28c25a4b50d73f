/* `ravel cover`: what has been covered of a program, from the store. Nothing is run. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/json_file.h"
#include "cli/options.h"
#include "cli/paths.h"
#include "cli/terminal.h"
#include "coverage/model.h"
#include "coverage/shelf.h"
#include "coverage/tell.h"
#include "report/text.h"
#include "model/make.h"
#include "supervisor/learning.h"

#define MODEL_KIND "model" /* in the store */
#define MODEL_NAME "text"

struct cover_values {
    const char *json;
    const char *html;
    const char *store;
    uint32_t model;
};

enum { MODEL_AUTO, MODEL_OFF };

static int cover(int argc, char **argv);

static const struct rv_option cover_options[] = {
    {"json", 0, RV_OPTION_STRING, RV_AT(struct cover_values, json), .argument = "FILE",
     .help = "for machines; \"-\": standard output, and nothing else goes there"},
    {"html", 0, RV_OPTION_STRING, RV_AT(struct cover_values, html), .argument = "FILE",
     .help = "a page with everything: coverage over time, which functions ran at\n"
             "the same time, each variable with its source lines"},
    {"model", 0, RV_OPTION_CHOICE, RV_AT(struct cover_values, model), .argument = "auto|off",
     .help = "whether what there is to cover comes from the static model (ravel\n"
             "model), where there is one (auto, the default), or only from what was\n"
             "executed; the model is kept in the store"},
    {"store", 0, RV_OPTION_STRING, RV_AT(struct cover_values, store), .argument = "FILE",
     .help = "where ravel run --coverage has kept it (default .ravel/store.db)"},
    RV_OPTION_END,
};

const struct rv_command rv_command_cover = {
    .name = "cover",
    .summary = "show which memory-access patterns of a program have been covered",
    .usage = "[OPTIONS] [PROGRAM]",
    .description =
        "`ravel run --coverage` and `ravel test --coverage` note in which ways the accesses of threads to\n"
        "shared variables have been interleaved. This tells how much of what is possible that was, and what\n"
        "to try next. PROGRAM is not run; without it, the program in the store that was run last.\n",
    .options = cover_options,
    .interleaved = true,
    .run = cover,
};

struct subject {
    const struct cover_values *values;
    const char *name; /* for people */
    char key[RV_KEY_SIZE];
    struct rv_cover_data data;
    struct rv_lessons *lessons; /* NULL: none */
    bool modelled;
    char *no_model; /* why not; NULL: it was not asked for */
};

/* ---- reading ---- */

/* The HaPSets with the most members. */
static bool read_hapsets(struct subject *subject, struct rv_store *store, char **error) {
    struct rv_program program = {.path = subject->data.program ? subject->data.program : ""};
    char **names = rv_store_names(store, RV_LEARNING_KIND, subject->key, error);
    bool good = names;
    for (char **name = names; good && *name; name++) {
        struct rv_lessons *lessons = NULL;
        uint32_t calls;
        if (!rv_learning_calls(*name, &calls)) continue;
        good = rv_learning_read(store, &program, subject->key, *name, &lessons, error);
        bool better = lessons && (!subject->lessons ||
                                  lessons->sets.members.count > subject->lessons->sets.members.count);
        rv_lessons_free(better ? subject->lessons : lessons);
        if (better) subject->lessons = lessons;
    }
    rv_store_names_free(names);
    return good;
}

static int64_t last_run(const struct rv_cover_data *data) {
    return data->run_count ? data->runs[data->run_count - 1].time : 0;
}

/* The one that was run last. */
static bool read_latest(struct subject *subject, struct rv_store *store, char **error) {
    char **keys = rv_store_programs(store, RV_COVER_KIND, error);
    bool good = keys;
    for (char **key = keys; good && *key; key++) {
        struct rv_cover_data data;
        good = rv_cover_shelf_read(store, *key, &data, error);
        if (good && (!*subject->key || last_run(&data) > last_run(&subject->data))) {
            rv_cover_data_free(&subject->data);
            subject->data = data;
            snprintf(subject->key, sizeof subject->key, "%s", *key);
        } else if (good) {
            rv_cover_data_free(&data);
        }
    }
    rv_store_names_free(keys);
    return good;
}

static bool read_all(struct subject *subject, struct rv_store *store, char **error) {
    bool good = *subject->key ? rv_cover_shelf_read(store, subject->key, &subject->data, error)
                              : read_latest(subject, store, error);
    return good && read_hapsets(subject, store, error);
}

/* ---- the model ---- */

/* The model as text: from the store, or made now and kept there. NULL: *error. */
static char *model_text(struct subject *subject, struct rv_store *store, size_t *size, char **error) {
    char directory[PATH_MAX - 32], tool[PATH_MAX], *unkept = NULL;
    char *const files[] = {subject->data.program, NULL};
    struct rv_blob blob;
    bool wrong;
    if (!rv_store_get(store, MODEL_KIND, subject->key, MODEL_NAME, &blob, error)) return NULL;
    *size = blob.size;
    if (blob.data) return blob.data;
    if (!subject->data.program || !rv_library_directory(directory, sizeof directory)) {
        *error = rv_text_copy("the program or libravel.so is not where it was");
        return NULL;
    }
    snprintf(tool, sizeof tool, "%s/ravel/ravel-model", directory);
    char *text = rv_model_make_text(tool, files, 1, size, &wrong, error);
    struct rv_store *writable = text ? rv_store_open(subject->values->store, RV_STORE_WRITE, &unkept) : NULL;
    if (writable && rv_store_begin(writable, &unkept) &&
        rv_store_put(writable, MODEL_KIND, subject->key, MODEL_NAME, text, *size, &unkept))
        (void)rv_store_commit(writable, &unkept);
    rv_store_close(writable);
    free(unkept); /* it is made again next time */
    return text;
}

static void use_model(struct subject *subject, struct rv_store *store) {
    size_t size;
    if (subject->values->model == MODEL_OFF) return;
    char *text = model_text(subject, store, &size, &subject->no_model);
    struct rv_model *model = text ? rv_model_read(text, size, "the model", &subject->no_model) : NULL;
    if (model) rv_cover_add_model(&subject->data, model);
    subject->modelled = model;
    rv_model_free(model);
    free(text);
}

/* ---- telling ---- */

static bool write_text(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    if (!out) return false;
    bool good = fputs(text, out) >= 0;
    return fclose(out) == 0 && good;
}

static int tell(const struct subject *subject) {
    const struct cover_values *values = subject->values;
    char *directory = getcwd(NULL, 0);
    struct rv_cover_about about = {.program = subject->name,
                                   .model = subject->modelled ? "ravel model" : NULL,
                                   .no_model = subject->no_model,
                                   .hapsets = subject->lessons ? &subject->lessons->sets : NULL,
                                   .directory = directory ? directory : ""};
    int status = RV_EXIT_FINE;
    if (values->json && !rv_json_write(rv_cover_json_about(&subject->data, &about), values->json))
        status =
            rv_command_error(&rv_command_cover, "%s: cannot be written: %s", values->json, strerror(errno));
    if (status == RV_EXIT_FINE && values->html) {
        char *page = rv_cover_html(&subject->data, &about);
        if (!write_text(values->html, page))
            status = rv_command_error(&rv_command_cover, "%s: cannot be written: %s", values->html,
                                      strerror(errno));
        free(page);
    }
    if (status == RV_EXIT_FINE && !rv_is_standard(values->json)) {
        struct rv_print_options options = rv_terminal_options(stdout);
        rv_cover_print(&subject->data, &about, stdout, &options);
    }
    free(directory);
    return status;
}

static int show(struct subject *subject) {
    char *error = NULL;
    int status;
    signal(SIGPIPE, SIG_DFL); /* whoever reads may stop */
    struct rv_store *store = rv_store_open(subject->values->store, RV_STORE_READ, &error);
    if (!store || !read_all(subject, store, &error)) {
        status = rv_command_error(&rv_command_cover, "%s", error);
    } else if (!subject->data.run_count) {
        status = rv_usage_error(&rv_command_cover,
                                "%s: nothing has been noted yet about %s (ravel run --coverage notes)",
                                subject->values->store, subject->name ? subject->name : "any program");
    } else {
        use_model(subject, store);
        if (!subject->name) subject->name = subject->data.program ? subject->data.program : subject->key;
        char *name = rv_text_harmless(subject->name, false);
        subject->name = name;
        status = tell(subject);
        free(name);
    }
    if (status == RV_EXIT_FINE && fflush(stdout) != 0)
        status =
            rv_command_error(&rv_command_cover, "standard output cannot be written: %s", strerror(errno));
    rv_store_close(store);
    rv_cover_data_free(&subject->data);
    rv_lessons_free(subject->lessons);
    free(subject->no_model);
    free(error);
    return status;
}

static int cover(int argc, char **argv) {
    struct cover_values values = {.store = RV_STORE_DEFAULT};
    int first;
    int status = rv_options_parse(&rv_command_cover, &values, argc, argv, &first);
    if (status != RV_OPTIONS_GO) return status;
    if (argc - first > 1) return rv_usage_error(&rv_command_cover, "expected at most one program");
    struct subject subject = {.values = &values};
    if (argc - first == 0) return show(&subject);
    struct rv_program program;
    char *error = NULL;
    status = rv_program_open(&program, argv[first], NULL, &error);
    if (status == 0) {
        subject.name = argv[first];
        rv_key_of_file(program.path, subject.key);
        status = show(&subject);
    } else {
        rv_command_error(&rv_command_cover, "%s", error);
    }
    free(error);
    rv_program_close(&program);
    return status;
}
