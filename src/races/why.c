/* Why two accesses race: only what is certainly true of the recorded execution. First what the pair is, or which locks were
 * held; then, if the second thread read from an atomic that the first one wrote in between, that this would have
 * ordered them with stronger memory orders. */
#include "races/describe_private.h"

#include <stdlib.h>

#include "report/printer.h"
#include "report/stacks.h"
#include "report/text.h"

enum { LOOK_BACK = 1 << 16, ATOMICS_MAX = 64 };

/* --- locks --- */

/* "holds a.lock", "holds a.lock and b.lock", "holds no lock". */
static void add_locks(struct rv_text *text, struct rv_describer *describer, uint32_t record,
                      const struct rv_side_locks *locks) {
    rv_text_addf(text, "thread %u holds ", describer->trace->records[record].step.thread);
    if (!locks->count) rv_text_add(text, "no lock");
    for (uint32_t i = 0; i < locks->count && i < 4; i++) {
        const struct rv_lock *lock = &locks->holds[i].lock;
        char *name = rv_names_memory(describer, lock->address, 0, record);
        if (i) rv_text_add(text, i + 1 == locks->count ? " and " : ", ");
        rv_text_addf(text, "%s%s", name, lock->shared ? " (shared)" : "");
        free(name);
    }
    if (locks->count > 4) rv_text_addf(text, ", and %u more", locks->count - 4);
}

static const struct rv_lock *find_lock(const struct rv_side_locks *locks, uint64_t address) {
    for (uint32_t i = 0; i < locks->count; i++)
        if (locks->holds[i].lock.address == address) return &locks->holds[i].lock;
    return NULL;
}

/* A lock that both hold; *exclusive: not both for reading only. NULL: none. */
static const struct rv_lock *common_lock(const struct rv_side_locks locks[2], bool *exclusive) {
    const struct rv_lock *found = NULL;
    *exclusive = false;
    for (uint32_t i = 0; i < locks[0].count; i++) {
        const struct rv_lock *mine = &locks[0].holds[i].lock, *other = find_lock(&locks[1], mine->address);
        if (!other) continue;
        found = mine;
        *exclusive = *exclusive || !mine->shared || !other->shared;
    }
    return found;
}

static void add_reason_of_locks(struct rv_text *text, struct rv_describer *describer, uint32_t first,
                                uint32_t second, bool happened, const struct rv_side_locks locks[2]) {
    const char *order = happened ? "nothing orders the two accesses"
                                 : "nothing but who comes first to a lock orders the two accesses";
    bool exclusive;
    const struct rv_lock *common = common_lock(locks, &exclusive);
    if (exclusive) { /* of another life, or held by a thread that was over */
        rv_text_add(text, order);
    } else if (common) {
        char *name = rv_names_memory(describer, common->address, 0, second);
        rv_text_addf(text, "both hold %s, but only shared, and shared (read) locks do not exclude each other",
                     name);
        free(name);
    } else if (!locks[0].count && !locks[1].count) {
        rv_text_addf(text, "neither thread holds a lock, and %s", order);
    } else {
        add_locks(text, describer, first, &locks[0]);
        rv_text_add(text, ", ");
        add_locks(text, describer, second, &locks[1]);
        rv_text_addf(text, ": no lock in common, and %s", order);
    }
}

/* --- what the accesses are --- */

static bool add_reason_of_kinds(struct rv_text *text, const struct rv_step *a, const struct rv_step *b) {
    if (a->kind == RV_STEP_FREE && b->kind == RV_STEP_FREE)
        rv_text_add(text, "two threads free the same memory, and nothing orders them");
    else if (a->kind == RV_STEP_FREE || b->kind == RV_STEP_FREE)
        rv_text_add(text, "the memory is freed by one thread while the other still uses it");
    else if (rv_step_is_atomic(a->kind) != rv_step_is_atomic(b->kind))
        rv_text_addf(
            text,
            "only the access of thread %u is atomic: that does not protect from the plain one of thread %u",
            rv_step_is_atomic(a->kind) ? a->thread : b->thread,
            rv_step_is_atomic(a->kind) ? b->thread : a->thread);
    else
        return false;
    return true;
}

/* --- atomics in between --- */

/* Atomics that the first thread wrote after its access, and whose value is still its own or was built on it. */
struct published {
    uint64_t address;
    uint32_t written; /* record: a write that released, if one did */
    bool released;
};

/* The write and the read through which the first thread's access would have been known to the second's, had their orders been
 * strong enough. */
struct weak {
    uint32_t write, read; /* records */
    bool store, load;     /* whose order is not enough */
};

static struct published *find_published(struct published *list, uint32_t count, uint64_t address) {
    for (uint32_t i = 0; i < count; i++)
        if (list[i].address == address) return &list[i];
    return NULL;
}

/* Between the read and the second access: then the read's own order does not matter. */
static bool is_fenced(const struct rv_trace *trace, uint32_t read, uint32_t second) {
    for (uint32_t i = read + 1; i < second; i++) {
        const struct rv_step *step = &trace->records[i].step;
        if (step->kind == RV_STEP_FENCE && step->thread == trace->records[second].step.thread &&
            rv_order_acquires(step->order))
            return true;
    }
    return false;
}

/* False: none among the last records. */
static bool find_weak(const struct rv_trace *trace, uint32_t first, uint32_t second, struct weak *weak) {
    uint32_t writer = trace->records[first].step.thread, reader = trace->records[second].step.thread;
    struct published list[ATOMICS_MAX];
    uint32_t count = 0, from = second - first > LOOK_BACK ? second - LOOK_BACK : first + 1;
    bool fenced = false;
    for (uint32_t i = from; i < second; i++) {
        const struct rv_step *step = &trace->records[i].step;
        if (step->kind == RV_STEP_FENCE && step->thread == writer && rv_order_releases(step->order))
            fenced = true;
        if (!rv_step_is_atomic(step->kind)) continue;
        struct published *known = find_published(list, count, step->address);
        if (known && step->thread == reader && step->kind != RV_STEP_ATOMIC_WRITE) {
            *weak = (struct weak){known->written, i, !known->released,
                                  !rv_order_acquires(step->order) && !is_fenced(trace, i, second)};
            if (weak->store || weak->load) return true;
        }
        if (step->kind == RV_STEP_ATOMIC_READ) continue;
        if (step->thread == writer) {
            bool released = fenced || rv_order_releases(step->order);
            if (!known && count < ATOMICS_MAX)
                *(known = &list[count++]) = (struct published){step->address, i, released};
            if (known && !known->released) *known = (struct published){step->address, i, released};
        } else if (known && step->kind == RV_STEP_ATOMIC_WRITE) {
            *known = list[--count]; /* it ends what the first thread's write had begun */
        }
    }
    return false;
}

static void add_place(struct rv_text *text, struct rv_describer *describer, uint32_t record) {
    struct rv_location at;
    rv_locate_own(describer->symbols, describer->trace->records[record].step.site, &at);
    if (at.line) rv_text_addf(text, " (%s:%u)", rv_base_name(at.file), at.line);
    rv_location_free(&at);
}

static const char *order_name(unsigned order) {
    static const char *const names[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    return order <= RV_ORDER_SEQ_CST ? names[order] : "unknown";
}

static void add_weak_atomic(struct rv_text *text, struct rv_describer *describer, uint32_t first,
                            uint32_t second) {
    const struct rv_record *records = describer->trace->records;
    struct weak weak;
    if (!find_weak(describer->trace, first, second, &weak)) return;
    const struct rv_step *of = &records[weak.store ? weak.write : weak.read].step;
    char *name = rv_names_memory(describer, of->address, (unsigned)of->size, weak.read);
    rv_text_addf(text, "; the atomic %s %s", weak.store ? "store to" : "load of", name);
    add_place(text, describer, weak.store ? weak.write : weak.read);
    rv_text_addf(text, " is %s and orders nothing: it must be %s", order_name(of->order),
                 !weak.store ? "acquire"
                 : weak.load ? "release, and the load acquire"
                             : "release");
    free(name);
}

char *rv_why(struct rv_describer *describer, uint32_t first, uint32_t second, bool happened,
             const struct rv_side_locks locks[2]) {
    const struct rv_record *records = describer->trace->records;
    struct rv_text text = {0};
    if (!add_reason_of_kinds(&text, &records[first].step, &records[second].step))
        add_reason_of_locks(&text, describer, first, second, happened, locks);
    add_weak_atomic(&text, describer, first, second);
    return rv_text_take(&text);
}
