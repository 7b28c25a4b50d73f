/* What programs tell ThreadSanitizer and Helgrind-like tools about synchronisation that these cannot see: the dynamic
 * annotations, and <sanitizer/tsan_interface.h>. Programs that have them declare them themselves, often weak.
 *
 *   order       AnnotateHappensBefore/After, __tsan_release/acquire
 *   locks       AnnotateRWLock*, __tsan_mutex_*: home-made ones, for lock sets and the order that they make
 *   benign      AnnotateBenignRace, AnnotateBenignRaceSized
 *   ignoring    AnnotateIgnoreReads/Writes/Sync: between Begin and End plain accesses of the thread are not told
 *   new memory  AnnotateNewMemory
 * All others of the family are there and do nothing, so that programs link.
 */
#include "runtime/watch.h"

#define HERE (uintptr_t) __builtin_return_address(0)

/* The flags of __tsan_mutex_*, as the header gives them. */
enum { READ_LOCK = 1 << 3, TRY_LOCK = 1 << 4, TRY_LOCK_FAILED = 1 << 5 };

#define ANNOTATION(name, ...)         \
    RV_EXPORT void name(__VA_ARGS__); \
    RV_EXPORT void name(__VA_ARGS__)
#define WHERE __attribute__((unused)) const char *file, __attribute__((unused)) int line

static void order(enum rv_step_kind kind, const volatile void *object, uintptr_t site) {
    if (!rv_passive()) rv_watch(kind, object, 0, 0, site);
}

ANNOTATION(AnnotateHappensBefore, WHERE, const volatile void *object) { order(RV_STEP_BEFORE, object, HERE); }
ANNOTATION(AnnotateHappensAfter, WHERE, const volatile void *object) { order(RV_STEP_AFTER, object, HERE); }
ANNOTATION(__tsan_release, void *object) { order(RV_STEP_BEFORE, object, HERE); }
ANNOTATION(__tsan_acquire, void *object) { order(RV_STEP_AFTER, object, HERE); }

static void lock(const volatile void *object, bool shared, bool tried, uintptr_t site) {
    if (rv_passive()) return;
    rv_watch(shared ? RV_STEP_LOCK_SHARED : RV_STEP_LOCK, object, 0, tried ? RV_LOCK_TRIED : 0, site);
}

static void unlock(const volatile void *object, bool shared, uintptr_t site) {
    if (!rv_passive()) rv_watch(shared ? RV_STEP_UNLOCK_SHARED : RV_STEP_UNLOCK, object, 0, 0, site);
}

ANNOTATION(AnnotateRWLockCreate, WHERE, const volatile void *object) { order(RV_STEP_RENEW, object, HERE); }
ANNOTATION(AnnotateRWLockCreateStatic, WHERE, const volatile void *object) {
    order(RV_STEP_RENEW, object, HERE);
}
ANNOTATION(AnnotateRWLockDestroy, WHERE, const volatile void *object) { order(RV_STEP_RENEW, object, HERE); }
ANNOTATION(AnnotateRWLockAcquired, WHERE, const volatile void *object, long writes) {
    lock(object, !writes, false, HERE);
}
ANNOTATION(AnnotateRWLockReleased, WHERE, const volatile void *object, long writes) {
    unlock(object, !writes, HERE);
}

ANNOTATION(__tsan_mutex_create, void *object, unsigned flags) {
    (void)flags;
    order(RV_STEP_RENEW, object, HERE);
}
ANNOTATION(__tsan_mutex_destroy, void *object, unsigned flags) {
    (void)flags;
    order(RV_STEP_RENEW, object, HERE);
}
ANNOTATION(__tsan_mutex_pre_lock, void *object, unsigned flags) {
    (void)object;
    (void)flags;
}
ANNOTATION(__tsan_mutex_post_lock, void *object, unsigned flags, int recursion) {
    (void)recursion;
    if (!(flags & TRY_LOCK_FAILED)) lock(object, flags & READ_LOCK, flags & TRY_LOCK, HERE);
}
RV_EXPORT int __tsan_mutex_pre_unlock(void *object, unsigned flags);
RV_EXPORT int __tsan_mutex_pre_unlock(void *object, unsigned flags) {
    unlock(object, flags & READ_LOCK, HERE);
    return 1;
}
ANNOTATION(__tsan_mutex_post_unlock, void *object, unsigned flags) {
    (void)object;
    (void)flags;
}
ANNOTATION(__tsan_mutex_pre_signal, void *object, unsigned flags) {
    (void)object;
    (void)flags;
}
ANNOTATION(__tsan_mutex_post_signal, void *object, unsigned flags) {
    (void)object;
    (void)flags;
}
ANNOTATION(__tsan_mutex_pre_divert, void *object, unsigned flags) {
    (void)object;
    (void)flags;
}
ANNOTATION(__tsan_mutex_post_divert, void *object, unsigned flags) {
    (void)object;
    (void)flags;
}

static void benign(const volatile void *address, size_t size, uintptr_t site) {
    if (!rv_passive()) rv_watch_benign((uintptr_t)address, size, site);
}

ANNOTATION(AnnotateBenignRace, WHERE, const volatile void *address, const char *why) {
    (void)why;
    benign(address, 4, HERE); /* as ThreadSanitizer */
}
ANNOTATION(AnnotateBenignRaceSized, WHERE, const volatile void *address, size_t size, const char *why) {
    (void)why;
    benign(address, size, HERE);
}

ANNOTATION(AnnotateNewMemory, WHERE, const volatile void *address, size_t size) {
    if (!rv_passive()) rv_watch(RV_STEP_ALLOC, address, size, 0, HERE);
}

static void ignore(int change) {
    struct rv_fiber *self = rv.current;
    if (!rv_passive() && self) self->ignoring = (uint16_t)(self->ignoring + change);
}

ANNOTATION(AnnotateIgnoreReadsBegin, WHERE) { ignore(1); }
ANNOTATION(AnnotateIgnoreReadsEnd, WHERE) { ignore(-1); }
ANNOTATION(AnnotateIgnoreWritesBegin, WHERE) { ignore(1); }
ANNOTATION(AnnotateIgnoreWritesEnd, WHERE) { ignore(-1); }

/* Those without an effect here. */
ANNOTATION(AnnotateIgnoreSyncBegin, WHERE) {}
ANNOTATION(AnnotateIgnoreSyncEnd, WHERE) {}
ANNOTATION(AnnotateFlushState, WHERE) {}
ANNOTATION(AnnotateThreadName, WHERE, const char *name) { (void)name; }
ANNOTATION(AnnotateNoOp, WHERE, const volatile void *object) { (void)object; }
ANNOTATION(AnnotateCondVarSignal, WHERE, const volatile void *cond) { order(RV_STEP_BEFORE, cond, HERE); }
ANNOTATION(AnnotateCondVarSignalAll, WHERE, const volatile void *cond) { order(RV_STEP_BEFORE, cond, HERE); }
ANNOTATION(AnnotateCondVarWait, WHERE, const volatile void *cond, const volatile void *lock_) {
    (void)lock_;
    order(RV_STEP_AFTER, cond, HERE);
}
ANNOTATION(AnnotateMutexIsNotPHB, WHERE, const volatile void *object) { (void)object; }
ANNOTATION(AnnotateMutexIsUsedAsCondVar, WHERE, const volatile void *object) { (void)object; }
ANNOTATION(AnnotatePublishMemoryRange, WHERE, const volatile void *address, size_t size) {
    (void)address;
    (void)size;
}
ANNOTATION(AnnotateUnpublishMemoryRange, WHERE, const volatile void *address, size_t size) {
    (void)address;
    (void)size;
}
ANNOTATION(AnnotateTraceMemory, WHERE, const volatile void *address) { (void)address; }
ANNOTATION(AnnotateEnableRaceDetection, WHERE, int enable) { (void)enable; }
