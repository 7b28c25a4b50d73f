#include "supervisor/share.h"

#include <stdlib.h>
#include <string.h>

#include "strategy/strategy.h"

static struct rv_area *area_of(const struct rv_explorer *explorer, const struct rv_seat *seat) {
    return rv_area_of(explorer->channel.shared, seat->worker.index);
}

static bool is_divided(const struct rv_explorer *explorer) {
    return explorer->channel.shared->config.divided;
}

static void keep(struct rv_seat *seat, const void *data, size_t size) {
    free(seat->saved.bytes);
    seat->saved = (struct rv_pool_data){.bytes = rv_copy(data, size), .size = size};
}

void rv_share_read(struct rv_explorer *explorer, struct rv_seat *seat) {
    struct rv_exchange *x = &area_of(explorer, seat)->exchange;
    struct rv_pool *pool = &explorer->pool;
    unsigned worker = seat->worker.index;
    if (!rv_load32(&x->out.full)) return;
    uint64_t size = rv_load64(&x->out.size);
    if (size > sizeof x->out_data) size = 0;
    switch (x->out.kind) {
    case RV_MESSAGE_IDLE: seat->idle = true; break;
    case RV_MESSAGE_SPLIT: rv_pool_split(pool, worker, x->out_data, size); break;
    case RV_MESSAGE_HAND_IN: rv_pool_hand_in(pool, worker, x->out_data, size); break;
    case RV_MESSAGE_SAVED: keep(seat, x->out_data, size); break;
    default: break;
    }
    __atomic_store_n(&x->out.full, 0, __ATOMIC_RELEASE);
    rv_wake_word(&x->out.full);
}

void rv_share_ended(struct rv_explorer *explorer, struct rv_seat *seat) {
    if (!is_divided(explorer)) return;
    seat->idle = false;
    if (seat->done == RV_DONE_COMPLETE && !explorer->verdict) explorer->verdict = RV_DONE_COMPLETE;
    if (seat->state == RV_SEAT_PAUSED) return; /* its part is in its area */
    if (seat->saved.bytes)
        rv_pool_put_back(&explorer->pool, seat->worker.index, seat->saved.bytes, seat->saved.size);
    else
        rv_pool_lose(&explorer->pool, seat->worker.index);
}

static void send(struct rv_explorer *explorer, struct rv_seat *seat, enum rv_message kind, uint32_t what,
                 struct rv_pool_data data) {
    struct rv_exchange *x = &area_of(explorer, seat)->exchange;
    x->in.kind = kind;
    x->in.tree = explorer->pool.tree;
    x->in.what = what;
    x->in.size = data.size;
    if (data.size) memcpy(x->in_data, data.bytes, data.size);
    seat->idle = false;
    __atomic_store_n(&x->in.full, 1, __ATOMIC_RELEASE);
    rv_wake_word(&x->in.full);
}

static void send_part(struct rv_explorer *explorer, struct rv_seat *seat, struct rv_pool_part *part) {
    struct rv_pool_data data = rv_pool_deliver(part);
    if (data.size <= RV_POST_ROOM) {
        send(explorer, seat, RV_MESSAGE_PART, 0, data);
    } else { /* it cannot be carried on */
        rv_pool_lose(&explorer->pool, seat->worker.index);
    }
    free(data.bytes);
}

static void note_places(struct rv_places *places, const struct rv_area *area) {
    uint32_t count = rv_load32(&area->module_count);
    places->count = count < RV_MAX_MODULES ? count : RV_MAX_MODULES;
    places->main_stack = area->exchange.main_stack;
    for (uint32_t i = 0; i < places->count; i++) places->bases[i] = area->modules[i].base;
}

/* The first one to ask decides what the addresses are, or the search that is carried on. */
static bool fits_in(struct rv_explorer *explorer, struct rv_seat *seat) {
    struct rv_places here = {0};
    if (seat->placed) return true;
    note_places(&here, area_of(explorer, seat));
    if (!explorer->places.count) explorer->places = here;
    seat->placed = memcmp(&here, &explorer->places, sizeof here) == 0;
    return seat->placed;
}

static bool is_busy(const struct rv_seat *seat) {
    return seat->state == RV_SEAT_PAUSED || (seat->state == RV_SEAT_RUNNING && !seat->idle);
}

/* What somebody who has nothing gets; false: nothing. */
static bool serve(struct rv_explorer *explorer, struct rv_seat *seat, bool others_busy) {
    struct rv_pool *pool = &explorer->pool;
    unsigned worker = seat->worker.index;
    if (!fits_in(explorer, seat)) {
        explorer->elsewhere = seat->useless = true;
        send(explorer, seat, RV_MESSAGE_OVER, RV_DONE_STOPPED, (struct rv_pool_data){0});
        return true;
    }
    struct rv_pool_part *part = explorer->verdict ? NULL : rv_pool_next(pool, worker);
    if (part) {
        send_part(explorer, seat, part);
    } else if (pool->count == 0 && !explorer->verdict) {
        uint32_t flags = rv_pool_judge(pool, worker);
        send(explorer, seat, RV_MESSAGE_JUDGE, flags, (struct rv_pool_data){0});
    } else if (!others_busy) { /* nobody is there who could finish what is left */
        enum rv_done why = explorer->verdict ? explorer->verdict : RV_DONE_BUDGET;
        send(explorer, seat, RV_MESSAGE_OVER, why, (struct rv_pool_data){0});
    } else {
        return false;
    }
    return true;
}

void rv_share_deal(struct rv_explorer *explorer) {
    if (!is_divided(explorer)) return;
    bool hungry = false;
    for (unsigned i = 0; i < explorer->count; i++) {
        struct rv_seat *seat = &explorer->seats[i];
        bool others_busy = false;
        for (unsigned k = 0; k < explorer->count; k++) others_busy |= k != i && is_busy(&explorer->seats[k]);
        if (seat->state == RV_SEAT_RUNNING && seat->idle) hungry |= !serve(explorer, seat, others_busy);
    }
    for (unsigned i = 0; i < explorer->count; i++)
        __atomic_store_n(&area_of(explorer, &explorer->seats[i])->exchange.wanted, hungry, __ATOMIC_RELAXED);
}
