/* Taking and restoring the program's memory.
 *
 * rv_snapshot_take copies every region once. rv_snapshot_restore brings all of them back to that state,
 * at a cost that follows what was dirtied, not what exists; pages of a growing region (see heap.h) that
 * were not in use at the snapshot are zeroed up to their current use. Both must be called on a stack
 * that is in no region, with no other thread running.
 *
 * Ways; AUTO picks by what the system allows and by size, region by region (snapshot.c has the numbers):
 *   copy     plain copying of everything: no system call, fastest while everything is some ten KB
 *   uffd     userfaultfd asynchronous write protection + PAGEMAP_SCAN (Linux 6.7): copies dirty pages only
 *   soft     soft-dirty bits through /proc/self/clear_refs and pagemap, where the kernel has them
 *   compare  compare each page, copy those that differ: always works
 * A way that is asked for and refused by the system becomes compare; one that stops working later (the program
 * closed our descriptors with raw system calls) too. Never mprotect with SIGSEGV: system calls that write into a protected page would fail with EFAULT.
 */
#ifndef RV_RUNTIME_SNAPSHOT_H
#define RV_RUNTIME_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/heap.h" /* struct rv_region */

enum rv_snapshot_way {
    RV_SNAPSHOT_AUTO,
    RV_SNAPSHOT_COPY,
    RV_SNAPSHOT_UFFD,
    RV_SNAPSHOT_SOFT,
    RV_SNAPSHOT_COMPARE
};

enum { RV_SNAPSHOT_MAX = 4096 }; /* regions; more are refused */

/* False: no memory for the copy, or too many regions. Taking again forgets the former snapshot. Regions must not overlap; bases are page-aligned or not, as they come. */
bool rv_snapshot_take(const struct rv_region *regions, unsigned count, enum rv_snapshot_way way);
void rv_snapshot_restore(void);
/* The way of the regions that are tracked, if any is; else compare if any region is compared, else copy. */
enum rv_snapshot_way rv_snapshot_way_used(void);
/* How descriptors are moved out of the program's reach (rv_fd_hide of outside.h); they are as opened else. */
void rv_snapshot_hide_with(int (*hide)(int fd));
/* For measurements: pages copied by the last restore. */
size_t rv_snapshot_pages_copied(void);
/* Gives everything back (tests; a snapshot taken anew). */
void rv_snapshot_drop(void);

#endif
