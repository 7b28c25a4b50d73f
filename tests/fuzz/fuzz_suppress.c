/* libFuzzer target for suppressions: whatever is accepted must match without harm, and mean the same when read again. */
#include <stdlib.h>
#include <string.h>

#include "race_sample.h"
#include "report/suppress.h"
#include "report/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The entries that match nothing, as a file. */
static char *unused(const struct rv_suppressions *list) {
    struct rv_text out = {0};
    size_t cursor = 0;
    for (const struct rv_suppression *entry; (entry = rv_suppressions_unused(list, &cursor));) {
        if (entry->matches || entry->line == 0) abort();
        rv_text_addf(&out, "%s:%s\n", rv_suppression_names[entry->type], entry->pattern);
    }
    return rv_text_take(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sample sample;
    char *error = NULL;
    struct rv_suppressions *list = rv_suppressions_new(), *back = rv_suppressions_new();
    sample_fill(&sample);
    if (rv_suppressions_add(list, (const char *)data, size, "fuzz", &error)) {
        char *all = unused(list);
        if (!rv_suppressions_add(back, all, strlen(all), "again", &error)) abort();
        bool race = rv_suppress_race(list, &sample.race),
             deadlock = rv_suppress_deadlock(list, &sample.deadlock);
        if (race != (rv_suppress_race(back, &sample.race) != NULL)) abort();
        if (deadlock != (rv_suppress_deadlock(back, &sample.deadlock) != NULL)) abort();
        char *rest = unused(list), *rest_back = unused(back);
        if (strcmp(rest, rest_back) != 0 || (strcmp(rest, all) == 0) == (race || deadlock)) abort();
        free(rest_back);
        free(rest);
        free(all);
    } else {
        if (!error) abort();
        free(error);
    }
    rv_suppressions_free(back);
    rv_suppressions_free(list);
    return 0;
}
