#include "quota.h"

#include <pthread.h>
#include <stdlib.h>

struct quota {
    pthread_mutex_t lock; /* over all that follows */
    unsigned long refused;
    struct {
        int used, limit;
    } tenants[QUOTA_TENANTS];
};

quota *quota_new(void) {
    quota *limits = calloc(1, sizeof *limits);
    if (!limits) return NULL;
    pthread_mutex_init(&limits->lock, NULL);
    for (unsigned i = 0; i < QUOTA_TENANTS; i++) limits->tenants[i].limit = QUOTA_DEFAULT;
    return limits;
}

void quota_free(quota *limits) {
    if (!limits) return;
    pthread_mutex_destroy(&limits->lock);
    free(limits);
}

bool quota_charge(quota *limits, unsigned tenant) {
    pthread_mutex_lock(&limits->lock);
    bool fits = limits->tenants[tenant].used < limits->tenants[tenant].limit;
    if (fits)
        limits->tenants[tenant].used++;
    else
        limits->refused++;
    pthread_mutex_unlock(&limits->lock);
    return fits;
}

void quota_refund(quota *limits, unsigned tenant) {
    pthread_mutex_lock(&limits->lock);
    limits->tenants[tenant].used--;
    pthread_mutex_unlock(&limits->lock);
}

void quota_set_limit(quota *limits, unsigned tenant, int limit) {
    pthread_mutex_lock(&limits->lock);
    limits->tenants[tenant].limit = limit;
    pthread_mutex_unlock(&limits->lock);
}

int quota_limit(quota *limits, unsigned tenant) {
    pthread_mutex_lock(&limits->lock);
    int limit = limits->tenants[tenant].limit;
    pthread_mutex_unlock(&limits->lock);
    return limit;
}

int quota_used(quota *limits, unsigned tenant) {
    pthread_mutex_lock(&limits->lock);
    int used = limits->tenants[tenant].used;
    pthread_mutex_unlock(&limits->lock);
    return used;
}

unsigned long quota_refused(quota *limits) {
    pthread_mutex_lock(&limits->lock);
    unsigned long refused = limits->refused;
    pthread_mutex_unlock(&limits->lock);
    return refused;
}

unsigned quota_busiest(quota *limits) {
    unsigned busiest = 0;
    int least = 0;
    for (unsigned i = 0; i < QUOTA_TENANTS; i++) {
        int left = limits->tenants[i].limit - limits->tenants[i].used;
        if (i > 0 && left >= least) continue;
        busiest = i;
        least = left;
    }
    return busiest;
}
