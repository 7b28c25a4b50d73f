/* The vocabulary of events: every operation that the runtime can see, with its name in reports and what
 * it means for scheduling and for dependence. One table; enum, names and flags come from it.
 *
 * An operation is *pending* from the moment its thread reaches it until the thread is picked and does it.
 */
#ifndef RV_BASE_OP_H
#define RV_BASE_OP_H

#include <stdint.h>

enum {
    RV_OPF_MEMORY = 1,  /* touches program memory [object, object+size) */
    RV_OPF_WRITE = 2,   /* modifies its object: conflicts with any other operation on it */
    RV_OPF_SYNC = 4,    /* orders threads: always a scheduling point */
    RV_OPF_BLOCKS = 8,  /* may have to wait for another thread */
    RV_OPF_ATOMIC = 16, /* an atomic access: always a scheduling point */
    RV_OPF_TIMED = 32,  /* may end by time alone */
    RV_OPF_YIELD = 64,  /* the thread says that it waits for others: be fair */
    RV_OPF_IO = 128,    /* its object is a file descriptor number */
};

/*      enum name        text               flags */
#define RV_OPS(X)                                                                                       \
    X(NONE, "none", 0)                                                                                  \
    X(START, "start", RV_OPF_SYNC)                                                                      \
    X(EXIT, "exit", RV_OPF_SYNC | RV_OPF_WRITE)                                                         \
    X(CREATE, "create", RV_OPF_SYNC | RV_OPF_WRITE)                                                     \
    X(JOIN, "join", RV_OPF_SYNC | RV_OPF_BLOCKS)                                                        \
    X(DETACH, "detach", RV_OPF_SYNC | RV_OPF_WRITE)                                                     \
    X(CANCEL, "cancel", RV_OPF_SYNC | RV_OPF_WRITE)                                                     \
    X(TESTCANCEL, "cancellation point", RV_OPF_SYNC)                                                    \
    X(READ, "read", RV_OPF_MEMORY)                                                                      \
    X(WRITE, "write", RV_OPF_MEMORY | RV_OPF_WRITE)                                                     \
    X(ATOMIC_LOAD, "atomic load", RV_OPF_MEMORY | RV_OPF_ATOMIC)                                        \
    X(ATOMIC_STORE, "atomic store", RV_OPF_MEMORY | RV_OPF_ATOMIC | RV_OPF_WRITE)                       \
    X(ATOMIC_RMW, "atomic update", RV_OPF_MEMORY | RV_OPF_ATOMIC | RV_OPF_WRITE)                        \
    X(ATOMIC_CAS, "compare-exchange", RV_OPF_MEMORY | RV_OPF_ATOMIC | RV_OPF_WRITE)                     \
    X(FENCE, "fence", RV_OPF_ATOMIC)                                                                    \
    X(LOCK, "lock", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE)                                         \
    X(TRYLOCK, "trylock", RV_OPF_SYNC | RV_OPF_WRITE)                                                   \
    X(TIMEDLOCK, "timed lock", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE | RV_OPF_TIMED)               \
    X(UNLOCK, "unlock", RV_OPF_SYNC | RV_OPF_WRITE)                                                     \
    X(MUTEX_INIT, "mutex init", RV_OPF_SYNC | RV_OPF_WRITE)                                             \
    X(MUTEX_DESTROY, "mutex destroy", RV_OPF_SYNC | RV_OPF_WRITE)                                       \
    X(RDLOCK, "read lock", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE)                                  \
    X(WRLOCK, "write lock", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE)                                 \
    X(TRYRDLOCK, "try read lock", RV_OPF_SYNC | RV_OPF_WRITE)                                           \
    X(TRYWRLOCK, "try write lock", RV_OPF_SYNC | RV_OPF_WRITE)                                          \
    X(RWUNLOCK, "rwlock unlock", RV_OPF_SYNC | RV_OPF_WRITE)                                            \
    X(SPINLOCK, "spin lock", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE)                                \
    X(SPINTRYLOCK, "spin trylock", RV_OPF_SYNC | RV_OPF_WRITE)                                          \
    X(SPINUNLOCK, "spin unlock", RV_OPF_SYNC | RV_OPF_WRITE)                                            \
    X(COND_WAIT, "wait", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE)                                    \
    X(COND_TIMEDWAIT, "timed wait", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE | RV_OPF_TIMED)          \
    X(COND_SIGNAL, "signal", RV_OPF_SYNC | RV_OPF_WRITE)                                                \
    X(COND_BROADCAST, "broadcast", RV_OPF_SYNC | RV_OPF_WRITE)                                          \
    X(COND_DESTROY, "condition destroy", RV_OPF_SYNC | RV_OPF_WRITE)                                    \
    X(SEM_WAIT, "semaphore wait", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE)                           \
    X(SEM_TIMEDWAIT, "semaphore timed wait", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE | RV_OPF_TIMED) \
    X(SEM_TRYWAIT, "semaphore trywait", RV_OPF_SYNC | RV_OPF_WRITE)                                     \
    X(SEM_POST, "semaphore post", RV_OPF_SYNC | RV_OPF_WRITE)                                           \
    X(SEM_GETVALUE, "semaphore value", RV_OPF_SYNC)                                                     \
    X(BARRIER_WAIT, "barrier wait", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE)                         \
    X(ONCE, "once", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE)                                         \
    X(YIELD, "yield", RV_OPF_SYNC | RV_OPF_YIELD)                                                       \
    X(SLEEP, "sleep", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_TIMED | RV_OPF_YIELD)                        \
    X(FD_READ, "read fd", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE | RV_OPF_IO)                       \
    X(FD_WRITE, "write fd", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE | RV_OPF_IO)                     \
    X(FD_POLL, "poll", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_IO | RV_OPF_TIMED)                          \
    X(FD_ACCEPT, "accept", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE | RV_OPF_IO)                      \
    X(FD_CLOSE, "close", RV_OPF_SYNC | RV_OPF_WRITE | RV_OPF_IO)                                        \
    X(FORK, "fork", RV_OPF_SYNC | RV_OPF_WRITE)                                                         \
    X(FD_OPEN, "open", RV_OPF_SYNC | RV_OPF_WRITE)                                                      \
    X(CHILD_WAIT, "wait for child", RV_OPF_SYNC | RV_OPF_BLOCKS)                                        \
    X(KILL, "send signal", RV_OPF_SYNC | RV_OPF_WRITE)                                                  \
    X(SIGACTION, "set signal handling", RV_OPF_SYNC | RV_OPF_WRITE)                                     \
    X(SIGWAIT, "wait for signal", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE | RV_OPF_TIMED)            \
    X(HANDLER, "signal handler", RV_OPF_SYNC)                                                           \
    X(FUTEX_WAIT, "futex wait", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_TIMED)                             \
    X(FUTEX_WAKE, "futex wake", RV_OPF_SYNC | RV_OPF_WRITE)                                             \
    X(MALLOC, "allocate", RV_OPF_WRITE)                                                                 \
    X(FREE, "free", RV_OPF_MEMORY | RV_OPF_WRITE)                                                       \
    X(REMAP, "change mapping", RV_OPF_MEMORY | RV_OPF_WRITE)                                            \
    X(POINT, "point", RV_OPF_SYNC)                                                                      \
    X(EVENT, "event", RV_OPF_SYNC | RV_OPF_BLOCKS | RV_OPF_WRITE)                                       \
    X(CHOOSE, "choose", 0)

enum rv_op {
#define RV_OP_ENUM(id, text, flags) RV_OP_##id,
    RV_OPS(RV_OP_ENUM)
#undef RV_OP_ENUM
        RV_OP_COUNT
};

extern const char *const rv_op_names[RV_OP_COUNT];
extern const uint16_t rv_op_flags[RV_OP_COUNT];

/* The operation with this text, or RV_OP_COUNT if there is none. For readers of text files. */
enum rv_op rv_op_from_name(const char *name);

#endif
