/* What is kept of a test that was run on the base: how it ended, how long it took, and which places of the source each of its
 * threads came to. As text, in the store:
 *
 *     ravel-test 1
 *     program 0                     number of the base's program that it runs
 *     outcome pass "message"        pass, fail, timeout, error
 *     time 1200                     microseconds
 *     cut 0                         1: there was more than could be recorded
 *     file "src/map.c"              numbered from 0
 *     place 0 17 r 1                file, line, kind, thread
 *     race 0 17 0 23                two places that raced, or provably can, in this execution
 *
 * A place's kind: r, w, u (both) an access, c a call from there, s something else that ravel sees (a lock, an atomic operation on
 * something else ...). Capital: no other thread was there, those that had been created had been joined. */
#ifndef RV_REGRESS_HISTORY_H
#define RV_REGRESS_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "regress/cover.h"

enum rv_trial_outcome { RV_TRIAL_PASS, RV_TRIAL_FAIL, RV_TRIAL_TIMEOUT, RV_TRIAL_ERROR, RV_TRIAL_OUTCOMES };
extern const char *const rv_trial_outcome_names[RV_TRIAL_OUTCOMES];

struct rv_trial_place {
    uint32_t file, line, thread;
    char kind;
};

struct rv_trial_race {
    uint32_t file[2], line[2];
};

struct rv_trial {
    uint32_t program;
    enum rv_trial_outcome outcome;
    char *message;
    double seconds;
    bool cut;
    char **files;
    uint32_t file_count;
    struct rv_trial_place *places;
    size_t place_count;
    struct rv_trial_race *races;
    size_t race_count;
};

enum { RV_TRIAL_MAX = 64 << 20 /* bytes of text */, RV_TRIAL_FILES = 100000 };

/* malloc'ed. */
char *rv_trial_write(const struct rv_trial *trial, size_t *size);
/* False: *error (malloc'ed) begins with `name`, and *trial is empty. Nothing in the text is believed. */
bool rv_trial_read(struct rv_trial *trial, const char *text, size_t size, const char *name, char **error);
void rv_trial_free(struct rv_trial *trial);
/* The number of a file, added if it is new. */
uint32_t rv_trial_file(struct rv_trial *trial, const char *file);
void rv_trial_add(struct rv_trial *trial, struct rv_trial_place place);
void rv_trial_add_race(struct rv_trial *trial, struct rv_trial_race race);

/* Which blocks of the base these places are: malloc'ed, *count of them, without duplicates. Where a place is in no statement that the
 * model has there, all statements of its line are meant. */
struct rv_observed *rv_trial_blocks(const struct rv_trial *trial, const struct rv_version *base,
                                    size_t *count);

#endif
