/* From records of a trace to a race or a deadlock as the user sees it (report/race.h).
 *
 *   operation             | cost                                      | fills
 *   rv_describer_open     | linear, once for each trace               |
 *   rv_describe_race      | about the names; locks since the thread   | all but status, signature, count, predicted, tries,
 *                         | held none; at most LOOK_BACK records for  | file, harm, harm_file: those are "" and 0
 *                         | a reason                                  |
 *   rv_describe_deadlock  | about the names                           | the same
 *
 * The trace has been checked (trace.h); what it says may still be nonsense, and so are the names then.
 */
#ifndef RV_RACES_DESCRIBE_H
#define RV_RACES_DESCRIBE_H

#include "analysis/lockorder.h"
#include "races/memory.h"
#include "report/race.h"
#include "report/symbolise.h"

struct rv_describer;
/* All of them must outlive it. */
struct rv_describer *rv_describer_open(const struct rv_trace *trace, const struct rv_memory *memory,
                                       struct rv_symboliser *symbols);
void rv_describer_close(struct rv_describer *describer);

/* Two accesses, first < second. `happened`: nothing ordered them in this execution; else only locks can have. */
void rv_describe_race(struct rv_describer *describer, uint32_t first, uint32_t second, bool happened,
                      struct rv_race_text *race);
/* Steps of the waits are numbers of records. */
void rv_describe_deadlock(struct rv_describer *describer, const struct rv_lock_wait *waits, uint32_t count,
                          struct rv_deadlock_text *deadlock);

#endif
