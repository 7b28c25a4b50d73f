/* What the engines `maptest` and `maptest-random` know: which statements use which shared variables, in which methods they are,
 * and what was covered. All of it comes from the executions so far, as the runtime notes it (analysis/coverage.h, base/cases.h). */
#ifndef RV_GENERATE_AIM_H
#define RV_GENERATE_AIM_H

#include "analysis/coverage.h"
#include "base/protocol.h"
#include "base/rng.h"

/* Uses of a variable; a statement is a number of analysis/coverage.h. */
struct rv_aim_variable {
    uint32_t number;
    uint32_t *uses[2]; /* reads, writes */
    uint32_t count[2];
};

struct rv_aim {
    struct rv_aim_variable *variables;
    uint32_t count;
    uint32_t known; /* uses that there were when this was made */
    uint8_t *tries; /* by hash of the instance */
};

void rv_aim_open(struct rv_aim *aim);
void rv_aim_close(struct rv_aim *aim);
/* Takes in what is new. */
void rv_aim_learn(struct rv_aim *aim, const struct rv_area *area);

/* Methods with this statement, as bits; 0: none that threads may call. */
uint64_t rv_aim_methods(const struct rv_area *area, uint32_t statement, uint64_t callable);
/* An instance that was not covered and not tried too often, each of whose statements is in one of these methods: the first
 * thread's, the second's. false: none was met. */
bool rv_aim_draw(struct rv_aim *aim, const struct rv_area *area, struct rv_rng *rng,
                 const uint64_t methods[2], struct rv_instance *instance);
/* It is tried once more. */
void rv_aim_tried(struct rv_aim *aim, const struct rv_instance *instance);
/* The strategy that steers to it. */
void rv_aim_strategy(const struct rv_area *area, const struct rv_instance *instance, char *text, size_t size);

#endif
