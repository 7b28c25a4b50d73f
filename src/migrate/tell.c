#include "migrate/tell.h"

#include <stdlib.h>
#include <string.h>

#include "migrate/rewrite.h"
#include "report/text.h"

static const char *const reasons[] = {
    [RV_SLEEP_NOTHING] = "meanwhile no other thread did anything that what follows could wait for",
    [RV_SLEEP_LAST] = "nothing follows it that could wait",
    [RV_SLEEP_LOOP] = "in a loop: it simulates work, or waits again and again",
    [RV_SLEEP_AGAIN] = "one thread passes it again and again: it simulates work",
    [RV_SLEEP_POLLING] = "a loop asks again and again",
    [RV_SLEEP_INSIDE] = "the sleep is inside of what the statement calls",
    [RV_SLEEP_LATE] = "nobody waits for what follows it",
    [RV_SLEEP_SELDOM] = "an ordering was seen, but in too few runs, or one that contradicts others",
    [RV_SLEEP_ORDERS] = "a test that is not migrated needs it",
};

static const struct rv_place *place_of(const struct rv_migration *migration, uint32_t place) {
    return &migration->source.places[place];
}

static unsigned line_of(const struct rv_migration *migration, const struct rv_mark *event) {
    const struct rv_place *place = place_of(migration, event->place);
    return event->after ? place->end_line : place->line;
}

static double share(uint32_t hits, const struct rv_inference *inference) {
    return inference->runs ? (double)hits / (double)inference->runs : 0;
}

/* "adder slept 50 ms at line 31 while main had come to a stand in take (line 44); so adder went on at line 32 only then". */
static char *why(const struct rv_migration *migration, const struct rv_inference *inference,
                 const struct rv_ordering_found *ordering) {
    const struct rv_mark *from = &inference->marks[ordering->from], *to = &inference->marks[ordering->to];
    struct rv_text text = {0};
    rv_text_addf(&text, "%s slept %g ms at line %u; when it woke, %s ", ordering->sleeper,
                 (double)ordering->ns / 1e6, place_of(migration, ordering->sleep)->line,
                 ordering->from_thread);
    if (ordering->block)
        rv_text_addf(&text, "was blocked in line %u", line_of(migration, from));
    else
        rv_text_addf(&text, "was done with line %u", place_of(migration, from->about)->end_line);
    rv_text_addf(&text, "; so line %u%s%s waits for that", line_of(migration, to),
                 strcmp(ordering->to_thread, ordering->sleeper) == 0 ? "" : " of ",
                 strcmp(ordering->to_thread, ordering->sleeper) == 0 ? "" : ordering->to_thread);
    return rv_text_take(&text);
}

/* ---- people ---- */

static void tell_orderings(FILE *out, const struct rv_migration *migration,
                           const struct rv_test_found *test) {
    const struct rv_inference *inference = &test->inference;
    for (uint32_t i = 0; i < inference->mark_count; i++) {
        const struct rv_mark *event = &inference->marks[i];
        if (event->used)
            fprintf(out, "  event %s %s line %u, %.0f%%\n", event->name, event->after ? "after" : "before",
                    line_of(migration, event), 100 * share(event->hits, inference));
    }
    for (uint32_t i = 0; i < inference->ordering_count; i++) {
        const struct rv_ordering_found *ordering = &inference->orderings[i];
        if (ordering->fate != RV_KEPT_ORDERING) continue;
        char *text = rv_ordering_text(inference, ordering), *reason = why(migration, inference, ordering);
        fprintf(out, "  %s, %.0f%%: %s\n", text, 100 * share(ordering->hits, inference), reason);
        free(text);
        free(reason);
    }
}

static void tell_sleeps(FILE *out, const struct rv_migration *migration, const struct rv_test_found *test,
                        const bool *removed) {
    for (uint32_t i = 0; i < test->inference.sleep_count; i++) {
        const struct rv_sleep_found *sleep = &test->inference.sleeps[i];
        if (!removed[sleep->place])
            fprintf(out, "  the sleep of %g ms at line %u stays: %s\n", (double)sleep->ns / 1e6,
                    place_of(migration, sleep->place)->line, reasons[sleep->reason]);
    }
}

static const char *name_of(const struct rv_migration *migration, const struct rv_test_found *test) {
    return migration->source.functions[test->function].test_name;
}

void rv_migration_tell(FILE *out, const struct rv_migration *migration) {
    bool *removed = rv_sleeps_removed(migration);
    for (uint32_t t = 0; t < migration->test_count; t++) {
        const struct rv_test_found *test = &migration->tests[t];
        const char *name = name_of(migration, test);
        if (test->skipped)
            fprintf(out, "%s: left as it is: %s\n", name, test->skipped);
        else if (!test->inference.runs)
            fprintf(out, "%s: did not run\n", name);
        else
            fprintf(out, "%s:%s\n", name, test->schedule[0] ? "" : " its sleeps order nothing");
        tell_orderings(out, migration, test);
        tell_sleeps(out, migration, test, removed);
        for (uint32_t other = 0; other < t; other++)
            if (rv_tests_alike(migration, &migration->tests[other], test))
                fprintf(out,
                        "  differs from %s in its schedule only: both can be one test with two schedules\n",
                        name_of(migration, &migration->tests[other]));
    }
    free(removed);
}

/* ---- programs ---- */

static json_t *events_json(const struct rv_migration *migration, const struct rv_inference *inference) {
    json_t *all = json_array();
    for (uint32_t i = 0; i < inference->mark_count; i++) {
        const struct rv_mark *event = &inference->marks[i];
        if (!event->used) continue;
        json_array_append_new(all,
                              json_pack("{s:s, s:i, s:s, s:f, s:b}", "name", event->name, "line",
                                        (int)line_of(migration, event), "thread", event->thread, "confidence",
                                        share(event->hits, inference), "before", !event->after));
    }
    return all;
}

static json_t *orderings_json(const struct rv_migration *migration, const struct rv_inference *inference) {
    json_t *all = json_array();
    for (uint32_t i = 0; i < inference->ordering_count; i++) {
        const struct rv_ordering_found *ordering = &inference->orderings[i];
        if (ordering->fate != RV_KEPT_ORDERING) continue;
        char *text = rv_ordering_text(inference, ordering), *reason = why(migration, inference, ordering);
        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:b, s:f, s:s}", "text", text, "from",
                                             inference->marks[ordering->from].name, "to",
                                             inference->marks[ordering->to].name, "block", ordering->block,
                                             "confidence", share(ordering->hits, inference), "why", reason));
        free(text);
        free(reason);
    }
    return all;
}

static json_t *test_json(const struct rv_migration *migration, const struct rv_test_found *test,
                         const bool *removed) {
    json_t *gone = json_array(), *kept = json_array(), *polling = json_array();
    for (uint32_t i = 0; i < test->inference.sleep_count; i++) {
        const struct rv_sleep_found *sleep = &test->inference.sleeps[i];
        int line = (int)place_of(migration, sleep->place)->line;
        double ms = (double)sleep->ns / 1e6;
        if (removed[sleep->place])
            json_array_append_new(gone, json_pack("{s:i, s:f}", "line", line, "ms", ms));
        else if (sleep->reason == RV_SLEEP_POLLING)
            json_array_append_new(polling, json_integer(line));
        else
            json_array_append_new(
                kept, json_pack("{s:i, s:f, s:s}", "line", line, "ms", ms, "reason", reasons[sleep->reason]));
    }
    json_t *found = json_pack("{s:s, s:o, s:o, s:s, s:o, s:o, s:o}", "name", name_of(migration, test),
                              "events", events_json(migration, &test->inference), "orderings",
                              orderings_json(migration, &test->inference), "schedule", test->schedule,
                              "removed", gone, "kept", kept, "polling", polling);
    if (test->skipped) json_object_set_new(found, "skipped", json_string(test->skipped));
    if (!test->skipped && !test->inference.runs)
        json_object_set_new(found, "skipped", json_string("did not run"));
    return found;
}

json_t *rv_migration_json(const struct rv_migration *migration, double seconds, bool written) {
    json_t *tests = json_array(), *alike = json_array();
    bool *removed = rv_sleeps_removed(migration);
    for (uint32_t t = 0; t < migration->test_count; t++) {
        const struct rv_test_found *test = &migration->tests[t];
        json_array_append_new(tests, test_json(migration, test, removed));
        for (uint32_t other = 0; other < t; other++)
            if (rv_tests_alike(migration, &migration->tests[other], test))
                json_array_append_new(alike, json_pack("[s, s]", name_of(migration, &migration->tests[other]),
                                                       name_of(migration, test)));
    }
    free(removed);
    char *file = rv_text_utf8(migration->request.file);
    json_t *all = json_pack("{s:s, s:o, s:o, s:i, s:f, s:b}", "file", file, "tests", tests, "alike", alike,
                            "runs", (int)migration->runs, "seconds", seconds, "written", written);
    free(file);
    return all;
}
