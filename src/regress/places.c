/* From places of the source, as a run tells them, to the models of both versions. */
#include <string.h>

#include "regress/assess.h"

static bool is_at(const struct rv_model *model, uint32_t site, const char *file, uint32_t line) {
    const struct rv_model_site *at = &model->sites[site];
    return at->line == line && at->file != RV_MODEL_NONE && rv_model_same_file(model->files[at->file], file);
}

size_t rv_assessed_pair(const struct rv_assessed_program *program, const char *first_file,
                        uint32_t first_line, const char *second_file, uint32_t second_line) {
    const struct rv_model *model = program->new_model;
    for (size_t i = 0; program->compared && i < program->isvps.count; i++) {
        const struct rv_isvp *pair = &program->isvps.pairs[i];
        if ((is_at(model, pair->first, first_file, first_line) &&
             is_at(model, pair->second, second_file, second_line)) ||
            (is_at(model, pair->first, second_file, second_line) &&
             is_at(model, pair->second, first_file, first_line)))
            return i;
    }
    return SIZE_MAX;
}

/* Whether a statement of the new version at one place is the one that was at the other place on the base. */
static bool is_same(const struct rv_assessed_program *program, const char *file, uint32_t line,
                    const char *old_file, uint32_t old_line) {
    const struct rv_model *new = program->new_model, *old = program->old_model;
    for (uint32_t s = 0; s < new->statement_count; s++) {
        uint32_t was = program->match.statement_of[s];
        if (new->statements[s].line != line || was == RV_NONE || old->statements[was].line != old_line)
            continue;
        const char *its = rv_function_file(new, rv_statement_function(&program->new, s));
        const char *before = rv_function_file(old, rv_statement_function(&program->old, was));
        if (rv_model_same_file(its, file) && rv_model_same_file(before, old_file)) return true;
    }
    return false;
}

bool rv_was_on_base(const struct rv_assessment *assessment, uint32_t program, const char *first_file,
                    uint32_t first_line, const char *second_file, uint32_t second_line) {
    const struct rv_assessed_program *at = &assessment->programs[program];
    for (size_t i = 0; at->compared && i < assessment->race_count; i++) {
        const struct rv_base_race *race = &assessment->races[i];
        if (race->program != program) continue;
        for (int turn = 0; turn < 2; turn++)
            if (is_same(at, first_file, first_line, race->file[turn], race->line[turn]) &&
                is_same(at, second_file, second_line, race->file[!turn], race->line[!turn]))
                return true;
    }
    return false;
}
