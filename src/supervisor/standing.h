/* Whether a race that was inferred from a lack of order is one: an execution in which both threads stand at their
 * accesses at once says so.
 *
 *   verdict      | the race
 *   -------------+--------------------------------------------------------------------------------------------------------
 *   MET          | is one: both stand there. *met is the server that has shown it
 *   EXPLAINED    | is one, though no execution has both next at once: a weak atomic or another race lets the second thread
 *                | come there only after the first; or something happened (a time-out, a trylock that failed) that the
 *                | execution without the rest cannot repeat
 *   HIDDEN       | is none as far as anybody knows: something orders the threads that ravel does not see
 *   UNKNOWN      | no execution took place
 */
#ifndef RV_SUPERVISOR_STANDING_H
#define RV_SUPERVISOR_STANDING_H

#include "supervisor/confirm.h"

enum rv_standing { RV_STANDING_MET, RV_STANDING_EXPLAINED, RV_STANDING_HIDDEN, RV_STANDING_UNKNOWN };

/* server: its last request showed the race, with a recording. *met: closed by the caller if, and only if, MET. */
enum rv_standing rv_standing_find(const struct rv_case *about, const struct rv_server *server,
                                  struct rv_server *met);

#endif
