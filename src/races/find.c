/* One pass of each online detector over the records, then prediction; then what they said is brought together by signature,
 * and what is new or better known than before is described.
 *
 * Accesses to benign bytes are kept from the online detectors, which tell a pair of statements once and might spend it on
 * them. Prediction has to see all of the trace (which write a read sees is part of it); there the pair is dropped afterwards.
 */
#include "races/find.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/lockset.h"
#include "races/describe.h"
#include "races/evidence.h"
#include "races/pages.h"
#include "races/predict.h"
#include "report/text.h"

const struct rv_find_options rv_find_defaults = {.memory = (size_t)2 << 30, .work = 5000000000u};

struct rv_finder {
    struct rv_page_list pages;
    struct rv_race race;
    struct rv_lockset_races lockset;
    struct rv_lockorder lockorder;
    struct rv_predictor predictor;
    char *directory;
    /* of the modules that were described last: opening them takes time */
    struct rv_symboliser *symbols;
    struct rv_module *modules;
    unsigned module_count;
    /* of the trace under way */
    const struct rv_trace *trace;
    struct rv_memory memory;
    struct rv_evidence evidence;
    struct rv_describer *describer; /* NULL until something is described */
};

/* --- what the detectors say --- */

static void take_race(struct rv_finder *finder, uint32_t first, uint32_t second, unsigned flag) {
    const struct rv_record *records = finder->trace->records;
    if (first >= second || second >= finder->trace->record_count) return;
    const struct rv_step *a = &records[first].step, *b = &records[second].step;
    if (!rv_step_is_access(a->kind) || !rv_step_is_access(b->kind)) return;
    uint64_t address = a->address > b->address ? a->address : b->address;
    uint64_t a_last = a->address + (a->size - 1), b_last = b->address + (b->size - 1);
    uint64_t last = a_last < b_last ? a_last : b_last;
    if (address <= last && rv_memory_is_benign(&finder->memory, address, last - address + 1, second)) return;
    rv_evidence_race(&finder->evidence, rv_race_signature(a->site, b->site), first, second, flag);
}

static void take_happened(void *user, const struct rv_race_report *report) {
    take_race(user, report->first.step, report->second.step, RV_FIND_HAPPENED);
}

static void take_potential(void *user, const struct rv_lockset_report *report) {
    take_race(user, report->first.step, report->second.step, RV_FIND_MAYBE);
}

static void take_predicted(void *user, uint32_t first, uint32_t second) {
    take_race(user, first, second, RV_FIND_PREDICTED);
}

static void take_cycle(void *user, const struct rv_lock_wait *waits, uint32_t count) {
    struct rv_finder *finder = user;
    rv_evidence_deadlock(&finder->evidence, waits, count);
}

/* --- opening, closing --- */

struct rv_finder *rv_finder_open(const struct rv_find_options *options, char **error) {
    struct rv_finder *finder = rv_text_alloc(1, sizeof *finder);
    finder->directory = options->directory ? rv_text_copy(options->directory) : NULL;
    finder->predictor.work = options->work;
    rv_pages_use(&finder->pages);
    bool ready =
        rv_race_init(&finder->race, &rv_listed_pages, take_happened, finder) &&
        rv_lockset_init(&finder->lockset, &rv_listed_pages, RV_LOCKSET_KEEP, take_potential, finder) &&
        rv_lockorder_init(&finder->lockorder, &rv_listed_pages, take_cycle, finder);
    finder->race.thorough = true;
    void *memory = ready && options->memory ? rv_listed_pages.reserve(options->memory) : NULL;
    if (memory) rv_arena_init(&finder->predictor.arena, memory, options->memory);
    if (ready && (memory || !options->memory)) return finder;
    *error = rv_text_copy("no address space for the race detectors");
    rv_finder_close(finder);
    return NULL;
}

void rv_finder_close(struct rv_finder *finder) {
    if (!finder) return;
    rv_pages_give_back(&finder->pages);
    rv_symboliser_close(finder->symbols);
    free(finder->modules);
    free(finder->directory);
    free(finder);
}

/* --- notes --- */

/* Owns the text. */
static void add_note(struct rv_finds *finds, char *note) {
    for (unsigned i = 0; i < finds->note_count; i++) {
        if (strcmp(finds->notes[i], note) != 0) continue;
        free(note);
        return;
    }
    finds->notes = rv_text_realloc(finds->notes, finds->note_count + 1, sizeof *finds->notes);
    finds->notes[finds->note_count++] = note;
}

static void add_notes(const struct rv_finder *finder, struct rv_finds *finds) {
    const struct rv_trace *trace = finder->trace;
    static const char without[] = "memory for %s ran out: a part of an execution was not looked at for that";
    if (trace->cut)
        add_note(finds, rv_text_copy("an execution was too long to be recorded: its end was not looked at"));
    if (trace->problem)
        add_note(finds, rv_text_format("a recorded execution is damaged: %s", trace->problem));
    if (finder->race.exhausted) add_note(finds, rv_text_format(without, "races that happen"));
    if (finder->lockset.exhausted) add_note(finds, rv_text_format(without, "potential races"));
    if (finder->lockorder.exhausted) add_note(finds, rv_text_format(without, "lock order"));
    if (finder->lockset.forgotten)
        add_note(finds,
                 rv_text_copy("potential races may be missing: of memory that is accessed in many ways only "
                              "the latest accesses are kept"));
    if (finder->evidence.left_out)
        add_note(finds, rv_text_copy("there are more races or deadlocks in an execution than can be kept"));
}

static void add_notes_of_prediction(const struct rv_finder *finder, const struct rv_predicted *predicted,
                                    struct rv_finds *finds) {
    uint32_t all = finder->trace->record_count;
    if (!finder->predictor.arena.size) return; /* not asked for */
    if (predicted->tired)
        add_note(finds, rv_text_copy(
                            "prediction reached its limit of work in an execution: it may have found more"));
    else if (predicted->records < all)
        add_note(finds,
                 rv_text_format("prediction looked at the first %u of %u records of an execution: there is "
                                "no memory for more",
                                predicted->records, all));
}

/* --- a trace --- */

static void watch(struct rv_finder *finder) {
    const struct rv_trace *trace = finder->trace;
    rv_race_begin(&finder->race);
    rv_lockset_begin(&finder->lockset);
    rv_lockorder_begin(&finder->lockorder);
    for (uint32_t i = 0; i < trace->record_count; i++) {
        const struct rv_step *step = &trace->records[i].step;
        bool plain = step->kind <= RV_STEP_WRITE;
        if (plain && rv_memory_is_benign(&finder->memory, step->address, step->size, i)) continue;
        rv_race_step(&finder->race, step, i);
        rv_lockset_step(&finder->lockset, step, i);
        if (!plain) rv_lockorder_step(&finder->lockorder, step, i);
    }
}

static void predict(struct rv_finder *finder, struct rv_finds *finds) {
    uint32_t count = finder->evidence.deadlock_count;
    struct rv_deadlock_pattern *patterns = rv_text_alloc(count, sizeof *patterns);
    for (uint32_t i = 0; i < count; i++) patterns[i] = finder->evidence.deadlocks[i].pattern;
    struct rv_predicted predicted =
        rv_predict(&finder->predictor, finder->trace, patterns, count, take_predicted, finder);
    for (uint32_t i = 0; i < count; i++) finder->evidence.deadlocks[i].pattern = patterns[i];
    free(patterns);
    add_notes_of_prediction(finder, &predicted, finds);
}

/* --- finds --- */

static struct rv_describer *describer_of(struct rv_finder *finder) {
    const struct rv_trace *trace = finder->trace;
    if (finder->describer) return finder->describer;
    size_t size = trace->module_count * sizeof *trace->modules;
    if (!finder->symbols || finder->module_count != trace->module_count ||
        (size && memcmp(finder->modules, trace->modules, size) != 0)) {
        rv_symboliser_close(finder->symbols);
        finder->symbols = rv_symboliser_open_modules(trace->modules, trace->module_count, finder->directory);
        finder->modules = rv_text_realloc(finder->modules, trace->module_count, sizeof *finder->modules);
        if (size) memcpy(finder->modules, trace->modules, size);
        finder->module_count = trace->module_count;
    }
    finder->describer = rv_describer_open(trace, &finder->memory, finder->symbols);
    return finder->describer;
}

/* What is proved takes the place of what may be. */
static unsigned join_flags(unsigned flags) { return flags > RV_FIND_MAYBE ? flags & ~RV_FIND_MAYBE : flags; }
static unsigned best_of(unsigned flags) {
    return flags & RV_FIND_HAPPENED    ? RV_FIND_HAPPENED
           : flags & RV_FIND_PREDICTED ? RV_FIND_PREDICTED
                                       : flags;
}

/* Races are found by their signature in a trace's evidence, so each trace looks at each find once. */
static void merge_races(struct rv_finder *finder, struct rv_finds *finds) {
    const struct rv_evidence *evidence = &finder->evidence;
    struct rv_evidence known = {
        0}; /* what is found already, as evidence: `first` is the number of the find */
    for (unsigned i = 0; i < finds->race_count; i++)
        rv_evidence_race(&known, finds->races[i].signature, i, 0, RV_FIND_MAYBE);
    for (uint32_t i = 0; i < evidence->race_count; i++) {
        const struct rv_race_evidence *race = &evidence->races[i];
        const struct rv_race_evidence *old = rv_evidence_find(&known, race->signature);
        if (!old && finds->race_count == RV_FINDS_MAX) {
            add_note(finds,
                     rv_text_format("there are more than %d races: the others are left out", RV_FINDS_MAX));
            continue;
        }
        if (!old) {
            finds->races = rv_text_realloc(finds->races, finds->race_count + 1, sizeof *finds->races);
            finds->races[finds->race_count] = (struct rv_race_find){.signature = race->signature};
        }
        struct rv_race_find *find = &finds->races[old ? old->first : finds->race_count++];
        if (best_of(race->flags) > best_of(find->flags)) {
            const struct rv_record *records = finder->trace->records;
            rv_race_free(&find->text);
            rv_describe_race(describer_of(finder), race->first, race->second, race->flags & RV_FIND_HAPPENED,
                             &find->text);
            find->sites[0] = records[race->first].step.site;
            find->sites[1] = records[race->second].step.site;
        }
        find->flags = join_flags(find->flags | race->flags);
        find->count++;
        find->text.signature = find->signature;
        find->text.count = find->count;
        find->text.predicted = find->flags & RV_FIND_PREDICTED;
    }
    rv_evidence_free(&known);
}

static struct rv_deadlock_find *deadlock_of(struct rv_finds *finds, uint64_t signature) {
    for (unsigned i = 0; i < finds->deadlock_count; i++)
        if (finds->deadlocks[i].signature == signature) return &finds->deadlocks[i];
    if (finds->deadlock_count == RV_FINDS_MAX) return NULL;
    finds->deadlocks = rv_text_realloc(finds->deadlocks, finds->deadlock_count + 1, sizeof *finds->deadlocks);
    struct rv_deadlock_find *find = &finds->deadlocks[finds->deadlock_count++];
    *find = (struct rv_deadlock_find){.signature = signature};
    return find;
}

static void merge_deadlocks(struct rv_finder *finder, struct rv_finds *finds) {
    for (uint32_t i = 0; i < finder->evidence.deadlock_count; i++) {
        const struct rv_deadlock_evidence *deadlock = &finder->evidence.deadlocks[i];
        struct rv_deadlock_find *find = deadlock_of(finds, deadlock->signature);
        if (!find) {
            add_note(finds, rv_text_format("there are more than %d deadlocks: the others are left out",
                                           RV_FINDS_MAX));
            continue;
        }
        unsigned flag = deadlock->pattern.predicted ? RV_FIND_PREDICTED : RV_FIND_MAYBE;
        if (flag > find->flags) {
            rv_deadlock_free(&find->text);
            rv_describe_deadlock(describer_of(finder), deadlock->pattern.waits, deadlock->pattern.count,
                                 &find->text);
            find->flags = flag;
            for (uint32_t k = 0; k < deadlock->pattern.count && k < RV_LONGEST_CYCLE; k++)
                find->sites[k] = (struct rv_lock_sites){deadlock->pattern.waits[k].held_site,
                                                        deadlock->pattern.waits[k].wanted_site};
        }
        find->count++;
        find->text.signature = find->signature;
        find->text.count = find->count;
        find->text.predicted = find->flags == RV_FIND_PREDICTED;
    }
}

void rv_finder_look(struct rv_finder *finder, const struct rv_trace *trace, struct rv_finds *finds) {
    rv_pages_use(&finder->pages);
    finder->trace = trace;
    rv_memory_init(&finder->memory, trace);
    watch(finder);
    predict(finder, finds);
    merge_races(finder, finds);
    merge_deadlocks(finder, finds);
    add_notes(finder, finds);
    finds->traces++;
    finds->records += trace->record_count;
    rv_describer_close(finder->describer);
    rv_memory_free(&finder->memory);
    rv_evidence_free(&finder->evidence);
    finder->describer = NULL;
    finder->trace = NULL;
}

void rv_finds_free(struct rv_finds *finds) {
    for (unsigned i = 0; i < finds->race_count; i++) rv_race_free(&finds->races[i].text);
    for (unsigned i = 0; i < finds->deadlock_count; i++) rv_deadlock_free(&finds->deadlocks[i].text);
    for (unsigned i = 0; i < finds->note_count; i++) free(finds->notes[i]);
    free(finds->races);
    free(finds->deadlocks);
    free(finds->notes);
    *finds = (struct rv_finds){0};
}
