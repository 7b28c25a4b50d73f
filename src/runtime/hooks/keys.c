/* Thread-specific data.
 *
 * Values live where glibc keeps them, in each thread's own TLS block: pthread_getspecific and pthread_setspecific are
 * not intercepted at all. What glibc will not do for us is run the destructors, for our threads never end by its
 * ways. So creation and deletion of keys are noted, and the end of a thread goes through what was noted.
 *
 * A destructor may set values again, also for other keys, so there are rounds, at most
 * PTHREAD_DESTRUCTOR_ITERATIONS. Whether a value's destructor runs depends on whether another thread has deleted
 * the key by then: that is a race of the program on our table, announced as accesses to it.
 */
#include <limits.h>
#include <pthread.h>

#include "runtime/hooks/sync.h"
#include "runtime/hooks/threads.h"
#include "runtime/real.h"

/* In every mode: keys may be made by constructors that run before ours. */
static struct keys {
    void (*destructors[PTHREAD_KEYS_MAX])(void *); /* NULL: no such key, or none */
    uint32_t limit;                                /* above every key with a destructor */
} keys, saved;
static bool dirty; /* keys differs from saved */

static void note(pthread_key_t key, void (*destructor)(void *)) {
    if (key >= PTHREAD_KEYS_MAX) return;
    keys.destructors[key] = destructor;
    if (destructor && key >= keys.limit) keys.limit = key + 1;
    dirty = true;
}

RV_EXPORT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    int error = RV_REAL(pthread_key_create)(key, destructor);
    if (!error) note(*key, destructor);
    return error;
}

extern RV_EXPORT __typeof__(pthread_key_create) __pthread_key_create
    __attribute__((alias("pthread_key_create"))) RV_COPY(pthread_key_create);

RV_EXPORT int pthread_key_delete(pthread_key_t key) {
    if (!rv_threads_passive() && key < PTHREAD_KEYS_MAX)
        rv_access(&keys.destructors[key], sizeof keys.destructors[key], true, RV_SITE());
    int error = RV_REAL(pthread_key_delete)(key);
    if (!error) note(key, NULL);
    return error;
}

/* One round: every value that is there now. False: there was none. */
static bool destroy_values(void) {
    bool any = false;
    for (pthread_key_t key = 0; key < keys.limit; key++) {
        rv_observe_look(RV_OP_READ, &keys.destructors[key]);
        if (!keys.destructors[key] || !RV_REAL(pthread_getspecific)(key)) continue;
        rv_access(&keys.destructors[key], sizeof keys.destructors[key], false,
                  (uintptr_t)keys.destructors[key] + 1);
        void (*destructor)(void *) = keys.destructors[key];
        void *value = RV_REAL(pthread_getspecific)(key);
        if (!destructor || !value) continue; /* deleted in between */
        RV_REAL(pthread_setspecific)(key, NULL);
        destructor(value);
        any = true;
    }
    return any;
}

void rv_keys_destroy(void) {
    for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS && destroy_values(); round++) {}
}

void rv_keys_snapshot(void) {
    saved = keys;
    dirty = false;
}

void rv_keys_restore(void) {
    if (!dirty) return;
    keys = saved;
    dirty = false;
}
