/*
 * Jobs and what they wait for. A job's number is its place in the table, and is not used again. What a job does is told by its
 * kind: workers only pretend.
 */
#ifndef JOB_H
#define JOB_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { JOB_MOST = 32, JOB_NAME = 12, JOB_NEXT = 4, JOB_RETRIES = 2 };

typedef enum job_state {
    JOB_BLOCKED, /* waits for other jobs */
    JOB_DELAYED, /* waits for a time */
    JOB_HELD,    /* waits for somebody to release it */
    JOB_READY,
    JOB_RUNNING,
    JOB_FAILED, /* has failed too often; can be tried again */
    JOB_DONE,
    JOB_CANCELLED
} job_state;

typedef struct job {
    char name[JOB_NAME]; /* this and the next three never change */
    unsigned tenant, pool;
    int duration; /* and the result of a job that does not fail */
    bool fails;
    atomic_int state; /* changes under the table's lock; may be read without */
    int priority;
    int tries, result;
    int waits_for;  /* so many jobs */
    int next_count; /* and these wait for this one */
    int next[JOB_NEXT];
    long ready_since;
} job;

typedef struct job_table {
    pthread_mutex_t lock; /* over all but what job says; taken before those of pools and timers */
    int count;
    job jobs[JOB_MOST];
} job_table;

void job_table_init(job_table *table);
void job_table_destroy(job_table *table);

/* All these with the table locked. Numbers, or -1. */
int job_add(job_table *table, const char *name, unsigned tenant, unsigned pool, int priority);
int job_find(const job_table *table, const char *name); /* the latest of that name */
bool job_link(job_table *table, int before, int after);
bool job_may_cancel(const job_table *table, int number);

/* Without the lock: the state is one in which nothing else of the job changes. */
bool job_is_settled(job_state state);
const char *job_state_name(job_state state);

#endif
