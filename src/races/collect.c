/* The first phase: random executions, each recorded and looked at by all detectors. */
#include <stdlib.h>
#include <string.h>

#include "races/hunt_private.h"
#include "report/symbolise.h"
#include "report/text.h"
#include "supervisor/util.h"

enum {
    ROAM = 50,            /* executions for each that is recorded, at most; */
    ROAM_STEPS = 1 << 24, /* ... and about so many steps in all of them */
};

struct collector {
    struct rv_finder *finder;
    uint64_t count;
};

static void keep_modules(struct rv_hunt *hunt, const struct rv_area *area) {
    uint32_t count = rv_load32(&area->module_count);
    if (count > RV_MAX_MODULES) count = RV_MAX_MODULES;
    memcpy(hunt->modules, area->modules, count * sizeof *area->modules);
    for (uint32_t i = 0; i < count; i++) hunt->modules[i].path[sizeof hunt->modules[i].path - 1] = 0;
    hunt->module_count = count;
}

static int by_code(const void *a, const void *b) {
    rv_code first = *(const rv_code *)a, second = *(const rv_code *)b;
    return (first > second) - (first < second);
}

/* Pairs that a user asks for need not be in any find: what could they be? */
static void keep_accesses(struct rv_hunt *hunt, const struct rv_trace *trace) {
    if (!hunt->options->pairs && !hunt->options->focus) return;
    size_t known = hunt->access_count;
    hunt->accesses = rv_text_realloc(hunt->accesses, known + trace->record_count, sizeof *hunt->accesses);
    for (uint32_t i = 0; i < trace->record_count; i++) {
        const struct rv_step *step = &trace->records[i].step;
        if (rv_step_is_access(step->kind) && step->site) hunt->accesses[hunt->access_count++] = step->site;
    }
    qsort(hunt->accesses, hunt->access_count, sizeof *hunt->accesses, by_code);
    size_t kept = 0;
    for (size_t i = 0; i < hunt->access_count; i++)
        if (kept == 0 || hunt->accesses[kept - 1] != hunt->accesses[i])
            hunt->accesses[kept++] = hunt->accesses[i];
    hunt->access_count = kept;
}

static void write_trace(struct rv_hunt *hunt, const struct rv_trace *trace, uint64_t number) {
    struct rv_trace_writer *writer = hunt->options->writer;
    const struct rv_trace_execution execution = {.number = number,
                                                 .records = trace->records,
                                                 .record_count = trace->record_count,
                                                 .nodes = trace->nodes,
                                                 .node_count = trace->node_count,
                                                 .no_room = trace->cut};
    char *error = NULL;
    if (!writer || (rv_trace_modules(writer, trace->modules, trace->module_count, &error) &&
                    rv_trace_execution(writer, &execution, &error)))
        return;
    rv_notes_add(&hunt->result->warnings, error);
}

static bool recorded(struct rv_hunt *hunt, const struct rv_explorer *explorer, void *user) {
    struct collector *collector = user;
    const struct rv_recording *recording = rv_explorer_recording(explorer);
    keep_modules(hunt, rv_explorer_area(explorer));
    struct rv_trace trace =
        rv_trace_copy(hunt->modules, hunt->module_count, recording->records, rv_load64(&recording->count),
                      recording->nodes, rv_load64(&recording->node_count), rv_load32(&recording->cut));
    hunt->partly |= trace.cut || trace.problem;
    write_trace(hunt, &trace, ++collector->count);
    keep_accesses(hunt, &trace);
    rv_finder_look(collector->finder, &trace, &hunt->finds);
    hunt->recorded += trace.record_count;
    rv_trace_free(&trace);
    char what[80];
    snprintf(what, sizeof what, "recording: %llu of %llu schedules, %u potential races",
             (unsigned long long)collector->count, (unsigned long long)hunt->options->schedules,
             hunt->finds.race_count);
    rv_progress_say(hunt->options->progress, what);
    return true;
}

static bool suspect(struct rv_hunt *hunt, struct rv_suspect *suspect, void *user) {
    (void)user;
    if (suspect->outcome.kind == RV_KIND_RACE) {
        rv_hunt_saw(hunt, suspect);
    } else {
        hunt->partly = true; /* if the process died, so did what it had recorded */
        rv_hunt_failed(hunt, suspect);
    }
    return true;
}

static bool happened(const struct rv_hunt *hunt, uint64_t signature) {
    for (uint32_t i = 0; i < hunt->finds.race_count; i++)
        if (hunt->finds.races[i].signature == signature) return hunt->finds.races[i].flags & RV_FIND_HAPPENED;
    return false;
}

/* The detector inside the program has looked at the same executions: whether it says the same. */
static void compare_detectors(struct rv_hunt *hunt) {
    size_t inside = 0, outside = 0;
    if (hunt->partly || rv_hunt_over(hunt) || hunt->seen_count >= RV_MOST_RACES) return;
    for (size_t i = 0; i < hunt->seen_count; i++) inside += !happened(hunt, hunt->seen[i].signature);
    for (uint32_t i = 0; i < hunt->finds.race_count; i++)
        outside += (hunt->finds.races[i].flags & RV_FIND_HAPPENED) &&
                   !rv_hunt_seen(hunt, hunt->finds.races[i].signature);
    if (inside || outside)
        rv_notes_add(
            &hunt->result->warnings,
            rv_text_format("%zu races were seen only inside the program, %zu only in its recording: this "
                           "is an error in ravel",
                           inside, outside));
}

bool rv_hunt_collect(struct rv_hunt *hunt) {
    struct rv_find_options options = rv_find_defaults;
    const struct rv_program *program = hunt->about.program;
    struct collector collector = {.count = 0};
    options.directory = program->directory ? program->directory : ".";
    collector.finder = rv_finder_open(&options, &hunt->result->error);
    if (!collector.finder) return false;
    struct rv_expedition expedition = {.config = rv_hunt_config(hunt, "random", hunt->options->schedules),
                                       .recorded = recorded,
                                       .suspect = suspect,
                                       .user = &collector};
    expedition.config.record = 1;
    bool good = rv_hunt_explore(hunt, &expedition);
    hunt->result->schedules = expedition.executions;
    rv_finder_close(collector.finder);
    if (good) compare_detectors(hunt);
    return good;
}

/* The accesses that the executions to come are to have points at. */
static unsigned in_focus(const struct rv_hunt *hunt, rv_code *sites) {
    const char *directory = hunt->about.program->directory;
    struct rv_symboliser *symbols =
        rv_symboliser_open_modules(hunt->modules, hunt->module_count, directory ? directory : ".");
    unsigned count = 0;
    for (size_t i = 0; i < hunt->access_count; i++) {
        struct rv_location at;
        (void)rv_symbolise_code(symbols, hunt->accesses[i], true, &at, 1);
        if (hunt->options->focus(&at, hunt->options->user)) sites[count++] = hunt->accesses[i];
        rv_location_free(&at);
    }
    rv_symboliser_close(symbols);
    return count;
}

static void roam_focused(struct rv_hunt *hunt, struct rv_expedition *expedition) {
    rv_code *sites = rv_text_alloc(hunt->access_count, sizeof *sites);
    const struct rv_head_start head_start = {hunt->modules, hunt->module_count, sites, in_focus(hunt, sites)};
    expedition->head_start = &head_start;
    expedition->config.focus = head_start.site_count > 0;
    if (!rv_hunt_over(hunt)) (void)rv_hunt_explore(hunt, expedition);
    free(sites);
}

void rv_hunt_roam(struct rv_hunt *hunt) {
    uint64_t recorded = hunt->result->schedules, steps = recorded ? hunt->recorded / recorded + 1 : 0;
    uint64_t count = recorded * ROAM;
    if (!steps || hunt->options->pairs || rv_hunt_over(hunt)) return;
    if (count > ROAM_STEPS / steps) count = ROAM_STEPS / steps;
    if (!count) return;
    struct rv_expedition expedition = {.config = rv_hunt_config(hunt, "pos", count), .suspect = suspect};
    rv_progress_say(hunt->options->progress, "watching more schedules");
    if (hunt->options->focus)
        roam_focused(hunt, &expedition);
    else
        (void)rv_hunt_explore(hunt, &expedition);
    hunt->result->watched = expedition.executions;
}
