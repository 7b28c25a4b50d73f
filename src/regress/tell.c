#include "regress/tell.h"

#include <stdlib.h>
#include <string.h>

#include "report/json_parts.h"
#include "report/text.h"

enum { LISTED = 3 /* pairs for a test */, IMPACTED_MAX = 40 };

static const char *access_name(unsigned kind) {
    bool atomic = kind & RV_MODEL_ATOMIC;
    if ((kind & RV_MODEL_READ) && (kind & RV_MODEL_WRITE)) return atomic ? "atomic update" : "update";
    if (kind & RV_MODEL_WRITE) return atomic ? "atomic write" : "write";
    return atomic ? "atomic read" : "read";
}

static const char *short_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *file_of(const struct rv_model *model, uint32_t file) {
    return file == RV_MODEL_NONE ? "" : model->files[file];
}

char *rv_change_place(const struct rv_assessed_program *program, const struct rv_impacted *impacted) {
    const struct rv_version *version = impacted->old ? &program->old : &program->new;
    if (impacted->statement == RV_NONE) return NULL;
    const char *file = rv_function_file(version->model, rv_statement_function(version, impacted->statement));
    return rv_text_format("%s:%u", file, version->model->statements[impacted->statement].line);
}

/* --- for people --- */

static char *harmless(const char *text) { return rv_text_harmless(text, !rv_text_utf8_locale()); }

static void print_impacted(const struct rv_assessed_program *program, uint32_t number, FILE *out) {
    const struct rv_model *model = program->new_model;
    const struct rv_model_site *site = &model->sites[number];
    const struct rv_impacted *impacted = &program->impact.sites[number];
    char *variable = harmless(model->variables[site->variable].name),
         *function = harmless(model->functions[site->function].name);
    char *file = harmless(short_name(file_of(model, site->file))),
         *change = rv_change_place(program, impacted);
    char *from = change ? harmless(short_name(change)) : NULL;
    fprintf(out, "  %s:%u  %s (%s) in %s: %s", file, site->line, variable, access_name(site->kind), function,
            rv_reason_names[impacted->reason]);
    if (from && impacted->reason > RV_IMPACT_FUNCTION)
        fprintf(out, ", by %s%s", from, impacted->old ? " of the base" : "");
    fputc('\n', out);
    free(variable);
    free(function);
    free(file);
    free(change);
    free(from);
}

static void print_program(const struct rv_assessed_program *program, bool named, FILE *out) {
    const struct rv_model *model = program->new_model;
    uint32_t shared = 0, listed = 0;
    if (!program->compared) return;
    for (uint32_t i = 0; i < model->site_count; i++)
        shared += program->impact.sites[i].reason && model->variables[model->sites[i].variable].shared;
    if (named) fprintf(out, "%s: ", program->path);
    fprintf(
        out, "%u statements changed or added, %u gone; %u impacted accesses to shared variables; %zu pairs\n",
        program->impact.changed, program->impact.gone, shared, program->isvps.count + program->isvps.more);
    for (uint32_t i = 0; i < model->site_count && listed < IMPACTED_MAX; i++) {
        if (!program->impact.sites[i].reason || !model->variables[model->sites[i].variable].shared) continue;
        print_impacted(program, i, out);
        listed++;
    }
    if (listed < shared) fprintf(out, "  and %u more (--json has all of them)\n", shared - listed);
}

/* Pairs of the targets that the test covers, the same lines only once. */
static void print_pairs(const struct rv_assessed_program *program, const struct rv_choice *choice,
                        FILE *out) {
    const struct rv_model *model = program->new_model;
    uint32_t listed = 0;
    char *texts[LISTED] = {0};
    bool *covered = rv_text_alloc(program->isvps.target_count, sizeof *covered);
    for (uint32_t i = 0; i < choice->target_count; i++) covered[choice->targets[i]] = true;
    for (size_t i = 0; i < program->isvps.count && listed < LISTED; i++) {
        const struct rv_isvp *pair = &program->isvps.pairs[i];
        const struct rv_model_site *first = &model->sites[pair->first], *second = &model->sites[pair->second];
        if (!covered[pair->target]) continue;
        char *variable = harmless(model->variables[first->variable].name);
        char *text = rv_text_format("%s %s:%u-%s:%u", variable, short_name(file_of(model, first->file)),
                                    first->line, short_name(file_of(model, second->file)), second->line);
        bool known = false;
        for (uint32_t k = 0; k < listed; k++) known |= strcmp(texts[k], text) == 0;
        if (!known) {
            fprintf(out, "%s%s", listed ? ", " : " ", text);
            texts[listed++] = text;
        } else {
            free(text);
        }
        free(variable);
    }
    for (uint32_t k = 0; k < listed; k++) free(texts[k]);
    free(covered);
}

static void print_test(const struct rv_assessment *assessment, uint32_t rank, FILE *out) {
    const struct rv_assessed_test *test = &assessment->tests[rank];
    char *name = harmless(test->test->name);
    fprintf(out, "%4u  %s", rank + 1, name);
    if (test->why) fprintf(out, "  (%s)", test->why);
    if (test->choice && test->choice->pairs) {
        fprintf(out, "  %llu pair%s:", (unsigned long long)test->choice->pairs,
                test->choice->pairs == 1 ? "" : "s");
        print_pairs(&assessment->programs[test->program], test->choice, out);
    }
    fputc('\n', out);
    free(name);
}

void rv_assessment_print(const struct rv_assessment *assessment, const char *technique, FILE *out) {
    char *base = harmless(assessment->base.name), *commit = harmless(assessment->base.commit);
    fprintf(out, "base %s%s%.12s: %u tests; compared in %.2f s\n", base, *commit ? " at " : "", commit,
            assessment->base.test_count, assessment->seconds);
    for (size_t i = 0; i < assessment->notes.count; i++) {
        char *text = harmless(assessment->notes.texts[i]);
        fprintf(out, "note: %s\n", text);
        free(text);
    }
    for (uint32_t i = 0; i < assessment->program_count; i++)
        print_program(&assessment->programs[i], assessment->program_count > 1, out);
    fprintf(out, "%u of %u tests selected (%s)%s\n", assessment->selected, assessment->total, technique,
            assessment->selected ? ":" : "");
    for (uint32_t i = 0; i < assessment->count; i++) {
        if (i == assessment->selected) fprintf(out, "the rest:\n");
        print_test(assessment, i, out);
    }
    free(base);
    free(commit);
}

/* --- JSON --- */

static void set(json_t *object, const char *key, json_t *value) { json_object_set_new(object, key, value); }

static json_t *site_json(const struct rv_model *model, uint32_t number) {
    const struct rv_model_site *site = &model->sites[number];
    json_t *object = json_object();
    set(object, "file", rv_json_text(file_of(model, site->file)));
    set(object, "function", rv_json_text(model->functions[site->function].name));
    set(object, "line", json_integer(site->line));
    set(object, "access", json_string(access_name(site->kind)));
    return object;
}

static json_t *impacted_json(const struct rv_assessed_program *program, uint32_t number) {
    const struct rv_impacted *impacted = &program->impact.sites[number];
    const struct rv_model *model = program->new_model;
    json_t *object = site_json(model, number), *change;
    set(object, "variable", rv_json_text(model->variables[model->sites[number].variable].name));
    set(object, "reason", json_string(rv_reason_names[impacted->reason]));
    if (impacted->statement == RV_NONE) return object;
    const struct rv_version *version = impacted->old ? &program->old : &program->new;
    change = json_object();
    set(change, "file",
        rv_json_text(rv_function_file(version->model, rv_statement_function(version, impacted->statement))));
    set(change, "line", json_integer(version->model->statements[impacted->statement].line));
    set(change, "old", json_boolean(impacted->old));
    set(object, "change", change);
    return object;
}

static json_t *pair_json(const struct rv_model *model, const struct rv_isvp *pair) {
    json_t *object = json_object();
    set(object, "variable", rv_json_text(model->variables[model->sites[pair->first].variable].name));
    set(object, "first", site_json(model, pair->first));
    set(object, "second", site_json(model, pair->second));
    return object;
}

static json_t *test_json(const struct rv_assessment *assessment, uint32_t rank, const size_t *first_pair) {
    const struct rv_assessed_test *test = &assessment->tests[rank];
    const struct rv_assessed_program *program = &assessment->programs[test->program];
    json_t *object = json_object(), *pairs = json_array();
    set(object, "test", rv_json_text(test->test->name));
    set(object, "rank", json_integer(rank + 1));
    if (test->why) set(object, "why", json_string(test->why));
    if (test->choice) {
        bool *covered = rv_text_alloc(program->isvps.target_count, sizeof *covered);
        for (uint32_t i = 0; i < test->choice->target_count; i++) covered[test->choice->targets[i]] = true;
        for (size_t i = 0; i < program->isvps.count; i++)
            if (covered[program->isvps.pairs[i].target])
                json_array_append_new(pairs,
                                      json_integer((json_int_t)first_pair[test->program] + (json_int_t)i));
        free(covered);
        set(object, "sure", json_integer(test->choice->sure_count));
        set(object, "possible", json_integer(test->choice->target_count - test->choice->sure_count));
    }
    set(object, "pairs", pairs);
    return object;
}

json_t *rv_assessment_json(const struct rv_assessment *assessment, const char *technique) {
    json_t *object = json_object(), *selected = json_array(), *rest = json_array(), *impacted = json_array(),
           *pairs = json_array(), *notes = json_array();
    size_t *first_pair = rv_text_alloc(assessment->program_count, sizeof *first_pair);
    set(object, "version", json_string(RV_VERSION));
    set(object, "base", rv_json_text(assessment->base.name));
    set(object, "commit", rv_json_text(assessment->base.commit));
    set(object, "technique", json_string(technique));
    set(object, "tests", json_integer(assessment->total));
    for (uint32_t p = 0; p < assessment->program_count; p++) {
        const struct rv_assessed_program *program = &assessment->programs[p];
        first_pair[p] = json_array_size(pairs);
        for (uint32_t i = 0; program->compared && i < program->new_model->site_count; i++)
            if (program->impact.sites[i].reason &&
                program->new_model->variables[program->new_model->sites[i].variable].shared)
                json_array_append_new(impacted, impacted_json(program, i));
        for (size_t i = 0; program->compared && i < program->isvps.count; i++)
            json_array_append_new(pairs, pair_json(program->new_model, &program->isvps.pairs[i]));
    }
    for (uint32_t i = 0; i < assessment->count; i++) {
        if (i < assessment->selected)
            json_array_append_new(selected, test_json(assessment, i, first_pair));
        else
            json_array_append_new(rest, rv_json_text(assessment->tests[i].test->name));
    }
    for (size_t i = 0; i < assessment->notes.count; i++)
        json_array_append_new(notes, rv_json_text(assessment->notes.texts[i]));
    set(object, "selected", selected);
    set(object, "rest", rest);
    set(object, "impacted", impacted);
    set(object, "pairs", pairs);
    set(object, "notes", notes);
    set(object, "seconds", json_real(assessment->seconds));
    free(first_pair);
    return object;
}
