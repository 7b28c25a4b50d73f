/* ravel.h: what a program may tell ravel, and ask it. Nothing here is needed for `ravel run` to work.
 *
 *   name                      | under `ravel run`                              | anywhere else
 *   ravel_active()            | 1                                              | 0
 *   RAVEL_POINT()             | another thread may run here                    | nothing
 *   RAVEL_YIELD()             | the same, and the caller says that it waits    | nothing
 *                             | for another thread: that one is preferred      |
 *   RAVEL_READS(at, size)     | treated as a read of these bytes, which the    | nothing
 *   RAVEL_WRITES(at, size)    | next statement does: a point if they are       |
 *                             | shared, checked against the heap               |
 *   RAVEL_HAPPENS_BEFORE(at)  | what this thread did so far happens before     | nothing
 *   RAVEL_HAPPENS_AFTER(at)   | what follows a later HAPPENS_AFTER of the same | nothing
 *                             | address, in any thread: for synchronisation    |
 *                             | that ravel cannot see; no point                |
 *   RAVEL_BENIGN_RACE(x)      | data races on the variable are not reported    | nothing
 *
 * ravel sees the memory accesses of code that `ravel cc` compiled. It does not see those of inline assembly and
 * of libraries compiled otherwise: RAVEL_READS, RAVEL_WRITES and RAVEL_POINT are for these. Loops that wait in
 * code that ravel does not see need a RAVEL_YIELD() to be fair (or sched_yield(), which does the same).
 *
 * A program that includes this header needs no library. The functions are weak references: they are there when
 * libravel is (a program built with `ravel cc`, or linked with -lravel), else the macros do nothing. In a program
 * built in another way and only run under ravel they may stay without effect, for its linker has already
 * decided that they are not there.
 *
 * Macros evaluate their arguments at most once. All may be called from any thread, and from signal handlers.
 */
#ifndef RAVEL_H
#define RAVEL_H

#include <stddef.h>

#define RAVEL_VERSION_MAJOR 0
#define RAVEL_VERSION_MINOR 1
#define RAVEL_VERSION_PATCH 0
#define RAVEL_VERSION       "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* Not to be called directly: they may be NULL. */
extern int ravel__active(void) __attribute__((__weak__));
extern void ravel__point(void) __attribute__((__weak__));
extern void ravel__yield(void) __attribute__((__weak__));
extern void ravel__access(const volatile void *address, size_t size, int is_write) __attribute__((__weak__));
extern void ravel__order(const volatile void *object, int before) __attribute__((__weak__));
extern void ravel__benign(const volatile void *address, size_t size) __attribute__((__weak__));

/* Whether a schedule of ravel's drives this process. Use it to make a test smaller under ravel, or a time-out
 * longer; not to leave the interesting code out. */
static __inline__ int ravel_active(void) { return ravel__active ? ravel__active() : 0; }

/* Macros, so that reports name the line where they stand. */
#define RAVEL_POINT()          ((void)(ravel__point ? (ravel__point(), 0) : 0))
#define RAVEL_YIELD()          ((void)(ravel__yield ? (ravel__yield(), 0) : 0))
#define RAVEL_READS(at, size)  ((void)(ravel__access ? (ravel__access((at), (size), 0), 0) : 0))
#define RAVEL_WRITES(at, size) ((void)(ravel__access ? (ravel__access((at), (size), 1), 0) : 0))

#define RAVEL_HAPPENS_BEFORE(at) ((void)(ravel__order ? (ravel__order((at), 1), 0) : 0))
#define RAVEL_HAPPENS_AFTER(at)  ((void)(ravel__order ? (ravel__order((at), 0), 0) : 0))
#define RAVEL_BENIGN_RACE(x)     ((void)(ravel__benign ? (ravel__benign(&(x), sizeof(x)), 0) : 0))

#ifdef __cplusplus
}
#endif

#endif
