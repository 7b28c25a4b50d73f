/* Worker pool: a fixed number of threads that run submitted jobs, first come, first served. */
#ifndef WPOOL_H_INCLUDED
#define WPOOL_H_INCLUDED

typedef struct wpool wpool_t;
typedef void (*wpool_fn)(void *arg);

wpool_t *wpool_create(int workers);
int      wpool_submit(wpool_t *p, wpool_fn fn, void *arg); /* -1 after shutdown or without memory */
int      wpool_pending(wpool_t *p);                        /* submitted, not yet begun */
void     wpool_drain(wpool_t *p);                          /* waits until nothing is pending or running */
void     wpool_shutdown(wpool_t *p);                       /* runs what is pending, joins, frees */

#endif
