#include "audit.h"

#include <pthread.h>
#include <stdlib.h>

struct audit {
    pthread_mutex_t lock; /* over all that follows */
    unsigned long last;
    unsigned long counts[AUDIT_KINDS];
    audit_event events[AUDIT_KEPT];
};

audit *audit_new(void) {
    audit *log = calloc(1, sizeof *log);
    if (log) pthread_mutex_init(&log->lock, NULL);
    return log;
}

void audit_free(audit *log) {
    if (!log) return;
    pthread_mutex_destroy(&log->lock);
    free(log);
}

void audit_note(audit *log, audit_kind kind, int job, long time) {
    pthread_mutex_lock(&log->lock);
    audit_event *event = &log->events[++log->last % AUDIT_KEPT];
    *event = (audit_event){.number = log->last, .kind = kind, .job = job, .time = time};
    log->counts[kind]++;
    pthread_mutex_unlock(&log->lock);
}

/* Locked. */
static unsigned long oldest(const audit *log) {
    return log->last > AUDIT_KEPT ? log->last - AUDIT_KEPT + 1 : 1;
}

size_t audit_since(audit *log, unsigned long number, audit_event *events, size_t most) {
    size_t count = 0;
    pthread_mutex_lock(&log->lock);
    unsigned long next =
        number + 1 > oldest(log) ? number + 1 : oldest(log); /* what was overwritten is left out */
    for (; next <= log->last && count < most; next++) events[count++] = log->events[next % AUDIT_KEPT];
    pthread_mutex_unlock(&log->lock);
    return count;
}

unsigned long audit_count(audit *log, audit_kind kind) {
    pthread_mutex_lock(&log->lock);
    unsigned long count = log->counts[kind];
    pthread_mutex_unlock(&log->lock);
    return count;
}

unsigned long audit_overwritten(audit *log) { return oldest(log) - 1; }

bool audit_find_job(audit *log, int job, audit_event *latest) {
    bool found = false;
    if (log->last == 0) return false;
    pthread_mutex_lock(&log->lock);
    for (unsigned long number = log->last; number >= oldest(log) && number > 0 && !found; number--) {
        const audit_event *event = &log->events[number % AUDIT_KEPT];
        found = event->job == job;
        if (found) *latest = *event;
    }
    pthread_mutex_unlock(&log->lock);
    return found;
}
