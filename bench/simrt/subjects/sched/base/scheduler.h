/*
 * A job scheduler: jobs with priorities, of tenants with quotas, that wait for each other, for a time, or to be released; pools of
 * workers that take what is ready. Workers are whoever calls sched_run. For all threads, but for sched_new and sched_free.
 */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include "audit.h"
#include "job.h"
#include "metrics.h"
#include "pool.h"
#include "quota.h"
#include "timer.h"

enum { SCHED_POOLS = 2 };

typedef struct sched {
    job_table table;
    pool *pools[SCHED_POOLS];
    timers *clock;
    quota *limits;
    audit *log;
    metrics *figures;
    atomic_bool paused; /* no job is started */
    atomic_int running;
} sched;

typedef struct sched_request {
    const char *name;
    unsigned tenant, pool;
    int priority;
    const char *after; /* the job to wait for, or NULL */
    long delay;        /* seconds, or 0 */
    bool held;
} sched_request;

sched *sched_new(void);
void sched_free(sched *jobs);

/* Numbers of jobs, or -1: over the limit, no room, or nothing of that name to wait for. */
int sched_submit(sched *jobs, const sched_request *request);
bool sched_cancel(sched *jobs, const char *name);
bool sched_hold(sched *jobs, const char *name);
bool sched_release(sched *jobs, const char *name);
bool sched_retry(sched *jobs, const char *name); /* a job that has failed */
bool sched_set_priority(sched *jobs, const char *name, int priority);

/* Runs the next job of a pool: its number, or -1. */
int sched_run(sched *jobs, unsigned pool_number);
/* Time goes on; how many jobs became ready by that. */
int sched_advance(sched *jobs, long seconds);
void sched_pause(sched *jobs, bool paused);

int sched_find(sched *jobs, const char *name); /* the latest job of that name, or -1 */
bool sched_state(sched *jobs, const char *name, job_state *state);
/* Of the latest try of a job; -1 if there was none. */
int sched_result(sched *jobs, int number);
int sched_waiting(sched *jobs, const char *name); /* for so many jobs */
int sched_count(sched *jobs, job_state state);

#endif
