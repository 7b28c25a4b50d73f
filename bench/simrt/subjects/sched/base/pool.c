#include "pool.h"

#include <pthread.h>
#include <stdlib.h>

struct waiting {
    int job, priority;
    unsigned long order;
};

struct pool {
    pthread_mutex_t lock; /* over all that follows */
    size_t count, deepest;
    unsigned long arrived, taken;
    struct waiting heap[POOL_MOST]; /* of a binary heap: who is to be taken before its parent there is not */
};

pool *pool_new(void) {
    pool *jobs = calloc(1, sizeof *jobs);
    if (jobs) pthread_mutex_init(&jobs->lock, NULL);
    return jobs;
}

void pool_free(pool *jobs) {
    if (!jobs) return;
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}

static bool goes_before(const struct waiting *one, const struct waiting *other) {
    return one->priority != other->priority ? one->priority > other->priority : one->order < other->order;
}

/* Locked, as all that follow up to pool_put. */
static void swap(pool *jobs, size_t one, size_t other) {
    struct waiting kept = jobs->heap[one];
    jobs->heap[one] = jobs->heap[other];
    jobs->heap[other] = kept;
}

static void sift_up(pool *jobs, size_t index) {
    while (index > 0 && goes_before(&jobs->heap[index], &jobs->heap[(index - 1) / 2])) {
        swap(jobs, index, (index - 1) / 2);
        index = (index - 1) / 2;
    }
}

static void sift_down(pool *jobs, size_t index) {
    for (;;) {
        size_t first = index;
        for (size_t child = 2 * index + 1; child <= 2 * index + 2 && child < jobs->count; child++)
            if (goes_before(&jobs->heap[child], &jobs->heap[first])) first = child;
        if (first == index) return;
        swap(jobs, index, first);
        index = first;
    }
}

static void take_out(pool *jobs, size_t index) {
    jobs->heap[index] = jobs->heap[--jobs->count];
    if (index < jobs->count) {
        sift_up(jobs, index);
        sift_down(jobs, index);
    }
}

static size_t find(const pool *jobs, int job) {
    size_t index = 0;
    while (index < jobs->count && jobs->heap[index].job != job) index++;
    return index;
}

static void note_depth(pool *jobs) {
    if (jobs->count > jobs->deepest) jobs->deepest = jobs->count;
}

bool pool_put(pool *jobs, int job, int priority) {
    pthread_mutex_lock(&jobs->lock);
    bool room = jobs->count < POOL_MOST;
    if (room) {
        jobs->heap[jobs->count] =
            (struct waiting){.job = job, .priority = priority, .order = jobs->arrived++};
        sift_up(jobs, jobs->count++);
        note_depth(jobs);
    }
    pthread_mutex_unlock(&jobs->lock);
    return room;
}

int pool_take(pool *jobs) {
    int job = -1;
    pthread_mutex_lock(&jobs->lock);
    if (jobs->count > 0) {
        job = jobs->heap[0].job;
        take_out(jobs, 0);
        jobs->taken++;
    }
    pthread_mutex_unlock(&jobs->lock);
    return job;
}

int pool_next(pool *jobs) {
    pthread_mutex_lock(&jobs->lock);
    int job = jobs->count > 0 ? jobs->heap[0].job : -1;
    pthread_mutex_unlock(&jobs->lock);
    return job;
}

bool pool_remove(pool *jobs, int job) {
    pthread_mutex_lock(&jobs->lock);
    size_t index = find(jobs, job);
    bool found = index < jobs->count;
    if (found) take_out(jobs, index);
    pthread_mutex_unlock(&jobs->lock);
    return found;
}

bool pool_change(pool *jobs, int job, int priority) {
    pthread_mutex_lock(&jobs->lock);
    size_t index = find(jobs, job);
    bool found = index < jobs->count;
    if (found) {
        jobs->heap[index].priority = priority;
        sift_up(jobs, index);
        sift_down(jobs, index);
    }
    pthread_mutex_unlock(&jobs->lock);
    return found;
}

size_t pool_count(pool *jobs) {
    pthread_mutex_lock(&jobs->lock);
    size_t count = jobs->count;
    pthread_mutex_unlock(&jobs->lock);
    return count;
}

size_t pool_deepest(pool *jobs) {
    pthread_mutex_lock(&jobs->lock);
    size_t deepest = jobs->deepest;
    pthread_mutex_unlock(&jobs->lock);
    return deepest;
}

unsigned long pool_taken(pool *jobs) {
    pthread_mutex_lock(&jobs->lock);
    unsigned long taken = jobs->taken;
    pthread_mutex_unlock(&jobs->lock);
    return taken;
}
