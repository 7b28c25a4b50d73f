#include "linear_types.h"

#include <string.h>

static enum rv_outcome_end register_apply(struct state *state, uint32_t method, uint8_t argument,
                                          uint8_t *result) {
    *result = state->values[0];
    if (method == 0) return RV_OUTCOME_RETURNED; /* read */
    if (method == 1) *result = 0;                /* write */
    if (method == 3) {                           /* compare with 0, and write */
        *result = state->values[0] == 0;
        if (!*result) return RV_OUTCOME_RETURNED;
    }
    state->values[0] = argument; /* method 2: exchange */
    return RV_OUTCOME_RETURNED;
}

static uint8_t remove_at(struct state *state, uint32_t i) {
    uint8_t value = state->values[i];
    memmove(state->values + i, state->values + i + 1, STATE_ROOM - 1 - i);
    state->values[STATE_ROOM - 1] = 0;
    state->size--;
    return value;
}

/* Add (waits while there are three), take (waits while empty), take if there is something, take what must be there. */
static enum rv_outcome_end container_apply(struct state *state, uint32_t method, uint8_t argument,
                                           uint8_t *result, bool last_first) {
    *result = 0;
    if (method == 0) {
        if (state->size == 3) return RV_OUTCOME_BLOCKED;
        state->values[state->size++] = argument;
    } else if (state->size > 0) {
        *result = remove_at(state, last_first ? state->size - 1u : 0);
    } else {
        if (method == 1) return RV_OUTCOME_BLOCKED;
        if (method == 3) return RV_OUTCOME_FAILED;
    }
    return RV_OUTCOME_RETURNED;
}

static enum rv_outcome_end queue_apply(struct state *state, uint32_t method, uint8_t argument,
                                       uint8_t *result) {
    return container_apply(state, method, argument, result, false);
}

static enum rv_outcome_end stack_apply(struct state *state, uint32_t method, uint8_t argument,
                                       uint8_t *result) {
    return container_apply(state, method, argument, result, true);
}

static enum rv_outcome_end set_apply(struct state *state, uint32_t method, uint8_t argument,
                                     uint8_t *result) {
    uint8_t *member = &state->values[argument % STATE_ROOM];
    *result = *member;
    if (method == 0 && !*member) *member = 1, state->size++; /* add */
    if (method == 1 && *member) *member = 0, state->size--;  /* remove */
    if (method == 3) *result = state->size;                  /* size; method 2: contains */
    return RV_OUTCOME_RETURNED;
}

static enum rv_outcome_end counter_apply(struct state *state, uint32_t method, uint8_t argument,
                                         uint8_t *result) {
    *result = 0;
    if (method == 0) *result = state->values[0]++;                             /* next */
    if (method == 1) *result = state->values[0];                               /* value */
    if (method == 2 && state->values[0] < argument) return RV_OUTCOME_BLOCKED; /* await */
    if (method == 3) state->values[0]++;                                       /* count */
    return RV_OUTCOME_RETURNED;
}

const struct abstract_type abstract_types[TYPES] = {{"register", register_apply},
                                                    {"queue", queue_apply},
                                                    {"set", set_apply},
                                                    {"counter", counter_apply},
                                                    {"stack", stack_apply}};

static uint64_t state_number(const struct state *state) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < STATE_ROOM; i++) number = number * 8 + state->values[i];
    return number * 8 + state->size + 1;
}

uint32_t replay_order(void *user, const uint32_t *order, uint32_t count, struct rv_answer *outcomes) {
    struct replaying *replaying = user;
    struct state state = {0};
    uint32_t run = replaying->runs++, i = 0;
    if (replaying->answers_until && run >= replaying->answers_until) return 0;
    while (i < count) {
        const struct rv_call *call = &replaying->test->calls[order[i]];
        uint8_t *result = &replaying->results[i];
        struct rv_answer *outcome = &outcomes[i++];
        outcome->end = replaying->type->apply(&state, call->method, call->arguments.data[0], result);
        if (replaying->lies_from && run >= replaying->lies_from) *result ^= 1;
        outcome->result = (struct rv_bytes){result, 1};
        outcome->state = replaying->tells_states ? state_number(&state) : 0;
        if (outcome->end != RV_OUTCOME_RETURNED) break;
    }
    return i;
}

struct force {
    const struct abstract_type *type;
    const struct rv_history *history;
    bool explained, explained_but_waiting, through, fails;
};

/* All calls that returned are in the sequence, and the state is that after it. */
static void judge_end(struct force *force, struct state state, bool as_seen) {
    const struct rv_history *history = force->history;
    uint8_t result;
    force->through = true;
    if (!as_seen) return;
    for (uint32_t i = 0; history->stuck && i < history->count; i++) {
        const struct rv_call *call = &history->calls[i];
        if (call->state != RV_CALL_PENDING) continue;
        enum rv_outcome_end end = force->type->apply(&state, call->method, call->arguments.data[0], &result);
        if (end == RV_OUTCOME_BLOCKED) continue;
        if (end == RV_OUTCOME_RETURNED) force->explained_but_waiting = true;
        if (end == RV_OUTCOME_FAILED) force->fails = true;
        return;
    }
    force->explained = true;
}

static void extend(struct force *force, uint64_t done, struct state state, bool as_seen) {
    const struct rv_history *history = force->history;
    bool all = true;
    for (uint32_t i = 0; i < history->count; i++)
        all &= history->calls[i].state != RV_CALL_RETURNED || (done >> i & 1);
    if (all) judge_end(force, state, as_seen);
    for (uint32_t i = 0; i < history->count; i++) {
        const struct rv_call *call = &history->calls[i];
        if ((done >> i & 1) || call->state == RV_CALL_ABSENT ||
            (call->state == RV_CALL_PENDING && history->stuck))
            continue;
        bool allowed = true; /* nothing that is still missing comes before it */
        for (uint32_t j = 0; j < history->count; j++)
            allowed &= (done >> j & 1) || j == i || history->calls[j].state == RV_CALL_ABSENT ||
                       !rv_history_precedes(history, j, i);
        if (!allowed) continue;
        struct state next = state;
        uint8_t result;
        enum rv_outcome_end end = force->type->apply(&next, call->method, call->arguments.data[0], &result);
        force->fails |= end == RV_OUTCOME_FAILED;
        if (end != RV_OUTCOME_RETURNED) continue;
        extend(force, done | 1ull << i, next,
               as_seen && (call->state == RV_CALL_PENDING || call->result.data[0] == result));
    }
}

enum rv_linear_kind verdict_by_force(const struct abstract_type *type, const struct rv_history *history) {
    struct force force = {.type = type, .history = history};
    extend(&force, 0, (struct state){0}, true);
    if (force.explained) return RV_LINEAR_YES;
    if (force.explained_but_waiting) return RV_LINEAR_DEADLOCK;
    if (force.fails) return RV_LINEAR_MISUSE;
    return force.through ? RV_LINEAR_NO : RV_LINEAR_UNSPECIFIED;
}
