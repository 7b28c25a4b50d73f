/* Read-write locks, of both kinds; spinlocks and barriers. */
#include <errno.h>
#include <time.h>

#include "family.h"

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int shared; /* under l */
static _Atomic int readers, most;
static const struct timespec later = {4000000000, 0};

static void prefer_writers(void) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&l, &attributes);
}

static number read_it(int error) {
    if (error) return -error;
    number seen = shared;
    pthread_rwlock_unlock(&l);
    return seen;
}
static number write_it(int error) {
    if (error) return -error;
    number seen = ++shared;
    pthread_rwlock_unlock(&l);
    return seen;
}

THREAD(reads) { return read_it(pthread_rwlock_rdlock(&l)); }
THREAD(writes) { return write_it(pthread_rwlock_wrlock(&l)); }
THREAD(tries_to_read) { return read_it(pthread_rwlock_tryrdlock(&l)); }
THREAD(tries_to_write) { return write_it(pthread_rwlock_trywrlock(&l)); }
THREAD(reads_timed) { return read_it(pthread_rwlock_timedrdlock(&l, &later)); }
THREAD(writes_timed) { return write_it(pthread_rwlock_timedwrlock(&l, &later)); }
THREAD(meets) { /* whether two readers are in at once */
    pthread_rwlock_rdlock(&l);
    number seen = ++readers;
    readers--;
    pthread_rwlock_unlock(&l);
    return seen;
}
THREAD(recursive) { /* a deadlock if a writer may wait in between */
    pthread_rwlock_rdlock(&l);
    number result = read_it(pthread_rwlock_rdlock(&l));
    pthread_rwlock_unlock(&l);
    return result;
}
THREAD(enters) { return pthread_rwlock_wrlock(&l); }
THREAD(stays) { return pthread_rwlock_rdlock(&l); }

SCENARIOS({"reader_writer", "-", NULL, {reads, writes}}, {"two_readers", "-", NULL, {meets, meets}},
          {"readers_writer", "-", NULL, {reads, reads, writes}},
          {"two_writers", "-", NULL, {writes, writes, reads}},
          {"try_read", "-", NULL, {writes, tries_to_read, reads}},
          {"try_write", "-", NULL, {reads, tries_to_write, writes}},
          {"tries", "-", NULL, {tries_to_write, tries_to_read, tries_to_write}},
          {"timed_read", "-", NULL, {writes, reads_timed}}, {"timed_write", "-", NULL, {reads, writes_timed}},
          {"timed_strict", "--timing=strict", NULL, {writes, reads_timed, writes_timed}},
          {"stuck_strict", "--timing=strict", NULL, {enters, reads_timed, writes_timed}},
          {"recursive", "-", NULL, {recursive, writes}},
          {"recursive_preferred", "-", prefer_writers, {recursive, writes}},
          {"preferred", "-", prefer_writers, {reads, writes, reads}},
          {"preferred_try", "-", prefer_writers, {stays, enters, tries_to_read}},
          {"preferred_stays", "-", prefer_writers, {stays, enters, stays}},
          {"preferred_timed", "-", prefer_writers, {meets, writes_timed, meets}})
