/* What is wrong with the synchronisation of recorded executions: all detectors over one trace after the other, and one
 * growing set of what they found.
 *
 *   operation       | guarantees
 *   rv_finder_open  | NULL: *error is a message (malloc'ed). Address space is taken for good, memory as it is used
 *   rv_finder_look  | the finds grow by what the trace shows; the trace is not needed any more
 *   rv_finds_free   | all is given back
 *
 * A race is a pair of statements, however often it is met. What is known of it:
 *   HAPPENED    nothing ordered the two accesses in some execution (race_hb.h)
 *   PREDICTED   an execution proves that some schedule of the program has both next at once (syncp.h)
 *   MAYBE       neither: only no lock in common, and no order but by locks (lockset.h); never with one of the others
 * A deadlock is a set of pairs of statements (lockorder.h): PREDICTED (syncp_deadlock.h) or MAYBE.
 *
 * The description is that of the first execution with the best evidence. It has status POTENTIAL, no file, harm and tries:
 * those come from verification.
 *
 * Accesses to bytes that the program calls benign (BENIGN) are no part of a race, in the life of the bytes that this was said in.
 *
 * Whatever was not looked at is told by a note: a cut or damaged trace, a detector without memory, prediction without memory
 * or time. Equal traces in equal order give equal finds.
 */
#ifndef RV_RACES_FIND_H
#define RV_RACES_FIND_H

#include "analysis/lockorder.h"
#include "base/signature.h"
#include "races/trace.h"
#include "report/race.h"

enum { RV_FIND_MAYBE = 1, RV_FIND_PREDICTED = 2, RV_FIND_HAPPENED = 4 }; /* more is better */

struct rv_race_find {
    uint64_t signature;
    rv_code sites[2];         /* of the first and the second side */
    uint64_t count;           /* in so many traces */
    unsigned flags;           /* RV_FIND_* */
    struct rv_race_text text; /* signature, count and predicted are kept up to date */
};

struct rv_deadlock_find {
    uint64_t signature;
    struct rv_lock_sites sites[RV_LONGEST_CYCLE]; /* of its waits */
    uint64_t count;
    unsigned flags;
    struct rv_deadlock_text text;
};

enum { RV_FINDS_MAX = 4096 }; /* of each sort; more are counted in a note only */

/* Zeroed: empty. */
struct rv_finds {
    struct rv_race_find *races; /* in the order in which they were first found */
    struct rv_deadlock_find *deadlocks;
    unsigned race_count, deadlock_count;
    char **notes; /* sentences; each once */
    unsigned note_count;
    uint64_t traces, records; /* looked at */
};

struct rv_find_options {
    size_t memory;         /* bytes for prediction; 0: none is made */
    uint64_t work;         /* for prediction in one trace, about nanoseconds */
    const char *directory; /* of the program: files below it are named relative to it; NULL: unknown */
};
extern const struct rv_find_options rv_find_defaults;

struct rv_finder;
struct rv_finder *rv_finder_open(const struct rv_find_options *options, char **error);
void rv_finder_look(struct rv_finder *finder, const struct rv_trace *trace, struct rv_finds *finds);
void rv_finder_close(struct rv_finder *finder);
void rv_finds_free(struct rv_finds *finds);

#endif
