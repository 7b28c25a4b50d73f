/* A small machine for testing strategies without programs, processes or memory hooks.
 *
 * A program is a few bodies, each a list of operations on variables, mutexes, semaphores, time and threads.
 * Thread 0 runs body 0; CREATE starts others. sim_run executes a program once under a strategy through the
 * real interface, as the engine does:
 *   - an access to a variable at a site that was never in conflict is no point; the replayer is asked there
 *     all the same where rv_replay_stop_at says so,
 *   - where only one thing can happen the strategy is not asked, unless it sees all points,
 *   - a thread that spins without effect is hidden until the variable changes.
 * What is known about conflicts lives in sim_knowledge and outlasts executions, as in a worker.
 *
 * sim_final_states, sim_bounded_states and sim_schedules are brute force: they know nothing of strategies.
 */
#ifndef RV_TESTS_SIMULATOR_H
#define RV_TESTS_SIMULATOR_H

#include "strategy/replay.h"
#include "strategy/strategy.h"

enum {
    SIM_BODIES = 6,
    SIM_OPS = 128,
    SIM_VARIABLES = 8,
    SIM_MUTEXES = 4,
    SIM_SEMAPHORES = 4,
    SIM_SITES = SIM_BODIES * SIM_OPS,
    SIM_RUNS = 4096,
};

/* Every thread has one register. Operations marked * happen within the step before them; a failure
 * is a step of its own, before which others may go on. */
enum sim_op {
    SIM_READ,      /* register = variable[a] */
    SIM_WRITE,     /* variable[a] = value */
    SIM_STORE,     /* variable[a] = register + value */
    SIM_ADD,       /* variable[a] += value, atomically; register = what it was */
    SIM_MARK,      /* variable[a] = variable[a] * 4 + value, atomically: the variable tells the order */
    SIM_LOCK,      /* mutex a */
    SIM_TIMEDLOCK, /* mutex a, or 77 into the register when time ran out before it was free */
    SIM_TRYLOCK,   /* mutex a, or 78 into the register */
    SIM_UNLOCK,    /* mutex a, if held */
    SIM_POST,      /* semaphore a */
    SIM_WAIT,      /* semaphore a */
    SIM_CWAIT,     /* gives up mutex a, waits for condition a, takes the mutex again */
    SIM_SIGNAL,    /* condition a: wakes one of those who wait, by a choice */
    SIM_BROADCAST, /* condition a */
    SIM_YIELD,     /* lets others go first */
    SIM_SLEEP,     /* until its time runs out */
    SIM_SPIN,      /* repeats until variable[a] is not 0 */
    SIM_CREATE,    /* a thread with body a */
    SIM_JOIN,      /* the thread with body a */
    SIM_CHOOSE,    /* register = a choice out of value */
    SIM_FAIL_IF,   /* * the execution fails if the register is value */
    SIM_FAIL_NOT,  /* * the execution fails if the register is not value */
    SIM_SKIP_IF,   /* * passes over the next operation if the register is value */
    SIM_START,     /* implicit, the first of every created thread */
    SIM_WOKEN,     /* implicit, in the middle of CWAIT */
};

struct sim_operation {
    enum sim_op op;
    uint32_t a;
    int32_t value;
};

struct sim_body {
    struct sim_operation ops[SIM_OPS];
    uint32_t count;
};

struct sim_program {
    struct sim_body bodies[SIM_BODIES];
};

struct sim_knowledge {
    bool conflict[SIM_SITES];
    bool pairs[SIM_SITES][SIM_SITES]; /* order of conflicting sites seen: coverage */
};

struct sim_result {
    enum rv_kind kind;
    bool not_terminating;
    uint64_t final;    /* hash of the final state, failure included */
    uint64_t schedule; /* hash of every choice made where there was one, and of the steps in between */
    int32_t variables[SIM_VARIABLES]; /* at the end */
    uint64_t points;
    uint64_t preemptions;  /* switches away from a thread that could have gone on and had not yielded */
    uint64_t disturbances; /* these, early time-outs, and going on after a yield: what `bounded` counts */
    uint64_t delays;       /* choices of a round robin passed over: what delay bounding counts */
    uint64_t learned;
    bool new_coverage;
    bool go_on; /* what end() said */
    uint64_t run_count;
    uint64_t choice_count;
    struct rv_run runs[SIM_RUNS]; /* as the engine records them */
    uint8_t choices[SIM_RUNS];
};

/* A set of hashes. Zeroed: empty. */
struct sim_set {
    uint64_t *items;
    size_t count, capacity;
};
bool sim_set_add(struct sim_set *set, uint64_t item); /* false: it was there */
bool sim_set_has(const struct sim_set *set, uint64_t item);
bool sim_set_equal(const struct sim_set *a, const struct sim_set *b);
void sim_set_free(struct sim_set *set);

/* A strategy with its arena. */
struct sim_instance {
    const struct rv_strategy *strategy;
    void *state;
    struct rv_arena *arena;
    void *memory;
};
struct sim_instance sim_instance(const char *spec, uint64_t seed, uint32_t worker, uint32_t workers,
                                 uint64_t budget);
/* One that gets its tree in parts (strategy/part.h). */
struct sim_instance sim_instance_divided(const char *spec, struct rv_known *known);
void sim_instance_free(struct sim_instance *instance);

void sim_op(struct sim_program *program, uint32_t body, enum sim_op op, uint32_t a, int32_t value);
/* Body 0 creates the bodies 1..count and joins them. */
void sim_create_all(struct sim_program *program, uint32_t count);
/* A random program of `threads` created threads with up to `length` operations each. */
struct sim_program sim_random_program(uint64_t seed, uint32_t threads, uint32_t length);
/* The same, with condition variables and branches, perhaps threads that create and join others, without spinning. */
struct sim_program sim_rich_program(uint64_t seed, uint32_t threads, uint32_t length);

void sim_run(const struct sim_program *program, struct sim_knowledge *knowledge,
             struct sim_instance *instance, uint64_t index, struct sim_result *result);

/* Brute force: all final states, every operation being a point. */
void sim_final_states(const struct sim_program *program, struct sim_set *states);
/* Brute force: those that can be reached with at most `bound` preemptions, every operation being a point. */
void sim_bounded_states(const struct sim_program *program, uint32_t bound, struct sim_set *states);
/* Brute force: the traces, that is, the partial orders of what is done to the same object. False: more than `limit`
 * schedules had to be looked at. */
bool sim_traces(const struct sim_program *program, uint64_t limit, struct sim_set *traces);
/* Brute force: the schedules (sim_result.schedule) with the points that this knowledge gives, if none of
 * them teaches anything. False: more than `limit`. */
bool sim_schedules(const struct sim_program *program, const struct sim_knowledge *knowledge, uint64_t limit,
                   struct sim_set *schedules);

#endif
