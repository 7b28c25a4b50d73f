/* Names of events. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "migrate/infer.h"
#include "report/text.h"

/* The first word of "bqueue_put", with its "_"; 0: there is but one word. */
static size_t prefix_of(const char *name) {
    const char *end = strchr(name, '_');
    return end && end > name && end[1] ? (size_t)(end - name) + 1 : 0;
}

/* A prefix that several functions have in common says nothing. */
static bool is_shared_prefix(const struct rv_source *source, const char *name, size_t length) {
    for (uint32_t i = 0; i < source->place_count; i++) {
        const char *other = source->places[i].callee;
        if (strcmp(other, name) != 0 && prefix_of(other) == length && strncmp(other, name, length) == 0)
            return true;
    }
    return false;
}

/* "bqueue_take_within" is "TakeWithin", "latchAwait" is "LatchAwait". */
static void add_words(struct rv_text *to, const struct rv_source *source, const char *name) {
    size_t length = prefix_of(name);
    if (length && is_shared_prefix(source, name, length)) name += length;
    bool big = true;
    for (; *name; name++) {
        if (!isalnum((unsigned char)*name)) {
            big = true;
            continue;
        }
        char letter = big ? (char)toupper((unsigned char)*name) : *name;
        rv_text_add_n(to, &letter, 1);
        big = false;
    }
}

static bool passed(const struct rv_run *runs, uint32_t count, uint32_t place) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t p = 0; p < runs[i].pass_count; p++)
            if (runs[i].passes[p].place == place) return true;
    return false;
}

/* The how manieth statement of the test it is that is about the same; 0: the only one. */
static uint32_t number_of(const struct rv_source *source, uint32_t place, const struct rv_run *runs,
                          uint32_t count) {
    uint32_t number = 0, all = 0;
    for (uint32_t i = 0; i < source->place_count; i++) {
        if (strcmp(source->places[i].callee, source->places[place].callee) != 0) continue;
        if (i != place && !passed(runs, count, i)) continue;
        all++;
        if (i == place) number = all;
    }
    return all > 1 ? number : 0;
}

static bool is_taken(const struct rv_inference *inference, uint32_t until, const char *name) {
    for (uint32_t i = 0; i < until; i++)
        if (inference->events[i].name && strcmp(inference->events[i].name, name) == 0) return true;
    return false;
}

void rv_marks_name(struct rv_inference *inference, const struct rv_source *source, const struct rv_run *runs,
                   uint32_t count) {
    for (uint32_t i = 0; i < inference->event_count; i++) {
        struct rv_mark *event = &inference->events[i];
        if (!event->used) continue;
        struct rv_text name = {0};
        uint32_t number = number_of(source, event->about, runs, count);
        rv_text_add(&name, event->starting ? "starting" : "finished");
        add_words(&name, source, source->places[event->about].callee);
        if (number) rv_text_addf(&name, "%u", number);
        rv_text_set(&event->name, rv_text_take(&name));
        for (char letter = 'b'; letter <= 'z' && is_taken(inference, i, event->name); letter++)
            rv_text_set(&event->name,
                        rv_text_format("%.*s%c", (int)strcspn(event->name, "_"), event->name, letter));
    }
}

char *rv_mark_text(const struct rv_mark *event, uint32_t order) {
    return event->passes > 1 ? rv_text_format("%s#%u", event->name, order) : rv_text_copy(event->name);
}

char *rv_ordering_text(const struct rv_inference *inference, const struct rv_ordering_found *ordering) {
    char *from = rv_mark_text(&inference->events[ordering->from], ordering->from_order);
    char *to = rv_mark_text(&inference->events[ordering->to], ordering->to_order);
    char *text = rv_text_format(ordering->block ? "[%s] -> %s" : "%s -> %s", from, to);
    free(from);
    free(to);
    return text;
}

char *rv_schedule_text(const struct rv_inference *inference) {
    struct rv_text text = {0};
    for (uint32_t i = 0; i < inference->ordering_count; i++) {
        if (inference->orderings[i].fate != RV_KEPT_ORDERING) continue;
        char *ordering = rv_ordering_text(inference, &inference->orderings[i]);
        rv_text_addf(&text, "%s%s", text.size ? ", " : "", ordering);
        free(ordering);
    }
    return rv_text_take(&text);
}
