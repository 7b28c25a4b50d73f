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

/* Whether an event that is used is named after the place. */
static bool is_subject(struct rv_inference *const *all, uint32_t count, uint32_t place) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t m = 0; m < all[i]->mark_count; m++)
            if (all[i]->marks[m].used && all[i]->marks[m].about == place) return true;
    return false;
}

/* The how manieth of the statements about the same that events are named after; 0: the only one. */
static uint32_t number_of(const struct rv_source *source, struct rv_inference *const *all, uint32_t count,
                          uint32_t place) {
    uint32_t number = 0, same = 0;
    for (uint32_t i = 0; i < source->place_count; i++) {
        if (strcmp(source->places[i].callee, source->places[place].callee) != 0) continue;
        if (!is_subject(all, count, i)) continue;
        same++;
        if (i == place) number = same;
    }
    return same > 1 ? number : 0;
}

/* The first mark with a name that is at the same place, or that has this name. */
static const struct rv_mark *named(struct rv_inference *const *all, uint32_t count, const struct rv_mark *at,
                                   const char *name) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t m = 0; m < all[i]->mark_count; m++) {
            const struct rv_mark *mark = &all[i]->marks[m];
            if (!mark->name) continue;
            if (name ? strcmp(mark->name, name) == 0 : mark->place == at->place && mark->after == at->after)
                return mark;
        }
    return NULL;
}

static char *new_name(const struct rv_source *source, struct rv_inference *const *all, uint32_t count,
                      const struct rv_mark *mark) {
    struct rv_text text = {0};
    uint32_t number = number_of(source, all, count, mark->about);
    rv_text_add(&text, mark->starting ? "starting" : "finished");
    add_words(&text, source, source->places[mark->about].callee);
    if (number) rv_text_addf(&text, "%u", number);
    char *first = rv_text_take(&text), *name = rv_text_copy(first);
    for (char letter = 'b'; letter <= 'z' && named(all, count, NULL, name); letter++)
        rv_text_set(&name, rv_text_format("%s%c", first, letter));
    free(first);
    return name;
}

void rv_marks_name(struct rv_inference *const *all, uint32_t count, const struct rv_source *source) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t m = 0; m < all[i]->mark_count; m++) {
            struct rv_mark *mark = &all[i]->marks[m];
            if (!mark->used) continue;
            const struct rv_mark *known = named(all, count, mark, NULL);
            rv_text_set(&mark->name, known ? rv_text_copy(known->name) : new_name(source, all, count, mark));
        }
}

char *rv_mark_text(const struct rv_mark *event, uint32_t order) {
    return event->passes > 1 ? rv_text_format("%s#%u", event->name, order) : rv_text_copy(event->name);
}

char *rv_ordering_text(const struct rv_inference *inference, const struct rv_ordering_found *ordering) {
    char *from = rv_mark_text(&inference->marks[ordering->from], ordering->from_order);
    char *to = rv_mark_text(&inference->marks[ordering->to], ordering->to_order);
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
