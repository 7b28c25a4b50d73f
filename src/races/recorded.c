#include "races/recorded.h"

#include <stdlib.h>

#include "races/describe.h"
#include "report/text.h"

static bool is_access(const struct rv_trace *trace, uint32_t number) {
    return number > 0 && number <= trace->record_count &&
           rv_step_is_access(trace->records[number - 1].step.kind);
}

struct rv_trace rv_recorded_trace(const struct rv_area *area, const struct rv_recording *recording) {
    return rv_trace_copy(area->modules, area->module_count, recording->records, recording->count,
                         recording->nodes, recording->node_count, recording->cut != 0);
}

bool rv_recorded_race(const struct rv_area *area, const struct rv_trace *trace, uint32_t *first,
                      uint32_t *second) {
    uint32_t a = area->outcome.race_first, b = area->outcome.race_second;
    *first = a - 1;
    *second = b - 1;
    return a < b && is_access(trace, a) && is_access(trace, b) &&
           trace->records[a - 1].step.thread != trace->records[b - 1].step.thread;
}

struct rv_race_text *rv_race_recorded(const struct rv_area *area, const struct rv_recording *recording,
                                      struct rv_symboliser *symbols) {
    struct rv_trace trace = rv_recorded_trace(area, recording);
    uint32_t first, second;
    struct rv_race_text *race = NULL;
    if (rv_recorded_race(area, &trace, &first, &second)) {
        struct rv_memory memory;
        race = rv_text_alloc(1, sizeof *race);
        rv_memory_init(&memory, &trace);
        struct rv_describer *describer = rv_describer_open(&trace, &memory, symbols);
        rv_describe_race(describer, first, second, true, race);
        rv_describer_close(describer);
        rv_memory_free(&memory);
        race->status = RV_RACE_REAL;
        race->standing = area->outcome.race_met != 0;
        race->signature = area->outcome.signature;
        rv_race_complete(race);
    }
    rv_trace_free(&trace);
    return race;
}
