/* Which pages were written: what the snapshot asks the kernel. Nothing here knows what is done about it.
 *
 * A way of tracking keeps this promise: a page that was protected and is not reported as written since has
 * not been written. A reported page may have been written or not.
 *
 *   way    protects by                               asks by                 forgets by
 *   uffd   userfaultfd, asynchronous write protection   PAGEMAP_SCAN            protecting single pages again
 *   soft   /proc/self/clear_refs, the whole process     /proc/self/pagemap      protecting everything again
 *
 * In both, the first write to a protected page costs a page fault that the kernel handles alone; system calls
 * that write into the page work as ever. Since such a fault is counted like any other, a restore whose
 * thread had no page fault at all need not ask: rv_track_quiet.
 *
 * Every function that returns bool returns false when the kernel refuses; then nothing is known and the
 * caller must look at every page. Addresses are multiples of the page size.
 */
#ifndef RV_RUNTIME_SNAPSHOT_TRACK_H
#define RV_RUNTIME_SNAPSHOT_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RV_PAGE = 4096 };
enum rv_track_way { RV_TRACK_NONE, RV_TRACK_UFFD, RV_TRACK_SOFT };

typedef void rv_track_visit(void *data, uintptr_t start, uintptr_t end);

/* Opens what the way needs and proves on a page of its own that it works here. */
bool rv_track_open(enum rv_track_way way);
void rv_track_close(void);
enum rv_track_way rv_track_open_way(void);

/* uffd: takes the range under its control and protects it. soft: nothing to do. */
bool rv_track_begin(uintptr_t start, uintptr_t end);
/* uffd: protects pages of a range that has begun, again. */
bool rv_track_protect(uintptr_t start, uintptr_t end);
/* soft: protects everything. */
bool rv_track_protect_all(void);
/* Visits runs of pages that may have been written since they were protected. */
bool rv_track_written(uintptr_t start, uintptr_t end, rv_track_visit *visit, void *data);
/* Whether the calling thread had no page fault since the last call. False also when that is not known. */
bool rv_track_quiet(void);
/* Whether tracking still works: the program may have closed our descriptors behind our back. */
bool rv_track_alive(void);

/* Visits runs of pages that hold something: memory that was never touched is left out. Needs
 * rv_track_open_pages, which is independent of the ways above. */
bool rv_track_open_pages(void);
bool rv_track_present(uintptr_t start, uintptr_t end, rv_track_visit *visit, void *data);

/* Moves a descriptor of ours out of the program's reach; set by rv_snapshot_hide_with. */
extern int (*rv_track_hide)(int fd);

#endif
