/* What a test binary has: its tests, the schedules attached to them, and the names of its event markers.
 *
 * Three sources are put together: what libravel tells when it is asked for the list (registrations, which constructors have
 * made), the ELF section .ravel.tests (names of tests whose functions have not run: RAVEL_TEST_SCOPE), and the section
 * .ravel.events (names of markers). All of it is the program's own, and untrusted. */
#ifndef RV_SUITE_LISTING_H
#define RV_SUITE_LISTING_H

#include <stdbool.h>
#include <stddef.h>

enum { RV_LISTING_MOST = 10000 /* of anything */, RV_LISTING_SIZE = 64 << 20 /* bytes of a list */ };

struct rv_listed_test {
    char *name;
    char *file; /* "" if it is known by its name only */
    unsigned line;
};

struct rv_listed_schedule {
    char *test, *label, *text;
    char *file;
    unsigned line;
};

struct rv_listing {
    struct rv_listed_test *tests;
    size_t test_count;
    struct rv_listed_schedule *schedules;
    size_t schedule_count;
    char **events; /* without duplicates */
    size_t event_count;
    char **libraries; /* paths of those that were loaded; none: not told */
    size_t library_count;
    bool
        open; /* code may come in while it runs (dlopen): events that are not listed may be there all the same */
    bool criterion; /* Criterion's runner is in it, which runs tests in processes of its own */
};

/* Adds the lines of a list. False: *error says which line is wrong (malloc'ed), and why. */
bool rv_listing_read(struct rv_listing *listing, const char *text, size_t size, char **error);
/* Adds names that are not there yet. */
void rv_listing_add_test(struct rv_listing *listing, const char *name);
void rv_listing_add_event(struct rv_listing *listing, const char *name);
const struct rv_listed_test *rv_listing_test(const struct rv_listing *listing, const char *name);
bool rv_listing_has_event(const struct rv_listing *listing, const char *name);
void rv_listing_free(struct rv_listing *listing);

#endif
