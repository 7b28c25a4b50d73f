/* What the writer and the reader of traces (trace_file.h) share: the bounds. */
#ifndef RV_REPORT_TRACE_FORMAT_H
#define RV_REPORT_TRACE_FORMAT_H

#include "report/trace_file.h"

struct rv_trace_bounds {
    uint64_t address; /* the greatest */
    uint64_t least, most;
    bool memory; /* address + size must not wrap */
};

static inline struct rv_trace_bounds rv_trace_bounds(unsigned kind) {
    if (kind < RV_STEP_FREE) return (struct rv_trace_bounds){UINT64_MAX, 1, RV_TRACE_FILE_ACCESS, true};
    if (kind == RV_STEP_FREE || kind == RV_STEP_ALLOC || kind == RV_STEP_START)
        return (struct rv_trace_bounds){UINT64_MAX, 0, RV_TRACE_MEMORY, true};
    if (kind == RV_STEP_CREATE || kind == RV_STEP_JOIN)
        return (struct rv_trace_bounds){RV_TRACE_FILE_THREADS - 1, 0, RV_TRACE_MEMORY, false};
    uint64_t most = kind == RV_STEP_BARRIER ? RV_TRACE_FILE_THREADS : RV_TRACE_MEMORY;
    return (struct rv_trace_bounds){UINT64_MAX, 0, most, false};
}

static inline bool rv_trace_wraps(uint64_t address, uint64_t size) {
    return size && address > UINT64_MAX - (size - 1);
}

static inline bool rv_trace_code_fits(uint64_t code) {
    return code == RV_CODE_UNKNOWN || rv_code_module(code) < RV_MAX_MODULES;
}

#endif
