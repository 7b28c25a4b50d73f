#include "runtime/parts.h"

#include <linux/futex.h>
#include <time.h>

#include "runtime/engine.h"
#include "runtime/sys.h"
#include "strategy/part.h"

enum { PATIENCE_NS = 20000000, SAVE_ATTEMPTS = 25 };

static struct rv_exchange *exchange(void) { return &rv.area->exchange; }

static const struct rv_division *division(void) { return rv_engine.strategy->division; }

/* Until the word is not `value`, or for a moment: whoever waits looks at more than one thing. */
static void wait_for(uint32_t *word, uint32_t value) {
    struct timespec moment = {.tv_nsec = PATIENCE_NS};
    (void)rv_sys_futex(word, FUTEX_WAIT, value, &moment);
}

static bool is_full(const struct rv_post *post) { return __atomic_load_n(&post->full, __ATOMIC_ACQUIRE); }

static void post(enum rv_message kind, size_t size) {
    struct rv_post *out = &exchange()->out;
    out->kind = kind;
    out->size = size;
    __atomic_store_n(&out->full, 1, __ATOMIC_RELEASE);
    __atomic_add_fetch(&rv.shared->doorbell, 1, __ATOMIC_RELEASE);
    (void)rv_sys_futex(&rv.shared->doorbell, FUTEX_WAKE, INT32_MAX, NULL);
}

/* What others have learned about conflicts since the last time: the same tree for all. */
static void unite_knowledge(void) {
    static uint64_t seen[256];
    for (uint32_t i = 0; i < rv.config->workers && i < 256; i++) {
        const struct rv_area *other = rv_area_of(rv.shared, i);
        uint64_t knowledge = __atomic_load_n(&other->control.knowledge, __ATOMIC_ACQUIRE);
        if (other == rv.area || knowledge == seen[i]) continue;
        rv_sites_unite(other);
        seen[i] = knowledge;
    }
}

void rv_parts_hand_in(void) {
    struct rv_exchange *x = exchange();
    while (is_full(&x->out)) wait_for(&x->out.full, 1);
    size_t size = division()->hand_in(rv_engine.state, x->out_data, sizeof x->out_data);
    x->busy = 0;
    post(RV_MESSAGE_HAND_IN, size);
}

static uint64_t size_at(const char *data, uint64_t room) {
    struct rv_part header;
    if (room < sizeof header) return 0;
    memcpy(&header, data, sizeof header);
    return header.size >= sizeof header && header.size <= room ? header.size : 0;
}

/* A part, and the results it waited for. */
static bool take_all(const struct rv_post *in, const char *data) {
    uint64_t all = in->size < RV_POST_ROOM ? in->size : RV_POST_ROOM, size = size_at(data, all);
    if (all == 0) return division()->take(rv_engine.state, in->tree, NULL, 0);
    if (!size || !division()->take(rv_engine.state, in->tree, data, size)) return false;
    for (uint64_t at = size; at < all; at += size) {
        size = size_at(data + at, all - at);
        if (!size || !division()->add(rv_engine.state, data + at, size)) return false;
    }
    return true;
}

static void take_part(const struct rv_post *in) {
    struct rv_exchange *x = exchange();
    struct rv_part header = {0};
    unite_knowledge();
    if (in->size >= sizeof header) memcpy(&header, x->in_data, sizeof header);
    if (!take_all(in, x->in_data)) {
        rv_note("a part of the search was damaged: the search is not complete");
        post(RV_MESSAGE_HAND_IN, 0); /* the supervisor knows what that means */
        return;
    }
    x->busy = 1;
    if (header.kind == RV_PART_WAITS && !division()->carry_on(rv_engine.state)) rv_parts_hand_in();
}

enum rv_done rv_parts_find(void) {
    struct rv_exchange *x = exchange();
    struct rv_control *control = &rv.area->control;
    while (!x->busy) {
        if (__atomic_load_n(&rv.shared->stop, __ATOMIC_RELAXED)) return RV_DONE_STOPPED;
        if (!is_full(&x->in)) {
            __atomic_store_n(&control->state, RV_WORKER_WAITING, __ATOMIC_RELEASE);
            if (!x->asked && is_full(&x->out)) {
                wait_for(&x->out.full, 1);
                continue;
            }
            if (!x->asked) post(RV_MESSAGE_IDLE, 0);
            x->asked = 1;
            wait_for(&x->in.full, 0);
            continue;
        }
        enum rv_done why = RV_DONE_NOT;
        x->asked = 0;
        if (x->in.kind == RV_MESSAGE_OVER) {
            why = (enum rv_done)x->in.what;
        } else if (x->in.kind == RV_MESSAGE_PART) {
            while (is_full(&x->out)) wait_for(&x->out.full, 1);
            take_part(&x->in);
        } else {
            unite_knowledge();
            if (division()->judge(rv_engine.state, x->in.tree, x->in.what))
                x->busy = 1;
            else
                why = rv_strategy_complete(rv_engine.strategy, rv_engine.state) ? RV_DONE_COMPLETE
                                                                                : RV_DONE_BUDGET;
        }
        __atomic_store_n(&x->in.full, 0, __ATOMIC_RELEASE);
        if (why != RV_DONE_NOT) return why;
    }
    __atomic_store_n(&control->state, RV_WORKER_BETWEEN, __ATOMIC_RELEASE);
    return RV_DONE_NOT;
}

void rv_parts_share(void) {
    struct rv_exchange *x = exchange();
    if (!__atomic_load_n(&x->wanted, __ATOMIC_RELAXED) || is_full(&x->out)) return;
    size_t size = division()->split(rv_engine.state, x->out_data, sizeof x->out_data);
    if (!size) return;
    __atomic_store_n(&x->wanted, 0, __ATOMIC_RELAXED);
    post(RV_MESSAGE_SPLIT, size);
}

void rv_parts_resume(void) {
    struct rv_exchange *x = exchange();
    if (!is_full(&x->in)) return;
    uint64_t size = x->in.size < sizeof x->in_data ? x->in.size : sizeof x->in_data;
    if (!division() || !division()->take(rv_engine.state, 0, x->in_data, size))
        rv_unusable("the search that was saved is damaged (without --resume it begins anew)");
    x->in.full = 0;
}

void rv_parts_save(void) {
    struct rv_exchange *x = exchange();
    if (!division() || (rv.config->divided && !x->busy)) return;
    for (unsigned i = 0; is_full(&x->out) && i < SAVE_ATTEMPTS; i++) wait_for(&x->out.full, 1);
    if (is_full(&x->out)) return;
    size_t size = division()->freeze(rv_engine.state, x->out_data, sizeof x->out_data);
    if (size <= sizeof x->out_data) post(RV_MESSAGE_SAVED, size);
}
