/* The linearizability checker: by examples, and against a search of all sequences on random histories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "base/rng.h"
#include "generate/history.h"
#include "generate/linear.h"
#include "linear_types.h"

enum { HISTORIES = 10000, MANY_RUNS = 100000 };
enum { PUT, TAKE, POLL, MUST_TAKE };

static const struct abstract_type *const queue = &abstract_types[1], *const counter = &abstract_types[3];

static uint32_t add(struct rv_history *history, uint32_t thread, uint32_t method, uint8_t argument) {
    return rv_history_add(history, RV_PHASE_DURING, thread, method, &argument, 1);
}

static void returns(struct rv_history *history, uint32_t call, uint8_t result) {
    rv_history_return(history, call, &result, 1);
}

static struct rv_linear_verdict check(const struct abstract_type *type, const struct rv_history *history) {
    struct replaying replaying = {.type = type, .test = history};
    struct rv_linear linear;
    struct rv_linear_verdict verdict;
    assert_null(rv_history_wrong(history));
    rv_linear_init(&linear, history, (struct rv_oracle){&replaying, replay_order}, MANY_RUNS);
    rv_linear_check(&linear, history, &verdict);
    rv_linear_free(&linear);
    assert_int_equal(verdict.kind, verdict_by_force(type, history));
    return verdict;
}

/* What overlaps may be in either order; what does not, may not. */
static void real_time_counts(void **unused) {
    (void)unused;
    struct rv_history history = {0};
    uint32_t put = add(&history, 0, PUT, 5), poll = add(&history, 1, POLL, 0);
    rv_history_call(&history, put);
    rv_history_call(&history, poll);
    returns(&history, put, 0);
    returns(&history, poll, 0);
    struct rv_linear_verdict verdict = check(queue, &history);
    assert_int_equal(verdict.kind, RV_LINEAR_YES);
    assert_int_equal(verdict.count, 2);
    assert_int_equal(verdict.order[0], poll);
    rv_history_restart(&history);
    rv_history_call(&history, put);
    returns(&history, put, 0);
    rv_history_call(&history, poll);
    returns(&history, poll, 0);
    assert_int_equal(check(queue, &history).kind, RV_LINEAR_NO);
    rv_history_free(&history);
}

static void same_element_twice(void **unused) {
    (void)unused;
    struct rv_history history = {0};
    uint8_t five = 5;
    uint32_t put = rv_history_add(&history, RV_PHASE_BEFORE, 0, PUT, &five, 1);
    uint32_t one = add(&history, 1, POLL, 0), other = add(&history, 2, POLL, 0);
    rv_history_call(&history, put);
    returns(&history, put, 0);
    rv_history_call(&history, one);
    rv_history_call(&history, other);
    returns(&history, one, 5);
    returns(&history, other, 5);
    struct rv_linear_verdict verdict = check(queue, &history);
    assert_int_equal(verdict.kind, RV_LINEAR_NO);
    assert_int_equal(verdict.count, 0);
    rv_history_free(&history);
}

/* Two take, one puts: one of the two waits, and rightly so. A waiter that has something to take is a deadlock. */
static void rightly_blocked(void **unused) {
    (void)unused;
    struct rv_history history = {0};
    uint32_t put = add(&history, 0, PUT, 5), one = add(&history, 1, TAKE, 0),
             other = add(&history, 2, TAKE, 0);
    rv_history_call(&history, one);
    rv_history_call(&history, other);
    rv_history_call(&history, put);
    returns(&history, put, 0);
    history.stuck = true;
    struct rv_linear_verdict verdict = check(queue, &history);
    assert_int_equal(verdict.kind, RV_LINEAR_DEADLOCK);
    assert_int_equal(verdict.waiter, one);
    returns(&history, other, 5);
    assert_int_equal(check(queue, &history).kind, RV_LINEAR_YES);
    rv_history_free(&history);
}

/* Nothing was ever put: this waits in every order. */
static void blocks_in_every_order(void **unused) {
    (void)unused;
    struct rv_history history = {0};
    uint32_t one = add(&history, 1, TAKE, 0), other = add(&history, 2, TAKE, 0),
             later = add(&history, 2, PUT, 1);
    rv_history_call(&history, one);
    rv_history_call(&history, other);
    history.stuck = true;
    assert_int_equal(check(queue, &history).kind, RV_LINEAR_YES);
    /* The same calls, if they had returned, are something that no order could be compared with. */
    returns(&history, one, 1);
    returns(&history, other, 1);
    history.calls[later].state = RV_CALL_ABSENT;
    assert_int_equal(check(queue, &history).kind, RV_LINEAR_UNSPECIFIED);
    rv_history_free(&history);
}

/* A call that was cut off may have had its effect, or not. */
static void cut_off(void **unused) {
    (void)unused;
    struct rv_history history = {0};
    uint32_t put = add(&history, 0, PUT, 5), poll = add(&history, 1, POLL, 0);
    rv_history_call(&history, put);
    rv_history_call(&history, poll);
    for (uint8_t got = 0; got <= 6; got++) {
        history.calls[poll].state = RV_CALL_PENDING;
        returns(&history, poll, got);
        assert_int_equal(check(queue, &history).kind, got == 0 || got == 5 ? RV_LINEAR_YES : RV_LINEAR_NO);
    }
    rv_history_free(&history);
}

static void fails_sequentially(void **unused) {
    (void)unused;
    struct rv_history history = {0};
    uint32_t put = add(&history, 0, PUT, 5), take = add(&history, 1, MUST_TAKE, 0);
    rv_history_call(&history, put);
    rv_history_call(&history, take);
    returns(&history, put, 0);
    returns(&history, take, 6);
    assert_int_equal(check(queue, &history).kind, RV_LINEAR_MISUSE);
    rv_history_free(&history);
}

/* Four calls of two threads each: 70 orders, asked for once each, whatever is checked how often. */
static void an_order_is_run_once(void **unused) {
    (void)unused;
    struct rv_history test = {0};
    for (uint32_t i = 0; i < 8; i++) add(&test, i % 2, 0, 0);
    struct replaying replaying = {.type = counter, .test = &test};
    struct rv_linear linear;
    rv_linear_init(&linear, &test, (struct rv_oracle){&replaying, replay_order}, MANY_RUNS);
    struct rv_linear_summary summary = rv_linear_sequential(&linear, &test);
    assert_true(summary.known);
    assert_false(summary.blocks || summary.fails);
    assert_int_equal(summary.through, 70);
    assert_int_equal(linear.runs, 70);
    struct rv_linear_verdict verdict;
    for (uint32_t i = 0; i < 8; i++) rv_history_call(&test, i), returns(&test, i, (uint8_t)i);
    rv_linear_check(&linear, &test, &verdict);
    assert_int_equal(verdict.kind, RV_LINEAR_YES);
    assert_int_equal(linear.runs, 70);
    rv_linear_free(&linear);
    /* Who can tell states apart is asked less: what counts is how often each thread has counted. */
    replaying.tells_states = true;
    rv_linear_init(&linear, &test, (struct rv_oracle){&replaying, replay_order}, MANY_RUNS);
    assert_true(rv_linear_sequential(&linear, &test).known);
    assert_true(linear.runs < 25);
    rv_linear_free(&linear);
    rv_history_free(&test);
}

/* What is asked for first is the order in which calls returned: mostly it is the right one. */
static void one_run_suffices(void **unused) {
    (void)unused;
    struct rv_history test = {0};
    struct rv_linear linear;
    struct rv_linear_verdict verdict;
    for (uint32_t i = 0; i < 6; i++) add(&test, i, 0, 0);
    struct replaying replaying = {.type = counter, .test = &test};
    rv_linear_init(&linear, &test, (struct rv_oracle){&replaying, replay_order}, MANY_RUNS);
    for (uint32_t i = 6; i-- > 0;) rv_history_call(&test, i), returns(&test, i, (uint8_t)(5 - i));
    rv_linear_check(&linear, &test, &verdict);
    assert_int_equal(verdict.kind, RV_LINEAR_YES);
    assert_int_equal(verdict.order[0], 5);
    assert_int_equal(linear.runs, 1);
    rv_linear_free(&linear);
    rv_history_free(&test);
}

/* Two threads count 31 times each, and in the end one has been lost. There are 10^17 orders, and 32 * 32 states. */
static void a_state_is_left_once(void **unused) {
    (void)unused;
    enum { COUNTS = 62, VALUE = 1, COUNT = 3 };
    struct rv_history test = {0};
    struct rv_linear linear;
    struct rv_linear_verdict verdict;
    uint8_t none = 0;
    for (uint32_t i = 0; i < COUNTS; i++) add(&test, i % 2, COUNT, 0);
    uint32_t value = rv_history_add(&test, RV_PHASE_AFTER, 2, VALUE, &none, 1);
    struct replaying replaying = {.type = counter, .test = &test, .tells_states = true};
    rv_linear_init(&linear, &test, (struct rv_oracle){&replaying, replay_order}, MANY_RUNS);
    for (uint32_t i = 0; i < COUNTS; i++) {
        rv_history_call(&test, i);
        returns(&test, i, 0);
        test.calls[i].called = test.calls[i].returned =
            1; /* so that no thread's call precedes another one's */
    }
    rv_history_call(&test, value);
    returns(&test, value, COUNTS - 1);
    rv_linear_check(&linear, &test, &verdict);
    assert_int_equal(verdict.kind, RV_LINEAR_NO);
    assert_true(linear.runs <= 32 * 32);
    rv_linear_free(&linear);
    rv_history_free(&test);
}

static void an_oracle_that_cannot_tell(void **unused) {
    (void)unused;
    struct rv_history test = {0};
    struct rv_linear linear;
    struct rv_linear_verdict verdict;
    for (uint32_t i = 0; i < 6; i++) add(&test, i % 2, 0, 0);
    for (uint32_t i = 0; i < 2; i++) rv_history_call(&test, i);
    for (uint32_t i = 0; i < 2; i++) returns(&test, i, 9);
    struct replaying silent = {.type = counter, .test = &test, .answers_until = 1};
    struct replaying liar = {.type = counter, .test = &test, .lies_from = 1};
    struct replaying honest = {.type = counter, .test = &test};
    const struct rv_oracle oracles[] = {
        {&silent, replay_order}, {&liar, replay_order}, {&honest, replay_order}};
    for (uint32_t i = 0; i < 3; i++) {
        rv_linear_init(&linear, &test, oracles[i], i == 2 ? 3 : MANY_RUNS);
        assert_false(rv_linear_sequential(&linear, &test).known);
        assert_int_equal(linear.contradictory, i == 1);
        assert_true(linear.runs <= 20);
        rv_linear_free(&linear);
    }
    rv_linear_init(&linear, &test, (struct rv_oracle){&silent, replay_order}, 0);
    rv_linear_check(&linear, &test, &verdict);
    assert_int_equal(verdict.kind, RV_LINEAR_UNKNOWN);
    rv_linear_free(&linear);
    rv_history_free(&test);
}

static void impossible_histories(void **unused) {
    (void)unused;
    struct rv_history history = {0};
    uint8_t none = 0;
    uint32_t first = add(&history, 0, PUT, 1), second = add(&history, 0, PUT, 2);
    uint32_t after = rv_history_add(&history, RV_PHASE_AFTER, 7, POLL, &none, 1);
    assert_null(rv_history_wrong(&history));
    rv_history_call(&history, second);
    assert_non_null(rv_history_wrong(&history)); /* the first was not made */
    rv_history_restart(&history);
    rv_history_call(&history, first);
    returns(&history, first, 0);
    rv_history_call(&history, second);
    rv_history_call(&history, after);
    assert_non_null(rv_history_wrong(&history)); /* a thread has not ended */
    returns(&history, second, 0);
    assert_non_null(rv_history_wrong(&history)); /* it had not */
    history.calls[after].called = 9;
    assert_null(rv_history_wrong(&history));
    history.calls[first].called = 3;
    assert_non_null(rv_history_wrong(&history)); /* returns before it is made */
    history.calls[first].called = 1;
    history.calls[second].called = 1;
    assert_non_null(rv_history_wrong(&history)); /* two at once */
    history.calls[first].state = (enum rv_call_state)7;
    assert_non_null(rv_history_wrong(&history));
    rv_history_free(&history);
    while (history.count < RV_MAX_CALLS) add(&history, 0, PUT, 0);
    assert_int_equal(add(&history, 0, PUT, 0), RV_MAX_CALLS);
    rv_history_free(&history);
}

/* A test with random calls: up to two before, two or three threads with three calls each at most, perhaps one after. */
static void random_test(struct rv_rng *rng, struct rv_history *history) {
    uint32_t threads = 2 + (uint32_t)rv_rng_below(rng, 2);
    uint32_t setup = (uint32_t)rv_rng_below(rng, 3), calls = setup + 2 + (uint32_t)rv_rng_below(rng, 4);
    for (uint32_t i = 0; i < calls; i++) {
        uint8_t argument = (uint8_t)(1 + rv_rng_below(rng, 3));
        uint32_t method = (uint32_t)rv_rng_below(rng, METHODS);
        if (i < setup)
            rv_history_add(history, RV_PHASE_BEFORE, 0, rv_rng_below(rng, 2) ? 0 : method, &argument, 1);
        else
            add(history, (uint32_t)rv_rng_below(rng, threads), method, argument);
    }
    uint8_t argument = 1;
    if (rv_rng_below(rng, 3) == 0)
        rv_history_add(history, RV_PHASE_AFTER, 0, (uint32_t)rv_rng_below(rng, METHODS), &argument, 1);
}

/* Whether the call can be made now: nothing that the test has before it is missing. */
static bool due(const struct rv_history *history, uint32_t call) {
    for (uint32_t i = 0; i < history->count; i++)
        if (rv_history_ordered(history, i, call) && history->calls[i].state != RV_CALL_RETURNED) return false;
    return true;
}

/* An execution by a correct implementation, in which each call has its effect at one moment. */
static void execute(struct rv_rng *rng, const struct abstract_type *type, struct rv_history *history) {
    struct state state = {0};
    bool effect[RV_MAX_CALLS] = {false};
    uint8_t results[RV_MAX_CALLS];
    uint64_t cut = rv_rng_below(rng, 5) ? UINT64_MAX : rv_rng_below(rng, 12);
    for (uint64_t moment = 0, idle = 0; idle < 200; moment++, idle++) {
        if (moment == cut) return;
        uint32_t i = (uint32_t)rv_rng_below(rng, history->count);
        struct rv_call *call = &history->calls[i];
        if (call->state == RV_CALL_ABSENT) {
            if (!due(history, i)) continue;
            rv_history_call(history, i);
        } else if (call->state == RV_CALL_PENDING && effect[i]) {
            returns(history, i, results[i]);
        } else if (call->state == RV_CALL_PENDING) {
            enum rv_outcome_end end = type->apply(&state, call->method, call->arguments.data[0], &results[i]);
            if (end == RV_OUTCOME_FAILED) return;
            effect[i] = end == RV_OUTCOME_RETURNED;
            if (!effect[i]) continue;
        } else {
            continue;
        }
        idle = 0;
    }
    history->stuck = true; /* if anything is pending */
}

/* What a wrong implementation could have shown instead. */
static void damage(struct rv_rng *rng, struct rv_history *history) {
    uint32_t i = (uint32_t)rv_rng_below(rng, history->count);
    struct rv_call *call = &history->calls[i];
    if (call->state != RV_CALL_RETURNED) return;
    bool last = true;
    for (uint32_t j = 0; j < history->count; j++)
        if (rv_history_ordered(history, i, j)) last &= history->calls[j].state == RV_CALL_ABSENT;
    if (last && rv_rng_below(rng, 2)) {
        call->state = RV_CALL_PENDING;
        if (rv_rng_below(rng, 2)) history->stuck = true;
        return;
    }
    uint8_t other = (uint8_t)rv_rng_below(rng, 4);
    rv_bytes_set(&call->result, &other, 1);
}

/* Whether the order that a verdict gives does explain the history, up to its waiting. */
static void order_explains(const struct abstract_type *type, const struct rv_history *history,
                           const struct rv_linear_verdict *verdict) {
    struct state state = {0};
    uint64_t done = 0;
    for (uint32_t i = 0; i < verdict->count; i++) {
        uint8_t result;
        uint32_t number = verdict->order[i];
        const struct rv_call *call = &history->calls[number];
        assert_int_equal(type->apply(&state, call->method, call->arguments.data[0], &result),
                         RV_OUTCOME_RETURNED);
        if (call->state == RV_CALL_RETURNED) assert_int_equal(result, call->result.data[0]);
        for (uint32_t j = 0; j < i; j++)
            assert_false(rv_history_precedes(history, number, verdict->order[j]));
        done |= 1ull << number;
    }
    for (uint32_t i = 0; i < history->count; i++)
        if (history->calls[i].state == RV_CALL_RETURNED) assert_true(done >> i & 1);
}

/* Several executions of one test, by a checker that keeps what it has asked. */
static void check_test(struct rv_rng *rng, const struct abstract_type *type, bool tells_states,
                       uint32_t *verdicts) {
    struct rv_history history = {0};
    struct rv_linear linear;
    struct rv_linear_verdict verdict;
    random_test(rng, &history);
    struct replaying replaying = {.type = type, .test = &history, .tells_states = tells_states};
    rv_linear_init(&linear, &history, (struct rv_oracle){&replaying, replay_order}, MANY_RUNS);
    for (uint32_t execution = 0; execution < 4; execution++) {
        rv_history_restart(&history);
        execute(rng, type, &history);
        if (execution % 2) damage(rng, &history);
        assert_null(rv_history_wrong(&history));
        rv_linear_check(&linear, &history, &verdict);
        assert_int_equal(verdict.kind, verdict_by_force(type, &history));
        if (execution % 2 == 0) assert_int_equal(verdict.kind, RV_LINEAR_YES);
        if (verdict.kind == RV_LINEAR_YES || verdict.kind == RV_LINEAR_DEADLOCK)
            order_explains(type, &history, &verdict);
        verdicts[verdict.kind]++;
    }
    uint64_t runs = linear.runs;
    struct rv_linear_summary summary = rv_linear_sequential(&linear, &history);
    assert_true(summary.known);
    assert_true(summary.through > 0 || summary.blocks || summary.fails);
    assert_true(linear.runs >= runs);
    rv_linear_free(&linear);
    rv_history_free(&history);
}

static void as_by_force(void **unused) {
    (void)unused;
    for (uint32_t type = 0; type < TYPES; type++) {
        uint32_t verdicts[RV_LINEAR_UNKNOWN + 1] = {0};
        for (uint32_t i = 0; i < HISTORIES / 4; i++) {
            struct rv_rng rng = rv_rng_stream(type, i);
            check_test(&rng, &abstract_types[type], i % 2, verdicts);
        }
        print_message("%-8s of %u: yes %u, no %u, deadlock %u, unspecified %u, misuse %u\n",
                      abstract_types[type].name, HISTORIES, verdicts[RV_LINEAR_YES], verdicts[RV_LINEAR_NO],
                      verdicts[RV_LINEAR_DEADLOCK], verdicts[RV_LINEAR_UNSPECIFIED],
                      verdicts[RV_LINEAR_MISUSE]);
        assert_true(verdicts[RV_LINEAR_NO] > HISTORIES / 50);
        assert_true(verdicts[RV_LINEAR_DEADLOCK] > HISTORIES / 200);
        assert_int_equal(verdicts[RV_LINEAR_UNKNOWN], 0);
        if (&abstract_types[type] == queue)
            assert_true(verdicts[RV_LINEAR_UNSPECIFIED] && verdicts[RV_LINEAR_MISUSE]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_time_counts),
        cmocka_unit_test(same_element_twice),
        cmocka_unit_test(rightly_blocked),
        cmocka_unit_test(blocks_in_every_order),
        cmocka_unit_test(cut_off),
        cmocka_unit_test(fails_sequentially),
        cmocka_unit_test(an_order_is_run_once),
        cmocka_unit_test(one_run_suffices),
        cmocka_unit_test(a_state_is_left_once),
        cmocka_unit_test(an_oracle_that_cannot_tell),
        cmocka_unit_test(impossible_histories),
        cmocka_unit_test(as_by_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
