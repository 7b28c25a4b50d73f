/* FILEs: stdio.c has the locks and the output, stdio_in.c the input and positions,
 * stdio_unlocked.c the calls without lock, stream.c how FILEs come and go. */
#ifndef RV_RUNTIME_HOOKS_STDIO_H
#define RV_RUNTIME_HOOKS_STDIO_H

#include <stdio.h>

#include "runtime/hooks/io.h"

/* Waits until the FILE's lock can be had by the current thread and announces the operation. Does not take it. */
void rv_file_await(FILE *file, enum rv_op op, uintptr_t site);
/* Waits like that and takes it, for a call that reads or writes; the FILE. */
FILE *rv_file_lock(FILE *file, enum rv_op op, uintptr_t site);
void rv_file_unlock(FILE *const *file);
/* Holds the lock until the scope ends, also by unwinding. */
#define RV_FILE_LOCKED(file_, op_)                                                                     \
    __attribute__((cleanup(rv_file_unlock))) FILE *const locked = rv_file_lock(file_, op_, RV_SITE()); \
    (void)locked
/* A read that libc makes by itself must not wait inside libc: waits here if its buffer is empty. */
void rv_file_await_input(FILE *file, uintptr_t site);
/* Whether reads and writes of this FILE come to our own functions. */
bool rv_file_is_ours(const FILE *file);

#endif
