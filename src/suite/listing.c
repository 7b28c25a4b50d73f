#include "suite/listing.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"
#include "suite/fields.h"

/* `list` with room for one more. */
static void *grown(void *list, size_t count, size_t size) {
    return (count & (count + 1)) == 0 ? rv_text_realloc(list, count * 2 + 2, size) : list;
}

const struct rv_listed_test *rv_listing_test(const struct rv_listing *listing, const char *name) {
    for (size_t i = 0; i < listing->test_count; i++)
        if (strcmp(listing->tests[i].name, name) == 0) return &listing->tests[i];
    return NULL;
}

bool rv_listing_has_event(const struct rv_listing *listing, const char *name) {
    for (size_t i = 0; i < listing->event_count; i++)
        if (strcmp(listing->events[i], name) == 0) return true;
    return false;
}

static void add_test(struct rv_listing *listing, const char *name, const char *file, unsigned line) {
    listing->tests = grown(listing->tests, listing->test_count, sizeof *listing->tests);
    listing->tests[listing->test_count++] =
        (struct rv_listed_test){.name = rv_text_copy(name), .file = rv_text_copy(file), .line = line};
}

void rv_listing_add_test(struct rv_listing *listing, const char *name) {
    if (*name && listing->test_count < RV_LISTING_MOST && !rv_listing_test(listing, name))
        add_test(listing, name, "", 0);
}

void rv_listing_add_event(struct rv_listing *listing, const char *name) {
    if (!*name || listing->event_count >= RV_LISTING_MOST || rv_listing_has_event(listing, name)) return;
    listing->events = grown(listing->events, listing->event_count, sizeof *listing->events);
    listing->events[listing->event_count++] = rv_text_copy(name);
}

static bool add_line(struct rv_listing *listing, const struct rv_fields *line, const char **expected) {
    uint32_t number = 0;
    char *const *fields = line->list;
    *expected = "\"test\" with name, file and line, \"schedule\" with test, label, file, line and text, or "
                "\"library\" with a path";
    if (rv_fields_are(line, "library", 1)) {
        *expected = "fewer libraries";
        if (listing->library_count >= RV_LISTING_MOST) return false;
        listing->libraries = grown(listing->libraries, listing->library_count, sizeof *listing->libraries);
        listing->libraries[listing->library_count++] = rv_text_copy(fields[1]);
        return true;
    }
    if (rv_fields_are(line, "test", 3)) {
        if (!rv_fields_number(fields[3], INT_MAX, &number) || !*fields[1]) return false;
        *expected = "fewer tests";
        if (listing->test_count >= RV_LISTING_MOST) return false;
        add_test(listing, fields[1], fields[2], number);
        return true;
    }
    if (!rv_fields_are(line, "schedule", 5) || !rv_fields_number(fields[4], INT_MAX, &number)) return false;
    *expected = "fewer schedules";
    if (listing->schedule_count >= RV_LISTING_MOST) return false;
    listing->schedules = grown(listing->schedules, listing->schedule_count, sizeof *listing->schedules);
    listing->schedules[listing->schedule_count++] =
        (struct rv_listed_schedule){.test = rv_text_copy(fields[1]),
                                    .label = rv_text_copy(fields[2]),
                                    .file = rv_text_copy(fields[3]),
                                    .line = number,
                                    .text = rv_text_copy(fields[5])};
    return true;
}

bool rv_listing_read(struct rv_listing *listing, const char *text, size_t size, char **error) {
    unsigned number = 0;
    for (const char *at = text, *end = text + size; at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        char *copy = rv_text_alloc(length + 1, 1);
        memcpy(copy, at, length);
        struct rv_fields line;
        const char *expected = "fields with tabs between them";
        bool good = newline && rv_fields_cut(&line, copy, length) && add_line(listing, &line, &expected);
        free(copy);
        if (!good) {
            *error = rv_text_format("line %u of the list of tests: %s%s", number + 1,
                                    newline ? "expected " : "cut off", newline ? expected : "");
            return false;
        }
        at = newline + 1;
    }
    return true;
}

void rv_listing_free(struct rv_listing *listing) {
    for (size_t i = 0; i < listing->test_count; i++) {
        free(listing->tests[i].name);
        free(listing->tests[i].file);
    }
    for (size_t i = 0; i < listing->schedule_count; i++) {
        struct rv_listed_schedule *schedule = &listing->schedules[i];
        free(schedule->test);
        free(schedule->label);
        free(schedule->text);
        free(schedule->file);
    }
    for (size_t i = 0; i < listing->event_count; i++) free(listing->events[i]);
    for (size_t i = 0; i < listing->library_count; i++) free(listing->libraries[i]);
    free(listing->libraries);
    free(listing->tests);
    free(listing->schedules);
    free(listing->events);
    *listing = (struct rv_listing){0};
}
