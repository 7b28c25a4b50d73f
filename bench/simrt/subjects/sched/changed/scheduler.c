#include "scheduler.h"

#include <stdlib.h>

sched *sched_new(void) {
    sched *jobs = calloc(1, sizeof *jobs);
    if (!jobs) return NULL;
    job_table_init(&jobs->table);
    for (unsigned i = 0; i < SCHED_POOLS; i++) jobs->pools[i] = pool_new();
    jobs->clock = timers_new();
    jobs->limits = quota_new();
    jobs->log = audit_new();
    jobs->figures = metrics_new();
    if (jobs->pools[0] && jobs->pools[1] && jobs->clock && jobs->limits && jobs->log && jobs->figures)
        return jobs;
    sched_free(jobs);
    return NULL;
}

void sched_free(sched *jobs) {
    if (!jobs) return;
    for (unsigned i = 0; i < SCHED_POOLS; i++) pool_free(jobs->pools[i]);
    timers_free(jobs->clock);
    quota_free(jobs->limits);
    audit_free(jobs->log);
    metrics_free(jobs->figures);
    job_table_destroy(&jobs->table);
    free(jobs);
}

static void note(sched *jobs, audit_kind kind, int number) {
    audit_note(jobs->log, kind, number, timers_now(jobs->clock));
}

/* Locked, as all that follow up to sched_submit. */
static void make_ready(sched *jobs, int number) {
    job *item = &jobs->table.jobs[number];
    item->state = JOB_READY;
    item->ready_since = timers_now(jobs->clock);
    pool_put(jobs->pools[item->pool], number, item->priority);
    note(jobs, AUDIT_READY, number);
}

static void settle(sched *jobs, int number, job_state state, audit_kind kind) {
    jobs->table.jobs[number].state = state;
    quota_refund(jobs->limits, jobs->table.jobs[number].tenant);
    note(jobs, kind, number);
}

static void cancel(sched *jobs, int number) {
    job *item = &jobs->table.jobs[number];
    if (item->state == JOB_READY) pool_remove(jobs->pools[item->pool], number);
    if (item->state == JOB_DELAYED) timers_remove(jobs->clock, number);
    settle(jobs, number, JOB_CANCELLED, AUDIT_CANCELLED);
    for (int i = 0; i < item->next_count; i++)
        if (job_may_cancel(&jobs->table, item->next[i])) cancel(jobs, item->next[i]);
}

static void wake_next(sched *jobs, int number) {
    const job *item = &jobs->table.jobs[number];
    for (int i = 0; i < item->next_count; i++) {
        job *next = &jobs->table.jobs[item->next[i]];
        if (--next->waits_for == 0 && next->state == JOB_BLOCKED) make_ready(jobs, item->next[i]);
    }
}

static bool link_after(sched *jobs, int number, const char *name) {
    int before = -1;
    for (int i = number - 1; i >= 0 && before < 0; i--)
        if (job_find(&jobs->table, name) == i) before = i;
    if (before < 0 || jobs->table.jobs[before].state == JOB_CANCELLED) return false;
    return jobs->table.jobs[before].state == JOB_DONE || job_link(&jobs->table, before, number);
}

static void place(sched *jobs, int number, const sched_request *request) {
    job *item = &jobs->table.jobs[number];
    if (request->held) {
        item->state = JOB_HELD;
        note(jobs, AUDIT_HELD, number);
    } else if (request->delay > 0) {
        item->state = JOB_DELAYED;
        timers_add(jobs->clock, number, timers_now(jobs->clock) + request->delay);
    } else if (item->waits_for == 0) {
        make_ready(jobs, number);
    }
}

int sched_submit(sched *jobs, const sched_request *request) {
    if (!quota_charge(jobs->limits, request->tenant)) {
        note(jobs, AUDIT_REJECTED, -1);
        return -1;
    }
    pthread_mutex_lock(&jobs->table.lock);
    int number = job_add(&jobs->table, request->name, request->tenant, request->pool, request->priority);
    if (number >= 0) {
        note(jobs, AUDIT_SUBMITTED, number);
        if (request->after && !link_after(jobs, number, request->after)) {
            settle(jobs, number, JOB_CANCELLED, AUDIT_CANCELLED);
            number = -1;
        } else {
            place(jobs, number, request);
        }
    } else {
        quota_refund(jobs->limits, request->tenant);
    }
    pthread_mutex_unlock(&jobs->table.lock);
    return number;
}

bool sched_cancel(sched *jobs, const char *name) {
    pthread_mutex_lock(&jobs->table.lock);
    int number = job_find(&jobs->table, name);
    bool done = number >= 0 && job_may_cancel(&jobs->table, number);
    if (done) cancel(jobs, number);
    pthread_mutex_unlock(&jobs->table.lock);
    return done;
}

bool sched_hold(sched *jobs, const char *name) {
    pthread_mutex_lock(&jobs->table.lock);
    int number = job_find(&jobs->table, name);
    bool done = number >= 0 && jobs->table.jobs[number].state == JOB_READY &&
                pool_remove(jobs->pools[jobs->table.jobs[number].pool], number);
    if (done) {
        jobs->table.jobs[number].state = JOB_HELD;
        note(jobs, AUDIT_HELD, number);
    }
    pthread_mutex_unlock(&jobs->table.lock);
    return done;
}

bool sched_release(sched *jobs, const char *name) {
    pthread_mutex_lock(&jobs->table.lock);
    int number = job_find(&jobs->table, name);
    bool done = number >= 0 && jobs->table.jobs[number].state == JOB_HELD;
    if (done) {
        if (jobs->table.jobs[number].waits_for == 0)
            make_ready(jobs, number);
        else
            jobs->table.jobs[number].state = JOB_BLOCKED;
    }
    pthread_mutex_unlock(&jobs->table.lock);
    return done;
}

bool sched_retry(sched *jobs, const char *name) {
    pthread_mutex_lock(&jobs->table.lock);
    int number = job_find(&jobs->table, name);
    bool done = number >= 0 && jobs->table.jobs[number].state == JOB_FAILED;
    if (done) {
        jobs->table.jobs[number].tries = 0;
        make_ready(jobs, number);
    }
    pthread_mutex_unlock(&jobs->table.lock);
    return done;
}

bool sched_set_priority(sched *jobs, const char *name, int priority) {
    pthread_mutex_lock(&jobs->table.lock);
    int number = job_find(&jobs->table, name);
    if (number >= 0) {
        jobs->table.jobs[number].priority = priority;
        pool_change(jobs->pools[jobs->table.jobs[number].pool], number, priority);
    }
    pthread_mutex_unlock(&jobs->table.lock);
    return number >= 0;
}

/* Takes a job, if none was taken back meanwhile. */
static int start(sched *jobs, unsigned pool_number, long *waited) {
    pthread_mutex_lock(&jobs->table.lock);
    int number = pool_take(jobs->pools[pool_number]);
    if (number >= 0) {
        job *item = &jobs->table.jobs[number];
        item->state = JOB_RUNNING;
        item->tries++;
        *waited = timers_now(jobs->clock) - item->ready_since;
        note(jobs, AUDIT_STARTED, number);
    }
    pthread_mutex_unlock(&jobs->table.lock);
    return number;
}

static bool finish(sched *jobs, int number, int result) {
    pthread_mutex_lock(&jobs->table.lock);
    job *item = &jobs->table.jobs[number];
    bool good = result >= 0;
    item->result = result;
    if (good) {
        settle(jobs, number, JOB_DONE, AUDIT_FINISHED);
        wake_next(jobs, number);
    } else if (item->tries < JOB_RETRIES) {
        make_ready(jobs, number);
    } else {
        item->state = JOB_FAILED;
        note(jobs, AUDIT_FAILED, number);
    }
    pthread_mutex_unlock(&jobs->table.lock);
    return good;
}

int sched_run(sched *jobs, unsigned pool_number) {
    long waited = 0;
    if (jobs->paused) return -1;
    int number = start(jobs, pool_number, &waited);
    if (number < 0) return -1;
    jobs->running++;
    const job *item = &jobs->table.jobs[number];
    int result = item->fails ? -1 - item->duration : item->duration;
    bool good = finish(jobs, number, result);
    jobs->running--;
    metrics_finished(jobs->figures, number, waited, good);
    return number;
}

void sched_pause(sched *jobs, bool paused) { jobs->paused = paused; }

int sched_advance(sched *jobs, long seconds) {
    int ready = 0;
    timers_advance(jobs->clock, seconds);
    pthread_mutex_lock(&jobs->table.lock);
    for (int number; (number = timers_take_due(jobs->clock)) >= 0; ready++) {
        if (jobs->table.jobs[number].waits_for == 0)
            make_ready(jobs, number);
        else
            jobs->table.jobs[number].state = JOB_BLOCKED;
    }
    pthread_mutex_unlock(&jobs->table.lock);
    return ready;
}

bool sched_state(sched *jobs, const char *name, job_state *state) {
    pthread_mutex_lock(&jobs->table.lock);
    int number = job_find(&jobs->table, name);
    if (number >= 0) *state = (job_state)jobs->table.jobs[number].state;
    pthread_mutex_unlock(&jobs->table.lock);
    return number >= 0;
}

int sched_find(sched *jobs, const char *name) {
    pthread_mutex_lock(&jobs->table.lock);
    int number = job_find(&jobs->table, name);
    pthread_mutex_unlock(&jobs->table.lock);
    return number;
}

int sched_result(sched *jobs, int number) {
    const job *item = &jobs->table.jobs[number];
    if (job_is_settled((job_state)item->state)) return item->result;
    pthread_mutex_lock(&jobs->table.lock);
    int result = item->result;
    pthread_mutex_unlock(&jobs->table.lock);
    return result;
}

int sched_waiting(sched *jobs, const char *name) {
    pthread_mutex_lock(&jobs->table.lock);
    int number = job_find(&jobs->table, name);
    int waiting = number >= 0 ? jobs->table.jobs[number].waits_for : -1;
    pthread_mutex_unlock(&jobs->table.lock);
    return waiting;
}

int sched_count(sched *jobs, job_state state) {
    int count = 0;
    pthread_mutex_lock(&jobs->table.lock);
    for (int i = 0; i < jobs->table.count; i++) count += jobs->table.jobs[i].state == (int)state;
    pthread_mutex_unlock(&jobs->table.lock);
    return count;
}
