/* Whether a thread of this process, as the kernel runs it, waits for other threads or the world at this moment. */
#ifndef RV_RUNTIME_NATIVE_BLOCKED_H
#define RV_RUNTIME_NATIVE_BLOCKED_H

#include <stdbool.h>
#include <sys/types.h>

bool rv_native_blocked(pid_t tid);

#endif
