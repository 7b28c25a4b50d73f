/* The answer key of a sleeping test: what stands in its "//@" comments. tests/sleep/README.md says what they mean.
 *
 * A place is where an event can stand: between two neighbouring statements. It is named by the line on which the second one
 * begins. Blank lines, comments, declarations without a call and "(void)x;" are no statements; a sleep is one.
 */
#ifndef KEY_H
#define KEY_H

#include <stdbool.h>
#include <stddef.h>

enum { KEY_NAME = 64, KEY_TESTS = 32, KEY_EVENTS = 64, KEY_ORDERINGS = 64, KEY_SLEEPS = 64, KEY_WORDS = 16 };

struct key_event {
    char name[KEY_NAME];
    int line; /* of the comment */
    int place;
    int also; /* another place that means the same, or 0 */
};

/* An edge: conditions with "&&" are one for each of their parts; counts ("#2") and threads ("@t") are left out. */
struct key_ordering {
    char from[KEY_NAME], to[KEY_NAME];
    bool block;
};

struct key_test {
    char name[KEY_NAME];
    int line;            /* of its "//@ schedule" */
    char schedule[1024]; /* as written */
    struct key_ordering orderings[KEY_ORDERINGS];
    size_t ordering_count;
};

enum key_fate { KEY_REMOVED, KEY_KEPT, KEY_POLLING };

struct key_sleep {
    int line;
    enum key_fate fate;
};

struct key {
    char **lines; /* [1] is the first; without newline */
    int line_count;
    bool *begins; /* a statement begins on this line */
    bool *within; /* the line belongs to the statement that began before */
    struct key_event events[KEY_EVENTS];
    size_t event_count;
    struct key_test tests[KEY_TESTS];
    size_t test_count;
    struct key_sleep sleeps[KEY_SLEEPS];
    size_t sleep_count;
    char words[KEY_WORDS][KEY_NAME]; /* functions that sleep */
    size_t word_count;
};

/* NULL: `error` says why, with the line. */
struct key *key_parse(const char *text, char *error, size_t error_size);
void key_free(struct key *key);
const struct key_event *key_event(const struct key *key, const char *name);
/* The place before or after the statement that has this line; the event's own where it is one that means the same. */
int key_place(const struct key *key, int line, bool before);
/* Adds the edges of a schedule to those that are there; false: no schedule, or too many. */
bool key_orderings(const char *schedule, struct key_ordering *orderings, size_t *count, size_t capacity);
/* The column at which a call of a function that sleeps begins on a line, or -1. */
int key_sleeps_at(const struct key *key, const char *line);

#endif
