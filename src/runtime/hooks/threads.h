/* What the files of the thread family share.
 *
 *   thread.c   create, join, detach                       attr.c   attributes, names, scheduling parameters
 *   unwind.c   how a thread begins and ends                keys.c   thread-specific data
 *   cancel.c   cancellation requests and their state
 *
 * Every fiber has a TLS block of glibc's own making, so what glibc keeps there stays glibc's: pthread_self, errno,
 * the values of keys, the list of C++ thread_local destructors. Ours is what needs a scheduler or a kernel thread:
 * life, waiting, cancellation, and the order of things at the end.
 */
#ifndef RV_RUNTIME_HOOKS_THREADS_H
#define RV_RUNTIME_HOOKS_THREADS_H

#include <pthread.h>

#include "runtime/core.h"

/* Nothing to control (yet): not under ravel, inside the runtime, or before the main fiber is known. */
static inline bool rv_threads_passive(void) { return rv_passive() || !rv.current; }

/* A thread as the object of an operation. Reports print small numbers as thread numbers; main, whose number would
 * read as "no object", is its fiber. */
static inline const void *rv_thread_object(const struct rv_fiber *fiber) {
    return fiber->id ? (const void *)(uintptr_t)fiber->id : fiber;
}

/* A failure found before the operation was announced is one of this call, not of the announcement before it. */
static inline void rv_thread_at(enum rv_op op, uintptr_t site) {
    rv_self()->pending = RV_PENDING(op, NULL, site);
}

/* ---- thread.c ---- */
/* The thread of this handle, over or not, joined or not; NULL: there never was one. */
struct rv_fiber *rv_thread_find(pthread_t thread);
/* The pthread functions of these names, for a call at `site`; for C11's, too. */
int rv_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                     void *argument, uintptr_t site);
/* block false: as pthread_tryjoin_np. until NULL: for ever. */
struct rv_until;
int rv_thread_join(pthread_t thread, void **result, bool block, const struct rv_until *until, uintptr_t site);
int rv_thread_detach(pthread_t thread, uintptr_t site);
/* pthread_exit. unwind.c */
_Noreturn void rv_thread_leave(void *result, uintptr_t site);

/* ---- attr.c ---- */
struct rv_thread_attributes {
    size_t stack_size; /* 0: the default */
    bool detached;
    bool own_mask;   /* signal_mask is given */
    bool scheduling; /* policy and priority are given */
    int policy;
    int priority;
    bool cpus_given;
    cpu_set_t cpus;
    sigset_t signal_mask;
};
/* What pthread_create must know of an attribute object (NULL: none). 0, or the error that it returns. */
int rv_attributes_read(const pthread_attr_t *attributes, struct rv_thread_attributes *to);
/* Name, scheduling and processors of a new thread: the creator's, but for what the attributes say. */
void rv_attributes_give(struct rv_fiber *child, const struct rv_thread_attributes *wanted);
void rv_attributes_snapshot(void);
void rv_attributes_restore(void);

/* ---- unwind.c ---- */
/* Lets the unwinder set itself up before the snapshot, so that no execution has to. */
void rv_unwind_prepare(void);

/* ---- keys.c ---- */
/* Runs the destructors of the current thread's values. */
void rv_keys_destroy(void);
void rv_keys_snapshot(void);
void rv_keys_restore(void);

#endif
