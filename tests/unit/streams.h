/* Streams of steps for the tests of src/analysis/: random ones that a program could have produced, and what is true of
 * them, computed from the definitions alone (an explicit graph and its transitive closure). */
#ifndef RV_TESTS_STREAMS_H
#define RV_TESTS_STREAMS_H

#include "analysis/step.h"
#include "base/rng.h"

enum { STREAM_STEPS = 128, STREAM_THREADS = 8 };

struct stream {
    struct rv_step steps[STREAM_STEPS]; /* each has a site of its own: its number + 1 */
    uint32_t count;
};

/* A bit for each step. */
struct step_set {
    uint64_t bits[STREAM_STEPS / 64];
};
static inline bool has_step(const struct step_set *set, uint32_t step) {
    return set->bits[step / 64] >> (step % 64) & 1;
}

struct stream_options {
    uint32_t threads; /* 2 .. STREAM_THREADS */
    uint32_t steps;   /* about; at most STREAM_STEPS */
    uint32_t locks;   /* number of mutexes; 0: none */
    bool locks_only;  /* nothing orders threads but mutexes, creation and joining; no allocation */
    bool whole_words; /* plain accesses are of 8 aligned bytes */
    bool no_orphans;  /* locks are released before a thread ends */
};

/* What never orders accesses by luck: true for every stream of real programs. */
void random_stream(struct stream *stream, struct rv_rng *rng, const struct stream_options *options);

/* before[i]: the steps that happen before step i. */
void happens_before(const struct stream *stream, bool locks, struct step_set before[STREAM_STEPS]);
/* Whether step j races with the earlier step i on this byte; `before` as above. */
bool races_on(const struct stream *stream, const struct step_set *before, uint32_t i, uint32_t j,
              uint64_t byte);
bool touches(const struct rv_step *step, uint64_t byte);
/* Some byte on which they race, or UINT64_MAX. */
uint64_t racing_byte(const struct stream *stream, const struct step_set *before, uint32_t i, uint32_t j);

/* Memory as the analyses want it; given back by pages_free_all. */
extern const struct rv_pages test_pages;
void pages_free_all(void);
void print_stream(const struct stream *stream);

#endif
