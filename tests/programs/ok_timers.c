/* A timer thread that waits with a deadline for the next timer or for a new one; any wait may end early or late:
 * correct, because it acts on its own list only, never on how a wait ended. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

enum { TIMERS = 2 };

static struct timers {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct {
        struct timespec due;
        bool armed;
    } list[TIMERS];
    int fired, cancelled;
    bool closing;
} timers = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static bool before(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static int earliest(const struct timers *t) {
    int found = -1;
    for (int i = 0; i < TIMERS; i++)
        if (t->list[i].armed && (found < 0 || before(&t->list[i].due, &t->list[found].due))) found = i;
    return found;
}

static void *timer_thread(void *arg) {
    struct timers *t = arg;
    pthread_mutex_lock(&t->lock);
    while (!t->closing || earliest(t) >= 0) {
        int next = earliest(t);
        if (next < 0) {
            pthread_cond_wait(&t->changed, &t->lock);
            continue;
        }
        struct timespec now, due = t->list[next].due;
        clock_gettime(CLOCK_REALTIME, &now);
        if (before(&now, &due)) {
            pthread_cond_timedwait(&t->changed, &t->lock, &due);
        } else {
            t->list[next].armed = false;
            t->fired++;
        }
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

static void arm(struct timers *t, int which, long milliseconds) {
    struct timespec due;
    clock_gettime(CLOCK_REALTIME, &due);
    due.tv_nsec += milliseconds * 1000000;
    due.tv_sec += due.tv_nsec / 1000000000;
    due.tv_nsec %= 1000000000;
    pthread_mutex_lock(&t->lock);
    t->list[which].due = due;
    t->list[which].armed = true;
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

static void disarm(struct timers *t, int which) {
    pthread_mutex_lock(&t->lock);
    if (t->list[which].armed) t->cancelled++;
    t->list[which].armed = false;
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, timer_thread, &timers);
    arm(&timers, 0, 20);
    arm(&timers, 1, 5);
    disarm(&timers, 0);
    pthread_mutex_lock(&timers.lock);
    timers.closing = true;
    pthread_cond_signal(&timers.changed);
    pthread_mutex_unlock(&timers.lock);
    pthread_join(thread, NULL);
    assert(timers.fired + timers.cancelled == TIMERS);
    return 0;
}
