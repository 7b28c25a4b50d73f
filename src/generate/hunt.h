/* The hunt: tests are made, run and judged until time is up or a bug was found; each bug is made small. */
#ifndef RV_GENERATE_HUNT_H
#define RV_GENERATE_HUNT_H

#include "generate/judge.h"
#include "generate/make.h"

/* An execution of a test that is a bug. */
struct rv_bug {
    struct rv_test test;
    enum rv_kind kind;
    uint64_t signature;
    struct rv_schedule schedule;
    unsigned char *told;
    uint32_t told_size;
    char *message;
    /* when it was found */
    uint64_t tests, executions;
    double seconds;
    uint32_t tries; /* executions of this test that it took */
};

struct rv_method_pairs {
    uint32_t count;    /* methods */
    uint64_t *counted; /* [first * count + second]: executions in which both ran at once */
    uint64_t *asked;   /* the same: the engine's own count of tests */
};

struct rv_hunt;
struct rv_search_engine {
    const char *name;
    void (*begin)(struct rv_hunt *hunt), (*end)(struct rv_hunt *hunt); /* NULL: nothing to do */
    /* What the next test is to call. */
    void (*wish)(struct rv_hunt *hunt, struct rv_wish *wish);
    /* How it is to be executed: calls rv_hunt_execute. */
    void (*execute)(struct rv_hunt *hunt);
    bool serial; /* the first execution of each test lets no thread interrupt another, and leaves a trace in the area */
};

/* A data race that a test has shown; no bug by itself. */
struct rv_race_seen {
    struct rv_test test;
    uint64_t signature;
    struct rv_schedule schedule;
};

enum { RV_RACES_SEEN = 8 };

struct rv_hunt {
    const struct rv_api *api;
    struct rv_runner *runner;
    const struct rv_search_engine *engine;
    void *state; /* the engine's */
    uint64_t seed;
    struct rv_maker maker;
    struct rv_test test; /* under way */
    struct rv_judge judge;
    struct rv_method_pairs pairs;
    bool found;        /* the test under way has shown a bug that is new: `bug` */
    struct rv_bug bug; /* owned by whoever has taken it */
    uint64_t tests, useless, misuse, unknown, passed;
    double started;
    const struct rv_bug *bugs; /* known ones */
    uint32_t bug_count;
    struct rv_race_seen races[RV_RACES_SEEN];
    uint32_t race_count, findings_taken;
    char *error;
    bool begun;
};

/* Whether objects can be made, and there is something to call. */
bool rv_hunt_possible(const struct rv_api *api, char **error);
bool rv_hunt_open(struct rv_hunt *hunt, const struct rv_api *api, struct rv_runner *runner,
                  const char *engine, uint64_t seed);
void rv_hunt_close(struct rv_hunt *hunt);
/* One more test. false: the runner cannot go on, or was interrupted. */
bool rv_hunt_test(struct rv_hunt *hunt);
/* Executions of the test under way: for engines. Stops at a bug. */
void rv_hunt_execute(struct rv_hunt *hunt, const char *strategy, uint32_t count);
/* One execution by these runs (strategy/replay.h). */
void rv_hunt_follow(struct rv_hunt *hunt, const struct rv_run *runs, uint32_t count);

/* The same bug in a smaller test, with simpler arguments; bounded by executions. */
void rv_bug_shrink(struct rv_bug *bug, struct rv_runner *runner, const struct rv_api *api, uint64_t seed);
void rv_bug_free(struct rv_bug *bug);
/* Whether both are the same to a user. */
bool rv_bug_same(const struct rv_bug *one, const struct rv_bug *other);

/* The pair of methods with the lowest of these counts. */
void rv_wish_least(struct rv_hunt *hunt, const uint64_t *counts, struct rv_wish *wish);

extern const struct rv_search_engine *const rv_search_engines[]; /* NULL-terminated */

#endif
