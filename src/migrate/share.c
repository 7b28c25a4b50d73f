/* Names of events in a file of several tests. A marker in a function that several tests use is there for all of them. */
#include <stdlib.h>
#include <string.h>

#include "migrate/session.h"
#include "report/text.h"

static bool same_place(const struct rv_mark *a, const struct rv_mark *b) {
    return a->place == b->place && a->after == b->after;
}

static bool in_test(const struct rv_migration *migration, const struct rv_mark *event) {
    const struct rv_source *source = &migration->source;
    return source->functions[source->places[event->place].function].is_test;
}

/* The name means another place, in a function that both could run. */
static bool clashes(const struct rv_migration *migration, const struct rv_mark *event,
                    const struct rv_mark *other) {
    if (!other->name || strcmp(other->name, event->name) != 0 || same_place(event, other)) return false;
    return !in_test(migration, event) || !in_test(migration, other) ||
           migration->source.places[event->place].function == migration->source.places[other->place].function;
}

/* The first event of the tests before this one that `wanted` says yes to. */
static const struct rv_mark *earlier(const struct rv_migration *migration, uint32_t tests,
                                     const struct rv_mark *event, bool clash) {
    for (uint32_t t = 0; t < tests; t++) {
        const struct rv_inference *inference = &migration->tests[t].inference;
        for (uint32_t i = 0; i < inference->event_count; i++) {
            const struct rv_mark *other = &inference->events[i];
            if (other->used && (clash ? clashes(migration, event, other) : same_place(event, other)))
                return other;
        }
    }
    return NULL;
}

void rv_marks_share(struct rv_migration *migration) {
    for (uint32_t t = 0; t < migration->test_count; t++) {
        struct rv_inference *inference = &migration->tests[t].inference;
        for (uint32_t i = 0; i < inference->event_count; i++) {
            struct rv_mark *event = &inference->events[i];
            if (!event->used) continue;
            const struct rv_mark *known = earlier(migration, t, event, false);
            if (known) {
                rv_text_set(&event->name, rv_text_copy(known->name));
                continue;
            }
            size_t length = strlen(event->name);
            for (char letter = 'b'; letter <= 'z' && earlier(migration, t, event, true); letter++)
                rv_text_set(&event->name, rv_text_format("%.*s_%c", (int)length, event->name, letter));
        }
    }
}
