#include "races/recorded.h"

#include <stdlib.h>

#include "races/describe.h"
#include "report/text.h"

static bool is_access(const struct rv_trace *trace, uint32_t number) {
    return number > 0 && number <= trace->record_count &&
           rv_step_is_access(trace->records[number - 1].step.kind);
}

struct rv_race_text *rv_race_recorded(const struct rv_area *area, const struct rv_recording *recording,
                                      struct rv_symboliser *symbols) {
    struct rv_trace trace =
        rv_trace_copy(area->modules, area->module_count, recording->records, recording->count,
                      recording->nodes, recording->node_count, recording->cut != 0);
    uint32_t first = area->outcome.race_first, second = area->outcome.race_second;
    struct rv_race_text *race = NULL;
    if (is_access(&trace, first) && is_access(&trace, second) && first < second) {
        struct rv_memory memory;
        race = rv_text_alloc(1, sizeof *race);
        rv_memory_init(&memory, &trace);
        struct rv_describer *describer = rv_describer_open(&trace, &memory, symbols);
        rv_describe_race(describer, first - 1, second - 1, true, race);
        rv_describer_close(describer);
        rv_memory_free(&memory);
        race->status = RV_RACE_REAL;
        race->signature = area->outcome.signature;
        rv_race_complete(race);
    }
    rv_trace_free(&trace);
    return race;
}
