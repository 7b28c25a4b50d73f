/* Greybox sampling with reads-from feedback.
 *
 * Wolff, Shi, Duck, Mathur, Roychoudhury: Greybox Fuzzing for Concurrency Testing, ASPLOS 2024; the pairs and their
 * statements are those of Wang, Said, Gupta: Coverage Guided Systematic Concurrency Testing, ICSE 2011 (HaPSet).
 * What matters about an execution is which write each read reads from, and which lock came after which. Among a hundred
 * threads with the same code there are few such pairs of statements, however many interleavings there are. An
 * execution that shows a new pair is kept, as the set of constraints that it was made with; new executions are made from
 * kept ones by asking for one more pair, or for one less, or against one (rf_corpus.c).
 *
 * This file is the scheduler: partial order sampling (pos.c) that holds back whom the constraints speak against.
 * For "to comes right after from":
 *   - a thread about to do `to` waits while it would come after something else,
 *   - a thread about to do what would come between (a rival) waits while `to` would come after `from`. If `from` is
 *     nobody, that is from the beginning: all rivals wait until `to` is done.
 *   Once it has happened in an execution, the constraint is done with.
 * For "to does not come right after from": a thread about to do `to` waits while it would.
 * All of this is a preference: if nobody else can go on, one of those held back does; and when more picks than an
 * execution usually has were spent on holding back, nobody is held back any longer (a polling loop would wait for ever).
 * Some executions have no constraints. They are plain pos: so no schedule is excluded.
 *
 * Deviations from the paper: statements are sites, without the variable; pairs never seen are asked for, too, if
 * their statements have met in the other order; locks and other synchronisation count, unlocking does not (it is always
 * the locker's). Objects are told apart by their first byte, in a table of RF_OBJECTS entries that forgets.
 *
 * Measured with bench/hapset, median of the executions to the first failure over 20 seeds, 100 threads, at most 10,000:
 *
 *                 rf    random    pct:3
 *     setters      6         -        -
 *     twostage     5         -    6,513
 *
 * aba_stack_deep, 5 seeds, at most 1,000,000: rf 262,336 (all found it), surw 1 of 5 seeds, random 2, pct:3 none.
 */
#include <assert.h>

#include "strategy/rf.h"

enum { PATIENCE = 1024 }; /* picks with somebody held back that every execution may have */

/* The statement of a thread's pending operation, looked up once. */
struct rf_thread {
    uint64_t step;       /* 1 + the step of the thread for which it was looked up; 0: none */
    uint32_t statement;  /* RF_NOBODY: the operation takes no part */
    uint32_t generation; /* execution in which this entry was set: others are stale */
};

static void *rf_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct rf_state *state = rv_arena_alloc(arena, sizeof *state);
    if (!state) return NULL;
    state->pos.arena = arena;
    state->pos.seed = config->seed;
    return state;
}

/* ---- objects and statements */

static inline uint64_t key_of(const struct rv_operation *operation) {
    return operation->flags & RV_OPF_IO ? ~operation->object : operation->object;
}

/* Whether the operation has an order with others that could be different. */
static bool takes_part(const struct rv_operation *operation) {
    switch (operation->op) {
    case RV_OP_START:
    case RV_OP_EXIT:
    case RV_OP_CREATE:
    case RV_OP_JOIN:
    case RV_OP_DETACH:
    case RV_OP_UNLOCK:
    case RV_OP_RWUNLOCK:
    case RV_OP_SPINUNLOCK:
    case RV_OP_MALLOC: return false;
    default: return operation->object != 0;
    }
}

static struct rf_object *object_slot(struct rf_state *state, uint64_t key) {
    return &state->objects[(key * 0x9e3779b97f4a7c15u >> 32) % RF_OBJECTS];
}

/* The object as this execution knows it, or NULL: nobody has touched it. */
static struct rf_object *object_of(struct rf_state *state, const struct rv_operation *operation) {
    uint64_t key = key_of(operation);
    struct rf_object *object = object_slot(state, key);
    return object->generation == state->pos.generation && object->key == key ? object : NULL;
}

/* The statement that this operation comes right after, or would. */
static uint32_t predecessor(struct rf_state *state, uint32_t thread, const struct rv_operation *operation) {
    const struct rf_object *object = object_of(state, operation);
    if (!object) return RF_NOBODY;
    const struct rf_access *last = operation->flags & RV_OPF_WRITE ? &object->last : &object->last_write;
    return last->site != RF_NOBODY && last->thread == thread ? (uint32_t)RF_SELF : last->site;
}

static uint32_t look_up(const struct rf_state *state, const struct rv_operation *operation) {
    if (!takes_part(operation)) return RF_NOBODY;
    uint32_t number = rv_index_find(&state->sites, operation->site);
    return number == RV_NO_NUMBER ? (uint32_t)RF_NOBODY : number + 1;
}

static uint32_t statement_of(struct rf_state *state, const struct rv_candidate *candidate) {
    uint32_t thread = candidate->thread;
    if (thread >= state->thread_capacity) {
        struct rf_thread *larger =
            rv_grow(state->pos.arena, state->threads, &state->thread_capacity, thread, sizeof *larger);
        if (!larger) return look_up(state, &candidate->next);
        state->threads = larger;
    }
    struct rf_thread *entry = &state->threads[thread];
    if (entry->generation != state->pos.generation || entry->step != candidate->step + 1)
        *entry =
            (struct rf_thread){candidate->step + 1, look_up(state, &candidate->next), state->pos.generation};
    return entry->statement;
}

/* ---- constraints */

/* A rival may not come between when `to` would come right after what is asked for. */
static bool would_come_between(struct rf_state *state, const struct rf_constraint *constraint,
                               const struct rv_operation *next) {
    if (constraint->from == RF_NOBODY) return true;
    const struct rf_object *object = object_of(state, next);
    return object && (object->last.site == constraint->from || object->last_write.site == constraint->from);
}

/* Whether the constraint, which names the candidate's statement, speaks against the candidate now. */
static bool speaks_against(struct rf_state *state, const struct rf_constraint *constraint, bool is_to,
                           const struct rv_candidate *candidate) {
    if (!is_to) return would_come_between(state, constraint, &candidate->next);
    bool after = predecessor(state, candidate->thread, &candidate->next) == constraint->from;
    return after != constraint->positive;
}

static bool held_back(void *opaque, const struct rv_candidate *candidate) {
    struct rf_state *state = opaque;
    if (candidate->timeout) return false;
    uint32_t statement = statement_of(state, candidate);
    if (statement == RF_NOBODY) return false;
    const struct rf_site *site = rf_site_at(state, statement);
    uint32_t concerned = (uint32_t)(site->to | site->rival) & ~state->satisfied;
    for (uint32_t i = 0; concerned >> i; i++) {
        if (!(concerned >> i & 1)) continue;
        if (!speaks_against(state, &state->set.constraints[i], site->to >> i & 1, candidate)) continue;
        state->holding = true;
        return true;
    }
    return false;
}

/* Who is meant by the constraints of this execution. */
static void mark_sites(struct rf_state *state) {
    for (uint32_t i = 1; i <= state->sites.count; i++) *rf_site_at(state, i) = (struct rf_site){0};
    for (uint32_t i = 0; i < state->set.count; i++) {
        const struct rf_constraint *constraint = &state->set.constraints[i];
        rf_site_at(state, constraint->to)->to |= (uint8_t)(1u << i);
        if (constraint->positive) rf_mark_rivals(state, constraint, (uint8_t)(1u << i));
    }
}

static void rf_begin(void *opaque, uint64_t index) {
    struct rf_state *state = opaque;
    rv_pos_begin(&state->pos, index);
    state->satisfied = 0;
    state->held = 0;
    state->patience = PATIENCE + 2 * state->usual_points;
    rf_make_set(state);
    mark_sites(state);
}

static uint32_t rf_pick(void *opaque, const struct rv_point *point) {
    struct rf_state *state = opaque;
    if (!state->set.count || state->held >= state->patience)
        return rv_pos_pick(&state->pos, point, NULL, NULL);
    state->holding = false;
    uint32_t picked = rv_pos_pick(&state->pos, point, held_back, state);
    state->held += state->holding;
    return picked;
}

static uint32_t rf_choose(void *opaque, uint32_t n) {
    struct rf_state *state = opaque;
    return rv_sample_choose(&state->pos.rng, n);
}

/* ---- what happened */

static void note_satisfied(struct rf_state *state, uint32_t statement, uint32_t before) {
    uint32_t concerned = rf_site_at(state, statement)->to;
    for (uint32_t i = 0; i < state->set.count && concerned >> i; i++) {
        const struct rf_constraint *constraint = &state->set.constraints[i];
        if (!(concerned >> i & 1) || !constraint->positive) continue;
        /* Whoever is not the first will not become it. */
        if (constraint->from == before || constraint->from == RF_NOBODY) state->satisfied |= 1u << i;
    }
}

static void note_access(struct rf_state *state, uint64_t key, const struct rf_access *access) {
    struct rf_object *object = object_slot(state, key);
    if (object->generation != state->pos.generation || object->key != key)
        *object = (struct rf_object){.key = key, .generation = state->pos.generation};
    rf_relate(state, &object->last, access);
    rf_relate(state, &object->last_write, access);
    rf_relate(state, &object->sample, access);
    object->last = *access;
    if (access->write) object->last_write = *access;
    if (rv_rng_below(&state->pos.rng, ++object->accesses) == 0) object->sample = *access;
}

static void rf_observe(void *opaque, uint32_t thread, const struct rv_operation *done) {
    struct rf_state *state = opaque;
    if (!takes_part(done)) return;
    uint32_t number =
        rv_index_add(&state->sites, state->pos.arena, done->site, sizeof(struct rf_site), RF_MAX_SITES);
    if (number == RV_NO_NUMBER) return;
    struct rf_access access = {number + 1, thread, done->flags & RV_OPF_WRITE};
    uint32_t before = predecessor(state, thread, done);
    note_satisfied(state, access.site, before);
    note_access(state, key_of(done), &access);
    if (before != RF_SELF) rf_pair_seen(state, before, access.site);
}

static bool rf_end(void *opaque, const struct rv_strategy_end *outcome) {
    struct rf_state *state = opaque;
    if (!outcome->not_terminating) state->usual_points = (3 * state->usual_points + outcome->points) / 4;
    rf_judge(state);
    return true;
}

const struct rv_strategy rv_strategy_rf = {
    .name = "rf",
    .parameter = "",
    .guarantee =
        "asks for orders of two statements not seen yet; one execution in eight is pos, so that none is excluded",
    .check = rv_check_no_params,
    .create = rf_create,
    .begin = rf_begin,
    .pick = rf_pick,
    .choose = rf_choose,
    .observe = rf_observe,
    .end = rf_end,
};
