#include "regress/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/scan.h"
#include "report/text.h"

const char *const rv_trial_outcome_names[RV_TRIAL_OUTCOMES] = {"pass", "fail", "timeout", "error"};

static const char kinds[] = "rwucsRWUCS";

void rv_trial_free(struct rv_trial *trial) {
    for (uint32_t i = 0; i < trial->file_count; i++) free(trial->files[i]);
    free(trial->files);
    free(trial->places);
    free(trial->races);
    free(trial->message);
    *trial = (struct rv_trial){0};
}

static uint32_t add_file(struct rv_trial *trial, char *file) {
    if ((trial->file_count & (trial->file_count + 1)) == 0)
        trial->files = rv_text_realloc(trial->files, trial->file_count * 2 + 2, sizeof *trial->files);
    trial->files[trial->file_count] = file;
    return trial->file_count++;
}

uint32_t rv_trial_file(struct rv_trial *trial, const char *file) {
    for (uint32_t i = trial->file_count; i > 0; i--)
        if (strcmp(trial->files[i - 1], file) == 0) return i - 1;
    return add_file(trial, rv_text_copy(file));
}

void rv_trial_add(struct rv_trial *trial, struct rv_trial_place place) {
    if ((trial->place_count & (trial->place_count + 1)) == 0)
        trial->places = rv_text_realloc(trial->places, trial->place_count * 2 + 2, sizeof *trial->places);
    trial->places[trial->place_count++] = place;
}

void rv_trial_add_race(struct rv_trial *trial, struct rv_trial_race race) {
    trial->races = rv_text_realloc(trial->races, trial->race_count + 1, sizeof *trial->races);
    trial->races[trial->race_count++] = race;
}

/* --- writing --- */

char *rv_trial_write(const struct rv_trial *trial, size_t *size) {
    struct rv_text text = {0};
    const char *message = trial->message ? trial->message : "";
    rv_text_addf(&text, "ravel-test 1\nprogram %u\noutcome %s ", trial->program,
                 rv_trial_outcome_names[trial->outcome]);
    rv_text_add_quoted(&text, message, strlen(message));
    rv_text_addf(&text, "\ntime %llu\ncut %d\n", (unsigned long long)(trial->seconds * 1e6 + 0.5),
                 trial->cut);
    for (uint32_t i = 0; i < trial->file_count; i++) {
        rv_text_add(&text, "file ");
        rv_text_add_quoted(&text, trial->files[i], strlen(trial->files[i]));
        rv_text_add(&text, "\n");
    }
    for (size_t i = 0; i < trial->place_count; i++) {
        const struct rv_trial_place *place = &trial->places[i];
        rv_text_addf(&text, "place %u %u %c %u\n", place->file, place->line, place->kind, place->thread);
    }
    for (size_t i = 0; i < trial->race_count; i++) {
        const struct rv_trial_race *race = &trial->races[i];
        rv_text_addf(&text, "race %u %u %u %u\n", race->file[0], race->line[0], race->file[1], race->line[1]);
    }
    *size = text.size;
    return rv_text_take(&text);
}

/* --- reading --- */

static bool take_outcome(struct rv_scan *scan, struct rv_trial *trial) {
    const char *word;
    size_t size;
    if (!rv_scan_line_of(scan, "outcome") || !rv_scan_word(scan, &word, &size, "an outcome")) return false;
    for (int i = 0; i < RV_TRIAL_OUTCOMES; i++)
        if (rv_scan_is(word, size, rv_trial_outcome_names[i])) {
            trial->outcome = (enum rv_trial_outcome)i;
            return rv_scan_text(scan, &trial->message, "a message") && rv_scan_end(scan);
        }
    return rv_scan_error_at(scan, word, "expected pass, fail, timeout or error");
}

static bool take_head(struct rv_scan *scan, struct rv_trial *trial) {
    uint64_t version = 0, program = 0, time = 0, cut = 0;
    if (!rv_scan_line_number(scan, "ravel-test", UINT32_MAX, &version)) return false;
    if (version != 1)
        return rv_scan_error(scan, "written by a later ravel (version %llu)", (unsigned long long)version);
    if (!rv_scan_line_number(scan, "program", UINT32_MAX, &program) || !take_outcome(scan, trial) ||
        !rv_scan_line_number(scan, "time", (uint64_t)1 << 50, &time) ||
        !rv_scan_line_number(scan, "cut", 1, &cut))
        return false;
    trial->program = (uint32_t)program;
    trial->seconds = (double)time / 1e6;
    trial->cut = cut;
    return true;
}

static bool take_location(struct rv_scan *scan, const struct rv_trial *trial, uint32_t *file,
                          uint32_t *line) {
    uint64_t number, at;
    if (!rv_scan_number(scan, &number, UINT32_MAX, "the number of a file")) return false;
    if (number >= trial->file_count)
        return rv_scan_error(scan, "expected the number of a file, below %u", trial->file_count);
    if (!rv_scan_number(scan, &at, UINT32_MAX, "a line")) return false;
    *file = (uint32_t)number;
    *line = (uint32_t)at;
    return true;
}

static bool take_place(struct rv_scan *scan, struct rv_trial *trial) {
    struct rv_trial_place place;
    uint64_t thread;
    const char *kind;
    size_t size;
    if (!take_location(scan, trial, &place.file, &place.line) || !rv_scan_word(scan, &kind, &size, "a kind"))
        return false;
    if (size != 1 || !strchr(kinds, *kind))
        return rv_scan_error(scan, "expected one of r, w, u, c, s, or a capital one");
    if (!rv_scan_number(scan, &thread, UINT32_MAX, "a thread") || !rv_scan_end(scan)) return false;
    place.kind = *kind;
    place.thread = (uint32_t)thread;
    rv_trial_add(trial, place);
    return true;
}

static bool take_race(struct rv_scan *scan, struct rv_trial *trial) {
    struct rv_trial_race race;
    if (!take_location(scan, trial, &race.file[0], &race.line[0]) ||
        !take_location(scan, trial, &race.file[1], &race.line[1]) || !rv_scan_end(scan))
        return false;
    rv_trial_add_race(trial, race);
    return true;
}

static bool take_rest(struct rv_scan *scan, struct rv_trial *trial) {
    const char *word;
    size_t size;
    while (rv_scan_line(scan)) {
        char *file = NULL;
        if (!rv_scan_word(scan, &word, &size, "file, place or race")) return false;
        if (rv_scan_is(word, size, "file")) {
            if (trial->file_count == RV_TRIAL_FILES)
                return rv_scan_error(scan, "more than %d files", RV_TRIAL_FILES);
            if (!rv_scan_text(scan, &file, "a file")) return false;
            add_file(trial, file);
            if (!rv_scan_end(scan)) return false;
        } else if (rv_scan_is(word, size, "race")) {
            if (!take_race(scan, trial)) return false;
        } else if (!rv_scan_is(word, size, "place")) {
            return rv_scan_error_at(scan, word, "expected file, place or race");
        } else if (!take_place(scan, trial)) {
            return false;
        }
    }
    return !scan->error;
}

bool rv_trial_read(struct rv_trial *trial, const char *text, size_t size, const char *name, char **error) {
    struct rv_scan scan = {.name = name, .next = text, .end = text + size, .columns = true};
    *trial = (struct rv_trial){0};
    if (take_head(&scan, trial) && take_rest(&scan, trial)) return true;
    rv_trial_free(trial);
    *error = scan.error;
    return false;
}

/* --- blocks --- */

struct finder {
    const struct rv_trial *trial;
    const struct rv_version *base;
    struct rv_lists by_line; /* of a slot: statements */
    uint32_t slots;
    struct rv_observed *found;
    size_t count;
    rv_threads *seen[2]; /* by block: threads, as bits, [1]: alone */
};

static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static uint32_t slot_of(const struct finder *finder, const char *file, uint32_t line) {
    uint32_t hash = 2166136261u;
    for (const char *at = last_name(file); *at; at++) hash = (hash ^ (unsigned char)*at) * 16777619u;
    return (hash ^ line * 0x9e3779b9u) % finder->slots;
}

static void index_lines(struct finder *finder) {
    const struct rv_model *model = finder->base->model;
    struct rv_links links = {0};
    finder->slots = model->statement_count + 1;
    for (uint32_t s = 0; s < model->statement_count; s++)
        rv_links_add(&links,
                     slot_of(finder, rv_function_file(model, rv_statement_function(finder->base, s)),
                             model->statements[s].line),
                     s);
    finder->by_line = rv_lists_make(finder->slots, &links);
}

static void add(struct finder *finder, uint32_t statement, uint32_t thread, bool alone) {
    uint32_t block = rv_statement_block(finder->base, statement);
    rv_threads bits = rv_thread_bits(thread);
    if ((finder->seen[alone][block] & bits) == bits) return;
    finder->seen[alone][block] |= bits;
    if ((finder->count & (finder->count + 1)) == 0)
        finder->found = rv_text_realloc(finder->found, finder->count * 2 + 2, sizeof *finder->found);
    finder->found[finder->count++] = (struct rv_observed){block, thread, alone};
}

/* Whether the statement can show up as this kind of place. */
static bool shows(const struct rv_version *base, uint32_t statement, char kind) {
    const struct rv_model *model = base->model;
    const struct rv_model_statement *at = &model->statements[statement];
    unsigned kinds_of = kind == 'r'   ? RV_MODEL_READ
                        : kind == 'w' ? RV_MODEL_WRITE
                                      : RV_MODEL_READ | RV_MODEL_WRITE;
    if (kind == 'c') return rv_list_size(&base->invokes, statement) > 0;
    if (kind == 's' && at->syncs.count) return true;
    for (uint32_t i = 0; i < at->sites.count; i++)
        if (model->sites[rv_model_item(model, at->sites, i)].kind & kinds_of) return true;
    return false;
}

static void find(struct finder *finder, const struct rv_trial_place *place) {
    const struct rv_model *model = finder->base->model;
    const char *file = finder->trial->files[place->file];
    uint32_t slot = slot_of(finder, file, place->line);
    bool any = false, alone = place->kind < 'a';
    char kind = alone ? (char)(place->kind - 'A' + 'a') : place->kind;
    for (int round = 0; round < 2 && !any; round++) {
        for (RV_EACH(statement, &finder->by_line, slot)) {
            if (model->statements[*statement].line != place->line) continue;
            const char *its = rv_function_file(model, rv_statement_function(finder->base, *statement));
            if (!*its || !rv_model_same_file(its, file)) continue;
            if (round == 0 && !shows(finder->base, *statement, kind)) continue;
            add(finder, *statement, place->thread, alone);
            any = true;
        }
    }
}

struct rv_observed *rv_trial_blocks(const struct rv_trial *trial, const struct rv_version *base,
                                    size_t *count) {
    struct finder finder = {.trial = trial,
                            .base = base,
                            .found = rv_text_alloc(1, sizeof *finder.found),
                            .seen = {rv_text_alloc(base->model->block_count, sizeof(rv_threads)),
                                     rv_text_alloc(base->model->block_count, sizeof(rv_threads))}};
    index_lines(&finder);
    for (size_t i = 0; i < trial->place_count; i++) find(&finder, &trial->places[i]);
    rv_lists_free(&finder.by_line);
    free(finder.seen[0]);
    free(finder.seen[1]);
    *count = finder.count;
    return finder.found;
}
