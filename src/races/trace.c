#include "races/trace.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

enum thread_state { UNKNOWN, CREATED };

struct checker {
    uint8_t threads[RV_TRACE_THREADS]; /* enum thread_state */
    uint64_t touched;
};

static void *copy_of(const void *from, uint64_t count, size_t size) {
    void *to = rv_text_alloc(count, size);
    if (count) memcpy(to, from, count * size);
    return to;
}

struct rv_trace rv_trace_copy(const struct rv_module *modules, uint64_t module_count,
                              const struct rv_record *records, uint64_t record_count,
                              const struct rv_stack_node *nodes, uint64_t node_count, bool cut) {
    if (module_count > RV_MAX_MODULES) module_count = RV_MAX_MODULES;
    if (node_count > RV_MAX_STACK_NODES) node_count = RV_MAX_STACK_NODES;
    if (record_count > RV_MAX_RECORDS) record_count = RV_MAX_RECORDS, cut = true;
    struct rv_trace trace = {.modules = copy_of(modules, module_count, sizeof *modules),
                             .module_count = (unsigned)module_count,
                             .records = copy_of(records, record_count, sizeof *records),
                             .record_count = (uint32_t)record_count,
                             .nodes = copy_of(nodes, node_count, sizeof *nodes),
                             .node_count = (uint32_t)node_count,
                             .cut = cut};
    rv_trace_check(&trace);
    return trace;
}

/* NULL: a thread that is there. */
static const char *check_thread(const struct checker *checker, uint64_t thread) {
    if (thread >= RV_TRACE_THREADS) return "of a thread whose number is too big";
    return checker->threads[thread] == CREATED ? NULL : "of a thread that nobody created";
}

static const char *check_range(const struct rv_step *step, uint64_t most) {
    if (step->size > most) return "of more bytes than can be looked at";
    return step->size && step->address + (step->size - 1) < step->address
               ? "of memory past the end of all addresses"
               : NULL;
}

static const char *check_create(struct checker *checker, uint64_t child) {
    if (child >= RV_TRACE_THREADS) return "the creation of a thread whose number is too big";
    if (checker->threads[child] != UNKNOWN) return "the creation of a thread that is there already";
    checker->threads[child] = CREATED;
    return NULL;
}

/* What is wrong with the step; NULL: nothing. */
static const char *check_step(struct checker *checker, const struct rv_step *step) {
    if (step->kind >= RV_STEP_KINDS) return "of no kind that there is";
    if (step->order > RV_ORDER_SEQ_CST) return "of no memory order that there is";
    const char *wrong = check_thread(checker, step->thread);
    if (wrong) return wrong;
    switch (step->kind) {
    case RV_STEP_CREATE: return check_create(checker, step->address);
    case RV_STEP_JOIN: return check_thread(checker, step->address);
    case RV_STEP_BARRIER:
        return step->size >= 1 && step->size <= RV_TRACE_THREADS ? NULL : "a barrier of a strange size";
    case RV_STEP_FREE:
    case RV_STEP_ALLOC:
    case RV_STEP_START:
    case RV_STEP_BENIGN: return check_range(step, RV_TRACE_RANGE);
    default: break;
    }
    if (!rv_step_is_access(step->kind)) return NULL;
    if (!step->size) return "an access to no bytes";
    checker->touched += step->size;
    if (checker->touched > RV_TRACE_TOUCHED) return "more accesses than can be looked at";
    return check_range(step, RV_TRACE_ACCESS);
}

/* Nodes from the first bad one on go. */
static void check_nodes(struct rv_trace *trace) {
    if (!trace->node_count) {
        trace->nodes = rv_text_realloc(trace->nodes, 1, sizeof *trace->nodes);
        trace->node_count = 1;
    }
    trace->nodes[0] = (struct rv_stack_node){0};
    uint32_t good = 1;
    while (good < trace->node_count && trace->nodes[good].parent < good) good++;
    if (good < trace->node_count)
        rv_text_set(&trace->problem,
                    rv_text_format("of %u stack nodes, those from %u on are damaged and left out",
                                   trace->node_count, good));
    trace->node_count = good;
}

void rv_trace_check(struct rv_trace *trace) {
    struct checker *checker = rv_text_alloc(1, sizeof *checker);
    const char *wrong = NULL;
    uint32_t good = 0, stackless = 0;
    checker->threads[0] = CREATED;
    check_nodes(trace);
    for (; good < trace->record_count; good++) {
        struct rv_record *record = &trace->records[good];
        wrong = check_step(checker, &record->step);
        if (wrong) break;
        if (record->stack >= trace->node_count) record->stack = 0, stackless++;
    }
    if (wrong)
        rv_text_set(&trace->problem, rv_text_format("of %u records, those from %u on are left out: it is %s",
                                                    trace->record_count, good, wrong));
    else if (stackless && !trace->problem)
        trace->problem = rv_text_format("%u records have stacks that are not there", stackless);
    trace->record_count = good;
    free(checker);
}

void rv_trace_free(struct rv_trace *trace) {
    free(trace->modules);
    free(trace->records);
    free(trace->nodes);
    free(trace->problem);
    *trace = (struct rv_trace){0};
}

unsigned rv_trace_stack(const struct rv_trace *trace, uint32_t record, rv_code *frames, unsigned max) {
    unsigned count = 0;
    for (uint32_t node = trace->records[record].stack; node && count < max; node = trace->nodes[node].parent)
        frames[count++] = trace->nodes[node].code;
    return count;
}

rv_code rv_trace_outermost(const struct rv_trace *trace, uint32_t record) {
    uint32_t node = trace->records[record].stack;
    while (node && trace->nodes[node].parent) node = trace->nodes[node].parent;
    return node ? trace->nodes[node].code : 0;
}
