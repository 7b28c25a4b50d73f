/* waitgroup: waits for a number of things to be done, as in Go. */
#ifndef WAITGROUP_H
#define WAITGROUP_H
#include <pthread.h>

typedef struct waitgroup_s {
    pthread_mutex_t mtx;
    pthread_cond_t  cnd;
    int             n;
    int             waiters;
} waitgroup_t;

void wg_init(waitgroup_t *wg);
void wg_fini(waitgroup_t *wg);
void wg_add(waitgroup_t *wg, int delta); /* negative: that many are done; never below zero */
void wg_done(waitgroup_t *wg);
void wg_wait(waitgroup_t *wg);           /* until nothing is left */
int  wg_wait_below(waitgroup_t *wg, int limit); /* until fewer than limit are left; returns how many */

#endif
