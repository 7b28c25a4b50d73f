#include "metrics.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct metrics {
    int last;
    pthread_mutex_t lock; /* over what follows */
    unsigned long good, bad;
    unsigned long classes[METRICS_CLASSES];
    long longest;
};

metrics *metrics_new(void) {
    metrics *figures = calloc(1, sizeof *figures);
    if (!figures) return NULL;
    pthread_mutex_init(&figures->lock, NULL);
    figures->last = -1;
    return figures;
}

void metrics_free(metrics *figures) {
    if (!figures) return;
    pthread_mutex_destroy(&figures->lock);
    free(figures);
}

void metrics_finished(metrics *figures, int job, long waited, bool good) {
    unsigned bin = 0;
    while (bin + 1 < METRICS_CLASSES && waited > 1L << bin) bin++;
    pthread_mutex_lock(&figures->lock);
    figures->classes[bin]++;
    if (good)
        figures->good++;
    else
        figures->bad++;
    if (waited > figures->longest) figures->longest = waited;
    pthread_mutex_unlock(&figures->lock);
    figures->last = job;
}

long metrics_waited(metrics *figures, unsigned percent) {
    unsigned long all = 0, seen = 0;
    unsigned bin = 0;
    pthread_mutex_lock(&figures->lock);
    for (unsigned i = 0; i < METRICS_CLASSES; i++) all += figures->classes[i];
    for (; bin + 1 < METRICS_CLASSES; bin++) {
        seen += figures->classes[bin];
        if (seen * 100 >= all * percent) break;
    }
    pthread_mutex_unlock(&figures->lock);
    return 1L << bin;
}

unsigned metrics_failure_rate(metrics *figures) {
    pthread_mutex_lock(&figures->lock);
    unsigned long all = figures->good + figures->bad;
    unsigned rate = all > 0 ? (unsigned)(figures->bad * 100 / all) : 0;
    pthread_mutex_unlock(&figures->lock);
    return rate;
}

int metrics_last(metrics *figures) { return figures->last; }

long metrics_longest(metrics *figures) {
    pthread_mutex_lock(&figures->lock);
    long longest = figures->longest;
    pthread_mutex_unlock(&figures->lock);
    return longest;
}

void metrics_reset(metrics *figures) {
    pthread_mutex_lock(&figures->lock);
    figures->good = figures->bad = 0;
    figures->longest = 0;
    memset(figures->classes, 0, sizeof figures->classes);
    pthread_mutex_unlock(&figures->lock);
}
