#include "report/suppress.h"

#include <stdlib.h>
#include <string.h>

#include "report/failure_scan.h"
#include "base/suggest.h"
#include "report/text.h"
#include "report/whole_file.h"

const char *const rv_suppression_names[RV_SUPPRESS_COUNT] = {
    [RV_SUPPRESS_RACE] = "race",         [RV_SUPPRESS_RACE_TOP] = "race_top",
    [RV_SUPPRESS_DEADLOCK] = "deadlock", [RV_SUPPRESS_MUTEX] = "mutex",
    [RV_SUPPRESS_FUNCTION] = "function", [RV_SUPPRESS_CALLED_FROM_LIB] = "called_from_lib",
    [RV_SUPPRESS_FILE] = "file",         [RV_SUPPRESS_VARIABLE] = "variable",
    [RV_SUPPRESS_THREAD] = "thread",     [RV_SUPPRESS_SIGNAL] = "signal",
};

struct rv_suppressions {
    struct rv_suppression *entries;
    size_t count;
};

struct rv_suppressions *rv_suppressions_new(void) {
    return rv_text_alloc(1, sizeof(struct rv_suppressions));
}

static void drop_from(struct rv_suppressions *list, size_t count) {
    while (list->count > count) {
        struct rv_suppression *last = &list->entries[--list->count];
        free(last->pattern);
        free(last->file);
    }
}

void rv_suppressions_free(struct rv_suppressions *list) {
    if (!list) return;
    drop_from(list, 0);
    free(list->entries);
    free(list);
}

/* --- reading --- */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

static bool unknown_type(struct rv_scan *scan, const char *word, size_t size) {
    char *typed = rv_text_copy_n(word, size < 40 ? size : 40);
    struct rv_suggestion suggestion = {.typed = typed};
    for (int i = 0; i < RV_SUPPRESS_COUNT; i++) rv_suggest_offer(&suggestion, rv_suppression_names[i]);
    if (suggestion.best) {
        rv_scan_error_at(scan, word, "expected a type of suppression, not \"%s\"; did you mean \"%s\"?",
                         typed, suggestion.best);
    } else {
        rv_scan_error_at(scan, word, "expected a type of suppression such as race, not \"%s\"", typed);
    }
    free(typed);
    return false;
}

static enum rv_suppression_type type_of(const char *word, size_t size) {
    int type = 0;
    while (type < RV_SUPPRESS_COUNT && (strlen(rv_suppression_names[type]) != size ||
                                        memcmp(rv_suppression_names[type], word, size) != 0))
        type++;
    return (enum rv_suppression_type)type;
}

static void add(struct rv_suppressions *list, const struct rv_suppression *entry) {
    if ((list->count & (list->count + 1)) == 0)
        list->entries = rv_text_realloc(list->entries, list->count * 2 + 2, sizeof *list->entries);
    list->entries[list->count++] = *entry;
}

/* One line, of which something is left without the spaces around it. */
static bool read_entry(struct rv_suppressions *list, struct rv_scan *scan) {
    const char *colon = memchr(scan->at, ':', (size_t)(scan->stop - scan->at));
    const char *word_end = colon ? colon : scan->stop;
    enum rv_suppression_type type = type_of(scan->at, (size_t)(word_end - scan->at));
    if (type == RV_SUPPRESS_COUNT && colon)
        return unknown_type(scan, scan->at, (size_t)(word_end - scan->at));
    if (type == RV_SUPPRESS_COUNT)
        return rv_scan_error_at(scan, scan->at, "expected TYPE:PATTERN, for example race:queue_push");
    if (!colon) return rv_scan_error_at(scan, word_end, "expected a colon and a pattern");
    if (colon + 1 == scan->stop) return rv_scan_error_at(scan, scan->stop, "expected a pattern");
    add(list, &(struct rv_suppression){.type = type,
                                       .pattern = rv_text_copy_n(colon + 1, (size_t)(scan->stop - colon - 1)),
                                       .file = rv_text_copy(scan->name),
                                       .line = scan->line});
    return true;
}

bool rv_suppressions_add(struct rv_suppressions *list, const char *text, size_t size, const char *name,
                         char **error) {
    struct rv_text lines = {0}; /* the text, with a newline after its last line */
    rv_text_add_n(&lines, text, size);
    if (size && text[size - 1] != '\n') rv_text_add(&lines, "\n");
    struct rv_scan scan = {.name = name, .next = lines.data, .end = lines.data + lines.size, .columns = true};
    size_t before = list->count;
    while (rv_scan_line(&scan)) {
        while (scan.at < scan.stop && is_space(*scan.at)) scan.at++;
        if (scan.stop - scan.start > RV_SUPPRESS_MAX_LINE) {
            rv_scan_error_at(&scan, scan.start + RV_SUPPRESS_MAX_LINE,
                             "expected the end of the line: it has more than %d bytes", RV_SUPPRESS_MAX_LINE);
        }
        while (scan.stop > scan.at && is_space(scan.stop[-1])) scan.stop--;
        if (scan.error || (scan.at < scan.stop && *scan.at != '#' && !read_entry(list, &scan))) break;
    }
    free(lines.data);
    if (!scan.error) return true;
    drop_from(list, before);
    *error = scan.error;
    return false;
}

bool rv_suppressions_read(struct rv_suppressions *list, const char *path, char **error) {
    size_t size = 0;
    char *text = rv_whole_file(path, RV_SUPPRESS_MAX_FILE, "file of suppressions", &size, error);
    bool good = text && rv_suppressions_add(list, text, size, path, error);
    free(text);
    return good;
}

/* --- matching --- */

/* Pieces between asterisks are found from left to right, each as far left as it can be: if they can be found at all they
 * are found so. Only the last one, if it must be at the end, is looked for there. */
bool rv_suppression_matches(const char *pattern, const char *text) {
    const char *end = pattern + strlen(pattern), *text_end = text + strlen(text);
    if (text == text_end) return false;
    bool at_begin = pattern < end && *pattern == '^';
    pattern += at_begin;
    bool at_end = pattern < end && end[-1] == '$';
    end -= at_end;
    for (bool first = true;; first = false) {
        const char *star = memchr(pattern, '*', (size_t)(end - pattern));
        size_t size = (size_t)((star ? star : end) - pattern), room = (size_t)(text_end - text);
        if (size > room) return false;
        const char *found = text;
        if (!star && at_end) {
            found = text_end - size;
            if (memcmp(found, pattern, size) != 0) return false;
            return !(first && at_begin) || found == text;
        }
        if (first && at_begin) {
            if (memcmp(text, pattern, size) != 0) return false;
        } else if (size) {
            found = memmem(text, room, pattern, size);
        }
        if (!found) return false;
        if (!star) return true;
        text = found + size;
        pattern = star + 1;
    }
}

enum { FUNCTION = 1, FILE_NAME = 2, MODULE = 4, ANY = 7 };

static bool matches_frame(const char *pattern, const struct rv_location *frame, unsigned what) {
    return ((what & FUNCTION) && rv_suppression_matches(pattern, frame->function)) ||
           ((what & FILE_NAME) && rv_suppression_matches(pattern, frame->file)) ||
           ((what & MODULE) && rv_suppression_matches(pattern, frame->module));
}

/* One of the innermost `frames` of the stack. */
static bool matches_stack(const char *pattern, const struct rv_stack_text *stack, unsigned frames,
                          unsigned what) {
    for (unsigned i = 0; i < stack->count && i < frames; i++)
        if (matches_frame(pattern, &stack->frames[i], what)) return true;
    return false;
}

static bool matches_sides(const char *pattern, const struct rv_race_text *race, unsigned frames,
                          unsigned what) {
    return matches_stack(pattern, &race->first.stack, frames, what) ||
           matches_stack(pattern, &race->second.stack, frames, what);
}

static bool matches_race(const struct rv_suppression *entry, const struct rv_race_text *race) {
    const char *pattern = entry->pattern;
    switch (entry->type) {
    case RV_SUPPRESS_RACE:
        return matches_sides(pattern, race, UINT32_MAX, ANY) ||
               rv_suppression_matches(pattern, race->variable);
    case RV_SUPPRESS_RACE_TOP: return matches_sides(pattern, race, 1, ANY);
    case RV_SUPPRESS_CALLED_FROM_LIB: return matches_sides(pattern, race, UINT32_MAX, MODULE);
    case RV_SUPPRESS_FUNCTION: return matches_sides(pattern, race, UINT32_MAX, FUNCTION);
    case RV_SUPPRESS_FILE: return matches_sides(pattern, race, UINT32_MAX, FILE_NAME);
    case RV_SUPPRESS_VARIABLE: return rv_suppression_matches(pattern, race->variable);
    default: return false;
    }
}

static bool matches_waits(const char *pattern, const struct rv_deadlock_text *deadlock, unsigned what,
                          bool locks) {
    for (unsigned i = 0; i < deadlock->wait_count; i++) {
        const struct rv_deadlock_wait *wait = &deadlock->waits[i];
        if (matches_stack(pattern, &wait->held_at, UINT32_MAX, what) ||
            matches_stack(pattern, &wait->wanted_at, UINT32_MAX, what))
            return true;
        if (locks &&
            (rv_suppression_matches(pattern, wait->held) || rv_suppression_matches(pattern, wait->wanted)))
            return true;
    }
    return false;
}

static bool matches_deadlock(const struct rv_suppression *entry, const struct rv_deadlock_text *deadlock) {
    switch (entry->type) {
    case RV_SUPPRESS_DEADLOCK:
    case RV_SUPPRESS_MUTEX: return matches_waits(entry->pattern, deadlock, ANY, true);
    case RV_SUPPRESS_CALLED_FROM_LIB: return matches_waits(entry->pattern, deadlock, MODULE, false);
    case RV_SUPPRESS_FUNCTION: return matches_waits(entry->pattern, deadlock, FUNCTION, false);
    case RV_SUPPRESS_FILE: return matches_waits(entry->pattern, deadlock, FILE_NAME, false);
    case RV_SUPPRESS_VARIABLE: return matches_waits(entry->pattern, deadlock, 0, true);
    default: return false;
    }
}

const struct rv_suppression *rv_suppress_race(struct rv_suppressions *list, const struct rv_race_text *race) {
    struct rv_suppression *first = NULL;
    for (size_t i = 0; i < list->count; i++) {
        if (!matches_race(&list->entries[i], race)) continue;
        list->entries[i].matches++;
        if (!first) first = &list->entries[i];
    }
    return first;
}

const struct rv_suppression *rv_suppress_deadlock(struct rv_suppressions *list,
                                                  const struct rv_deadlock_text *deadlock) {
    struct rv_suppression *first = NULL;
    for (size_t i = 0; i < list->count; i++) {
        if (!matches_deadlock(&list->entries[i], deadlock)) continue;
        list->entries[i].matches++;
        if (!first) first = &list->entries[i];
    }
    return first;
}

const struct rv_suppression *rv_suppressions_unused(const struct rv_suppressions *list, size_t *cursor) {
    while (*cursor < list->count) {
        const struct rv_suppression *entry = &list->entries[(*cursor)++];
        bool foreign = entry->type == RV_SUPPRESS_THREAD || entry->type == RV_SUPPRESS_SIGNAL;
        if (entry->matches == 0 && !foreign) return entry;
    }
    return NULL;
}
