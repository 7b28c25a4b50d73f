/* Sync-preserving races: twins, brute force over all sync-preserving reorderings of small random streams, and soundness on
 * streams with everything in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/syncp.h"
#include "streams.h"

enum { X = 0x10000, Y = 0x10100, L = 0x20000, M = 0x20040, ARENA = 16 << 20, SEEN = 1 << 16 };

static struct rv_arena arena;
static void *memory;
static uint8_t found[STREAM_STEPS][STREAM_STEPS];
static uint32_t found_count;

static void note(void *user, uint32_t first, uint32_t second) {
    (void)user;
    found[first][second] = 1;
    found_count++;
}

static int setup(void **state) {
    (void)state;
    memory = calloc(1, ARENA);
    rv_arena_init(&arena, memory, ARENA);
    return memory ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    free(memory);
    return 0;
}

static void predict(const struct rv_step *steps, uint32_t count) {
    static struct rv_step with_sites[STREAM_STEPS];
    memset(found, 0, sizeof found);
    found_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        with_sites[i] = steps[i];
        if (!steps[i].site) with_sites[i].site = i + 1;
    }
    assert_true(rv_syncp_find(with_sites, count, &arena, note, NULL));
    assert_int_equal(arena.used, 0);
}

#define T(number, what, at, ...) \
    { .thread = number, .kind = RV_STEP_##what, .address = at, __VA_ARGS__ }
#define TWO T(0, CREATE, 1), T(0, CREATE, 2)
#define races(expected, ...)                             \
    do {                                                 \
        const struct rv_step steps_[] = {__VA_ARGS__};   \
        predict(steps_, sizeof steps_ / sizeof *steps_); \
        assert_int_equal(found_count, expected);         \
    } while (0)
#define W(number, at) T(number, WRITE, at, .size = 4)
#define R(number, at) T(number, READ, at, .size = 4)
#define LOCK(number)  T(number, LOCK, L)
#define FREE(number)  T(number, UNLOCK, L)

static void sections_may_be_left_out_but_not_turned_round(void **state) {
    (void)state;
    /* thread 2's section does not need thread 1's */
    races(1, TWO, W(1, X), LOCK(1), W(1, Y), FREE(1), LOCK(2), FREE(2), W(2, X));
    /* it reads what thread 1 wrote there */
    races(0, TWO, W(1, X), LOCK(1), W(1, Y), FREE(1), LOCK(2), R(2, Y), FREE(2), W(2, X));
    /* the second section would have to come first */
    races(0, TWO, LOCK(1), W(1, X), FREE(1), LOCK(2), FREE(2), LOCK(2), W(2, X), FREE(2));
}

static void the_order_of_sections_is_kept(void **state) {
    (void)state;
    /* to have thread 1's write next, its section must be open, and thread 2's later one over */
    races(0, TWO, LOCK(1), W(1, X), FREE(1), LOCK(2), FREE(2), W(2, X));
    races(1, TWO, T(1, LOCK, M), W(1, X), T(1, UNLOCK, M), LOCK(2), FREE(2), W(2, X));
    races(1, TWO, T(1, LOCK_SHARED, L), W(1, X), T(1, UNLOCK_SHARED, L), T(2, LOCK_SHARED, L),
          T(2, UNLOCK_SHARED, L), W(2, X));
    races(0, TWO, T(1, LOCK_SHARED, L), W(1, X), T(1, UNLOCK_SHARED, L), LOCK(2), FREE(2), W(2, X));
    races(0, TWO, LOCK(1), LOCK(1), FREE(1), W(1, X), FREE(1), LOCK(2), FREE(2), W(2, X));
}

/* What the second lock needs brings in a section of the first one. */
static void what_is_needed_needs_more(void **state) {
    (void)state;
    enum { CHANNEL = 0x30000 };
#define STORY(...)                                                                       \
    TWO, T(0, CREATE, 3), LOCK(1), W(1, X), FREE(1), T(3, LOCK, M), T(3, SEND, CHANNEL), \
        T(2, RECEIVE, CHANNEL), __VA_ARGS__, T(3, UNLOCK, M), T(2, LOCK, M), T(2, UNLOCK, M), W(2, X)
    races(0, STORY(LOCK(3), FREE(3)));
    races(1, STORY(T(3, LOCK, M + 8), T(3, UNLOCK, M + 8)));
#undef STORY
}

static void recursive_sections_are_one(void **state) {
    (void)state;
    races(1, TWO, T(0, CREATE, 3), LOCK(1), T(1, SEND, M), LOCK(1), FREE(1), FREE(1), T(2, RECEIVE, M),
          LOCK(2), FREE(2), W(2, X), W(3, X));
}

static void other_order_is_needed(void **state) {
    (void)state;
    races(0, TWO, W(1, X), T(1, SEND, M), T(2, RECEIVE, M), W(2, X));
    races(1, TWO, T(1, SEND, M), W(1, X), T(2, RECEIVE, M), W(2, X));
    races(0, TWO, W(1, X), T(1, BARRIER, M, .size = 2), T(2, BARRIER, M, .size = 2), W(2, X));
    races(1, TWO, T(1, BARRIER, M, .size = 2), T(2, BARRIER, M, .size = 2), W(1, X), W(2, X));
    races(0, W(0, X), T(0, CREATE, 1), W(1, X));
    races(0, T(0, CREATE, 1), W(1, X), T(1, EXIT, 0), T(0, JOIN, 1), W(0, X));
    races(1, T(0, CREATE, 1), W(1, X), T(1, EXIT, 0), W(0, X));
    races(0, TWO, W(1, X), T(1, ATOMIC_WRITE, Y, .size = 4), T(2, ATOMIC_READ, Y, .size = 4), W(2, X));
    races(1, TWO, W(1, X), T(1, ATOMIC_WRITE, Y, .size = 4), T(2, ATOMIC_READ, Y + 8, .size = 4), W(2, X));
    races(0, TWO, W(1, X), T(1, SEND, M), T(0, RENEW, M), T(2, SEND, M), W(2, X));
}

static void memory_has_lives(void **state) {
    (void)state;
    races(0, TWO, W(1, X), T(0, ALLOC, X, .size = 16), W(2, X));
    races(1, TWO, T(0, ALLOC, X, .size = 16), T(1, FREE, X, .size = 16), W(2, X));
    races(0, T(0, CREATE, 1), W(0, X), T(0, ALLOC, Y, .size = 16), W(1, X + 8));
}

static void a_pair_of_sites_is_reported_once(void **state) {
    (void)state;
    races(1, TWO, T(1, WRITE, X, .size = 4, .site = 7), T(2, WRITE, X, .size = 4, .site = 8),
          T(1, WRITE, X, .size = 4, .site = 7), T(2, WRITE, Y, .size = 4, .site = 8),
          T(1, WRITE, Y, .size = 4, .site = 7));
}

/* The first accesses of a statement are ordered, a later one is not. */
static void all_accesses_of_a_statement_are_tried(void **state) {
    (void)state;
#define A(number) T(number, WRITE, X, .size = 4, .site = 7 + (number))
    races(1, TWO, A(1), A(1), T(1, SEND, M), A(1), T(2, RECEIVE, M), A(2));
    assert_true(found[5][7]);
    races(0, TWO, A(1), A(1), A(1), T(1, SEND, M), T(2, RECEIVE, M), A(2));
#undef A
}

static void too_small_an_arena_is_said(void **state) {
    (void)state;
    struct rv_arena small;
    const struct rv_step steps[] = {TWO, W(1, X), W(2, X)};
    rv_arena_init(&small, memory, 512);
    assert_false(rv_syncp_find(steps, 4, &small, note, NULL));
    rv_arena_init(&arena, memory, ARENA);
    arena.high = ARENA; /* the other one used it */
}

/* --- brute force --- */

struct search {
    const struct stream *stream;
    uint32_t own[4][32], count[4]; /* steps by thread */
    uint8_t racing[32][32];
    uint64_t seen[SEEN]; /* 1 + state */
    uint32_t states;
};

struct state {
    uint8_t done[4];    /* steps of each thread */
    uint8_t writer[3];  /* 1 + step, by word */
    uint8_t acquire[2]; /* 1 + step, by lock */
};

static bool is_seen(struct search *s, const struct state *state) {
    uint64_t key = 1;
    for (int i = 0; i < 4; i++) key = key << 5 | state->done[i];
    for (int i = 0; i < 3; i++) key = key << 5 | state->writer[i];
    for (int i = 0; i < 2; i++) key = key << 5 | state->acquire[i];
    uint64_t at = key * 0x9e3779b97f4a7c15u >> 48;
    for (; s->seen[at & (SEEN - 1)]; at++)
        if (s->seen[at & (SEEN - 1)] == key) return true;
    s->seen[at & (SEEN - 1)] = key;
    assert_true(++s->states < SEEN / 2);
    return false;
}

static bool is_done(const struct search *s, const struct state *state, uint32_t step) {
    uint32_t thread = s->stream->steps[step].thread;
    for (uint32_t i = 0; i < state->done[thread]; i++)
        if (s->own[thread][i] == step) return true;
    return false;
}

static bool exists(const struct search *s, const struct state *state, uint32_t thread) {
    for (uint32_t i = 0; i < s->stream->count; i++)
        if (s->stream->steps[i].kind == RV_STEP_CREATE && s->stream->steps[i].address == thread)
            return is_done(s, state, i);
    return true;
}

static uint32_t lowest_address(const struct stream *stream) {
    uint64_t lowest = UINT64_MAX;
    for (uint32_t i = 0; i < stream->count; i++)
        if (rv_step_is_access(stream->steps[i].kind) && stream->steps[i].address < lowest)
            lowest = stream->steps[i].address;
    return (uint32_t)lowest;
}

/* The write that step i sees in the stream itself, + 1. */
static uint32_t seen_in_stream(const struct stream *stream, uint32_t i) {
    for (uint32_t k = i; k-- > 0;)
        if (stream->steps[k].kind == RV_STEP_WRITE && stream->steps[k].address == stream->steps[i].address)
            return k + 1;
    return 0;
}

static bool can_do(const struct search *s, const struct state *state, uint32_t i, uint32_t word,
                   uint32_t lock) {
    const struct rv_step *step = &s->stream->steps[i];
    if (step->kind == RV_STEP_READ) return state->writer[word] == seen_in_stream(s->stream, i);
    if (step->kind == RV_STEP_JOIN) return state->done[step->address] == s->count[step->address];
    if (step->kind != RV_STEP_LOCK) return true;
    if (!state->acquire[lock]) return true;
    uint32_t last = state->acquire[lock] - 1u; /* the next one is the last that was taken: it must be over */
    for (uint32_t k = last + 1; k < s->stream->count; k++) {
        const struct rv_step *release = &s->stream->steps[k];
        if (release->kind == RV_STEP_UNLOCK && release->address == step->address)
            return last < i && is_done(s, state, k);
    }
    return false;
}

static void explore(struct search *s, struct state state) { /* as deep as there are steps */
    if (is_seen(s, &state)) return;
    const struct rv_step *steps = s->stream->steps;
    uint32_t lowest = lowest_address(s->stream);
    for (uint32_t t = 0; t < 4; t++) {
        if (state.done[t] == s->count[t] || !exists(s, &state, t)) continue;
        uint32_t i = s->own[t][state.done[t]];
        for (uint32_t u = 0; u < t; u++) {
            if (state.done[u] == s->count[u] || !exists(s, &state, u)) continue;
            uint32_t j = s->own[u][state.done[u]];
            if (steps[i].address == steps[j].address && rv_step_is_access(steps[i].kind) &&
                rv_step_is_access(steps[j].kind) && rv_steps_conflict(steps[i].kind, steps[j].kind))
                s->racing[i < j ? i : j][i < j ? j : i] = 1;
        }
        uint32_t word = (uint32_t)(steps[i].address - lowest) / 8, lock = steps[i].address / 8 % 2;
        if (!can_do(s, &state, i, word, lock)) continue;
        struct state next = state;
        next.done[t]++;
        if (steps[i].kind == RV_STEP_WRITE) next.writer[word] = (uint8_t)(i + 1);
        if (steps[i].kind == RV_STEP_LOCK) next.acquire[lock] = (uint8_t)(i + 1);
        explore(s, next);
    }
}

static void brute_force_agrees(void **state) {
    (void)state;
    static struct stream stream;
    static struct search search;
    uint32_t pairs = 0, hidden = 0, states = 0;
    static struct step_set before[STREAM_STEPS];
    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct rv_rng rng = rv_rng_stream(7, seed);
        struct stream_options options = {.threads = 2 + (uint32_t)rv_rng_below(&rng, 3),
                                         .steps = 8 + (uint32_t)rv_rng_below(&rng, 17),
                                         .locks = 1 + (uint32_t)rv_rng_below(&rng, 2),
                                         .locks_only = true,
                                         .whole_words = true};
        random_stream(&stream, &rng, &options);
        memset(&search, 0, sizeof search);
        search.stream = &stream;
        for (uint32_t i = 0; i < stream.count; i++)
            search.own[stream.steps[i].thread][search.count[stream.steps[i].thread]++] = i;
        explore(&search, (struct state){.done = {0}});
        predict(stream.steps, stream.count);
        happens_before(&stream, true, before);
        states += search.states;
        for (uint32_t j = 0; j < stream.count; j++)
            for (uint32_t i = 0; i < j; i++) {
                if (found[i][j] != search.racing[i][j]) {
                    print_stream(&stream);
                    fail_msg("seed %u: %u %u is %sa race", (unsigned)seed, i, j, found[i][j] ? "not " : "");
                }
                pairs += found[i][j];
                hidden += found[i][j] && has_step(&before[j], i);
            }
    }
    printf("4000 streams, %u states: %u races, %u of them ordered by happens-before\n", states, pairs,
           hidden);
    assert_true(pairs > 5000 && hidden > 200);
}

/* Atomics have their memory for themselves: where a plain write overwrites one, a read of it sees no release any more, and
 * prediction knows that, but happens-before does not. */
static void part_atomics(struct stream *stream) {
    for (uint32_t i = 0; i < stream->count; i++) {
        struct rv_step *step = &stream->steps[i];
        if (rv_step_is_atomic(step->kind)) step->address += 0x1000000;
    }
}

/* With all kinds of synchronisation and memory: what is predicted is at least not ordered without locks. */
static void predictions_are_potential_races(void **state) {
    (void)state;
    static struct stream stream;
    static struct step_set before[STREAM_STEPS];
    uint32_t pairs = 0;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct rv_rng rng = rv_rng_stream(8, seed);
        struct stream_options options = {.threads = 4, .steps = 60, .locks = 2};
        random_stream(&stream, &rng, &options);
        part_atomics(&stream);
        predict(stream.steps, stream.count);
        happens_before(&stream, false, before);
        for (uint32_t j = 0; j < stream.count; j++)
            for (uint32_t i = 0; i < j; i++) {
                if (!found[i][j]) continue;
                pairs++;
                bool frees = stream.steps[i].kind == RV_STEP_FREE || stream.steps[j].kind == RV_STEP_FREE;
                if (frees || racing_byte(&stream, before, i, j) != UINT64_MAX) continue;
                print_stream(&stream);
                fail_msg("seed %u: %u %u", (unsigned)seed, i, j);
            }
    }
    printf("3000 streams with everything: %u predicted\n", pairs);
    assert_true(pairs > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_may_be_left_out_but_not_turned_round),
        cmocka_unit_test(the_order_of_sections_is_kept),
        cmocka_unit_test(what_is_needed_needs_more),
        cmocka_unit_test(recursive_sections_are_one),
        cmocka_unit_test(other_order_is_needed),
        cmocka_unit_test(memory_has_lives),
        cmocka_unit_test(a_pair_of_sites_is_reported_once),
        cmocka_unit_test(all_accesses_of_a_statement_are_tried),
        cmocka_unit_test(too_small_an_arena_is_said),
        cmocka_unit_test(brute_force_agrees),
        cmocka_unit_test(predictions_are_potential_races),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
