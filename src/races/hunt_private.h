/* What the files of the hunt share. */
#ifndef RV_RACES_HUNT_PRIVATE_H
#define RV_RACES_HUNT_PRIVATE_H

#include "races/hunt.h"
#include "supervisor/explore.h"

/* A race that some execution showed, with the schedule up to where it did. */
struct rv_seen_race {
    uint64_t signature;
    rv_code sites[2];
    struct rv_schedule schedule;
};

struct rv_hunt {
    const struct rv_hunt_options *options;
    struct rv_case about;
    struct rv_vault *vault;
    struct rv_hunt_result *result;
    struct rv_finds finds;
    struct rv_seen_race *seen;
    size_t seen_count;
    uint64_t recorded;                        /* steps, in all recorded executions */
    bool partly;                              /* something is missing there, or was not looked at */
    struct rv_module modules[RV_MAX_MODULES]; /* of the first worker: code locations are about these */
    unsigned module_count;
    rv_code *accesses; /* where memory is accessed at all; with options->pairs */
    size_t access_count;
    double deadline; /* 0: none */
    bool
        hidden; /* a race that seemed to have happened is none: something orders threads that ravel does not see */
};

/* Executions of one worker until it ends or there is no more time. `recorded` and `suspect` may be NULL. False from one of
 * them: enough. */
struct rv_expedition {
    struct rv_config config;
    const struct rv_head_start *head_start;
    bool (*recorded)(struct rv_hunt *hunt, const struct rv_explorer *explorer, void *user);
    bool (*suspect)(struct rv_hunt *hunt, struct rv_suspect *suspect, void *user);
    void *user;
    uint64_t executions; /* out */
};
/* False: the program could not be run (result->error). */
bool rv_hunt_explore(struct rv_hunt *hunt, struct rv_expedition *expedition);
/* The options of the hunt for one worker that does not stop at what it finds. */
struct rv_config rv_hunt_config(const struct rv_hunt *hunt, const char *strategy, uint64_t schedules);
bool rv_hunt_over(const struct rv_hunt *hunt);

/* A race that an execution has met in passing; keeps the first schedule. */
void rv_hunt_saw(struct rv_hunt *hunt, const struct rv_suspect *suspect);
const struct rv_seen_race *rv_hunt_seen(const struct rv_hunt *hunt, uint64_t signature);
/* A failure that no race is known to be the reason of: confirmed, saved, told. */
void rv_hunt_failed(struct rv_hunt *hunt, const struct rv_suspect *suspect);
/* Saves it; what goes wrong becomes a warning. */
void rv_hunt_save(struct rv_hunt *hunt, struct rv_failure *failure);

bool rv_hunt_collect(struct rv_hunt *hunt);
/* More executions, which are only watched: what has no part in the recorded ones may happen in these. */
void rv_hunt_roam(struct rv_hunt *hunt);
void rv_hunt_verify(struct rv_hunt *hunt);
void rv_hunt_cycles(struct rv_hunt *hunt);

#endif
