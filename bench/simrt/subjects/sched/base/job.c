#include "job.h"

#include <string.h>

void job_table_init(job_table *table) { pthread_mutex_init(&table->lock, NULL); }

void job_table_destroy(job_table *table) { pthread_mutex_destroy(&table->lock); }

int job_add(job_table *table, const char *name, unsigned tenant, unsigned pool, int priority) {
    size_t length = strlen(name);
    if (table->count == JOB_MOST) return -1;
    if (length >= JOB_NAME) length = JOB_NAME - 1;
    job *fresh = &table->jobs[table->count];
    memcpy(fresh->name, name, length);
    fresh->tenant = tenant;
    fresh->pool = pool;
    fresh->priority = priority;
    fresh->duration = 1 + (unsigned char)name[0] % 3;
    fresh->fails = name[0] == 'x';
    fresh->state = JOB_BLOCKED;
    fresh->result = -1;
    return table->count++;
}

int job_find(const job_table *table, const char *name) {
    int number = table->count - 1;
    while (number >= 0 && strncmp(table->jobs[number].name, name, JOB_NAME - 1) != 0) number--;
    return number;
}

bool job_link(job_table *table, int before, int after) {
    job *first = &table->jobs[before];
    if (first->next_count == JOB_NEXT) return false;
    first->next[first->next_count++] = after;
    table->jobs[after].waits_for++;
    return true;
}

bool job_may_cancel(const job_table *table, int number) {
    job_state state = (job_state)table->jobs[number].state;
    return state != JOB_RUNNING && state != JOB_DONE && state != JOB_CANCELLED;
}

bool job_is_settled(job_state state) { return state == JOB_DONE || state == JOB_CANCELLED; }

const char *job_state_name(job_state state) {
    switch (state) {
    case JOB_BLOCKED: return "blocked";
    case JOB_DELAYED: return "delayed";
    case JOB_HELD: return "held";
    case JOB_READY: return "ready";
    case JOB_RUNNING: return "running";
    case JOB_FAILED: return "failed";
    case JOB_DONE: return "done";
    case JOB_CANCELLED: return "cancelled";
    }
    return "?";
}
