/* The kinds of failure, as the command-line contract names them. RV_KIND_NONE: the execution was fine. */
#ifndef RV_BASE_KIND_H
#define RV_BASE_KIND_H

/*      enum name         text */
#define RV_KINDS(X)                         \
    X(NONE, "none")                         \
    X(ASSERT, "assert")                     \
    X(ABORT, "abort")                       \
    X(SEGV, "segv")                         \
    X(FPE, "fpe")                           \
    X(BUS, "bus")                           \
    X(ILL, "ill")                           \
    X(TRAP, "trap")                         \
    X(SYS, "sys")                           \
    X(SIGNAL, "signal")                     \
    X(EXIT, "exit")                         \
    X(DEADLOCK, "deadlock")                 \
    X(HANG, "hang")                         \
    X(USE_AFTER_FREE, "use-after-free")     \
    X(DOUBLE_FREE, "double-free")           \
    X(HEAP_OVERFLOW, "heap-overflow")       \
    X(USE_AFTER_RETURN, "use-after-return") \
    X(MISUSE, "misuse")                     \
    X(RACE, "race")                         \
    X(UNCAUGHT, "uncaught")                 \
    X(SCHEDULE, "schedule")                 \
    X(NONLINEARIZABLE, "nonlinearizable")

enum rv_kind {
#define RV_KIND_ENUM(id, text) RV_KIND_##id,
    RV_KINDS(RV_KIND_ENUM)
#undef RV_KIND_ENUM
        RV_KIND_COUNT
};

extern const char *const rv_kind_names[RV_KIND_COUNT];

/* The kind with this text, or RV_KIND_COUNT if there is none. */
enum rv_kind rv_kind_from_name(const char *name);
/* The kind of a death by this signal. */
enum rv_kind rv_kind_of_signal(int number);

#endif
