/* future.h: a value that one thread promises and others wait for.
 *
 * A future is set or failed once; later attempts are refused. A function may be attached that is called with the result, by
 * the thread that sets it, or at once if it is set already. */
#ifndef FUTURE_H
#define FUTURE_H

#include <stdbool.h>

typedef struct future future_t;
typedef void (*future_callback_t)(int error, long value, void *user);

future_t *future_create(void);
void future_ref(future_t *future);
void future_unref(future_t *future);           /* the last one frees it */
bool future_set(future_t *future, long value); /* false: it is too late */
bool future_fail(future_t *future, int error); /* error: not 0 */
int future_get(future_t *future, long *value); /* waits; 0 or the error */
int future_get_within(future_t *future, long *value, int ms); /* or ETIMEDOUT */
bool future_is_done(future_t *future);
bool future_then(future_t *future, future_callback_t callback, void *user); /* false: there is one already */

#endif
