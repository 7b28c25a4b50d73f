/* What the files about processes share among themselves: process.c, child.c, exec.c, exit.c, syscall.c. */
#ifndef RV_RUNTIME_HOOKS_CHILD_H
#define RV_RUNTIME_HOOKS_CHILD_H

#include <sys/resource.h>
#include <sys/types.h>

#include "runtime/core.h"

/* child.c */
/* wait4 as a scheduler-visible wait; -1 with errno. */
pid_t rv_wait_for(pid_t which, int *status, int options, struct rusage *usage, uintptr_t site);
void rv_children_forked(void); /* in the child of a fork: it has none */

/* process.c */
pid_t rv_fork(uintptr_t site);
/* In a child that was just made: it leaves the campaign. Once is enough; again does no harm. */
void rv_process_forked(void);

/* exit.c */
void rv_exit_start(void);   /* registers what must run after the program's own exit handlers */
void rv_exit_restore(void); /* an execution is over: nobody is exiting */
/* Ends the process as exit (handlers run) or as _exit (they do not). */
_Noreturn void rv_exit_now(int status, uintptr_t site);

#endif
