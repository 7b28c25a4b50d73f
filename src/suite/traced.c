#include "suite/traced.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"
#include "supervisor/trace_text.h"
#include "supervisor/util.h"

enum { THREADS = 4096 };

/* start@NAME tells the thread's name; malloc'ed, NULL: it is no start. */
static char *started(const char *event) {
    return strncmp(event, "start@", 6) == 0 ? rv_text_copy(event + 6) : NULL;
}

static char *event_name(const struct rv_area *area, uint64_t number) {
    if (number == 0 || number > RV_MAX_EVENT_NAMES) return rv_text_copy("?");
    return rv_clean_text(area->event_names[number - 1], sizeof area->event_names[0]);
}

void rv_traced_events(const struct rv_area *area, struct rv_test_result *result) {
    char **names = rv_allocate(THREADS * sizeof *names);
    uint64_t count = rv_trace_count(area);
    names[0] = rv_text_copy("main");
    for (uint64_t i = 0; i < count; i++) {
        const struct rv_event event = area->events[i];
        if (event.op != RV_OP_EVENT || event.thread >= THREADS) continue;
        char *name = event_name(area, event.value), *begun = started(name);
        char **thread = &names[event.thread];
        if (begun) rv_text_set(thread, begun);
        if (!*thread) *thread = rv_text_format("thread %u", event.thread);
        rv_test_result_add_event(result, *thread, name);
        free(name);
    }
    for (size_t i = 0; i < THREADS; i++) free(names[i]);
    free(names);
}
