#include "supervisor/covered.h"

#include <stdlib.h>
#include <time.h>

#include "report/text.h"

/* How the number of instances has grown: the workers' curves beside each other; a later one has nothing new for long. */
static void note_growth(const struct rv_explorer *explorer, struct rv_cover_run *run) {
    for (unsigned i = 0; i < explorer->count; i++) {
        const struct rv_area *area = rv_area_of(explorer->channel.shared, explorer->seats[i].worker.index);
        for (unsigned k = 0; k < RV_COVER_GROWTH; k++)
            if (area->coverage.growth[k] > run->growth[k] && area->coverage.growth[k] <= RV_COVER_INSTANCES)
                run->growth[k] = area->coverage.growth[k];
    }
}

void rv_covered_take(const struct rv_explorer *explorer, struct rv_cover_shelf *shelf,
                     struct rv_cover_run *run) {
    rv_explorer_coverage(explorer, shelf->directory, &shelf->data);
    note_growth(explorer, run);
}

void rv_covered_save(struct rv_cover_shelf *shelf, struct rv_cover_run *run, struct rv_result *result) {
    char *error = NULL;
    if (!shelf->data.executions) return;
    run->time = (int64_t)time(NULL);
    run->seconds = result->seconds > 0 ? result->seconds : 0;
    run->executions = shelf->data.executions;
    run->strategy = result->config.strategy;
    if (!rv_cover_shelf_save(shelf, run, &error))
        rv_notes_add(&result->warnings, rv_text_format("what was covered is not kept: %s", error));
    free(error);
}
