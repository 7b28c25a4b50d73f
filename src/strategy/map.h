/* Steering to memory-access patterns (analysis/patterns.h): what no execution of the campaign has covered is looked for.
 *
 *     map                   each execution aims at an instance, made of the accesses to shared memory seen so far, that has
 *                           not been covered; a few tries for each, for most of what can be made up is impossible
 *     map:P,S1,S2[,S3[,S4]] aims at instances of pattern P with these statements (rv_operation.site, in hexadecimal), whatever
 *                           the variables; there is nothing left to try when one was covered
 *
 * Steering is eager: whoever comes to the next step does it at once; who comes to a later step of the pattern too early is
 * held back, as long as anybody else can go on. All else is a random walk.
 */
#ifndef RV_STRATEGY_MAP_H
#define RV_STRATEGY_MAP_H

#include "analysis/patterns.h"
#include "strategy/index.h"
#include "strategy/sample.h"

/* What to aim at: step by step the code, and the address if that is given (else 0). */
struct rv_map_target {
    uint32_t pattern; /* 0: none */
    uint64_t sites[RV_PATTERN_STEPS];
    uint64_t objects[2]; /* x, y */
};

/* How far an execution has come with it. */
struct rv_map_match {
    uint32_t done;       /* steps */
    uint32_t threads[2]; /* a, b; RV_NO_THREAD: not yet */
    uint64_t objects[2];
};

/* False: malformed. */
bool rv_map_parse(const char *params, struct rv_map_target *target);

void rv_map_match_begin(struct rv_map_match *match, const struct rv_map_target *target);
/* Whether the operation of the thread is, or holds, an access that can be step `number` now. */
bool rv_map_fits(const struct rv_map_target *target, const struct rv_map_match *match, unsigned number,
                 uint32_t thread, const struct rv_operation *operation);
/* The operation is done. */
void rv_map_match_done(const struct rv_map_target *target, struct rv_map_match *match, uint32_t thread,
                       const struct rv_operation *operation);

#endif
