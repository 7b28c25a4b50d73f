/* A bug made small: calls are left out and arguments made simple, as long as executions of what is left show a bug of the same
 * kind. Which schedules those are does not matter: the schedule is made simple later (supervisor/reduce.h). */
#include <stdlib.h>
#include <string.h>

#include "generate/hunt.h"
#include "supervisor/util.h"

enum { MOST_PASSES = 4, LEAST_TRIES = 60, MOST_TRIES = 800, ALL_TRIES = 60000 };
static const double most_seconds = 8;

struct shrinking {
    struct rv_bug *bug;
    struct rv_runner *runner;
    const struct rv_api *api;
    uint64_t seed;
    uint32_t tries; /* for each candidate */
    uint64_t end;   /* executions */
    double until;
    /* the trial under way */
    struct rv_judge judge;
    const struct rv_test *test;
    uint64_t next;
    bool shown, hopeless;
};

static bool each(void *user, const struct rv_executed *executed) {
    struct shrinking *all = user;
    enum rv_kind kind;
    all->next = executed->number + 1;
    enum rv_judgement judgement = rv_judge_execution(&all->judge, executed->kind, executed->told,
                                                     executed->told_size, executed->cut, &kind);
    if (judgement == RV_JUDGED_USELESS || judgement == RV_JUDGED_MISUSE) {
        all->hopeless = true;
        return false;
    }
    if (judgement != RV_JUDGED_BUG || kind != all->bug->kind || !executed->schedule) return !all->judge.lost;
    struct rv_bug *bug = all->bug;
    rv_schedule_free(&bug->schedule);
    bug->schedule = rv_schedule_copy(executed->schedule->runs, executed->schedule->run_count,
                                     executed->schedule->choices, executed->schedule->choice_count);
    bug->told = rv_text_realloc(bug->told, executed->told_size + 1u, 1);
    memcpy(bug->told, executed->told, executed->told_size);
    bug->told_size = executed->told_size;
    bug->signature = executed->signature;
    rv_text_set(&bug->message, rv_text_copy(executed->message));
    all->shown = true;
    return false;
}

static void run(struct shrinking *all, const char *strategy, uint32_t count) {
    uint64_t end = all->next + count;
    while (all->next < end && !all->shown && !all->hopeless && !all->judge.lost) {
        uint64_t before = all->next;
        struct rv_batch batch = {.strategy = strategy,
                                 .seed = all->seed,
                                 .first = all->next,
                                 .wanted = (uint32_t)(end - all->next),
                                 .each = each,
                                 .user = all};
        if (!rv_runner_do(all->runner, all->test, &batch) || all->next == before) break;
    }
}

/* Whether the test shows the bug; the bug is then of that test. */
static bool shows(struct shrinking *all, const struct rv_test *test) {
    if (all->runner->executions > all->end || rv_seconds() > all->until || rv_interrupted) return false;
    struct rv_test candidate = *test;
    all->test = &candidate;
    all->shown = all->hopeless = false;
    all->next = 0;
    rv_judge_open(&all->judge, all->runner, all->test);
    run(all, "random", all->tries / 2);
    run(all, "random:0.2", all->tries / 4);
    run(all, "pct:3", all->tries / 4);
    rv_judge_close(&all->judge);
    if (all->shown) all->bug->test = candidate;
    return all->shown;
}

static bool without(struct shrinking *all, uint32_t call) {
    struct rv_test smaller = all->bug->test;
    uint8_t thread = smaller.calls[call].thread, phase = smaller.calls[call].phase;
    rv_test_remove(&smaller, call);
    if (phase == RV_PHASE_DURING) { /* both threads have something to do */
        bool some = false;
        for (uint32_t i = 0; i < smaller.count; i++)
            some |= smaller.calls[i].phase == RV_PHASE_DURING && smaller.calls[i].thread == thread;
        if (!some) return false;
    }
    return shows(all, &smaller);
}

/* From the end, so that what only shows the bug goes first. Whether one went. */
static bool drop_calls(struct shrinking *all) {
    bool some = false;
    /* All that come after the threads, then halves of what comes before. */
    struct rv_test smaller = all->bug->test;
    while (smaller.count && smaller.calls[smaller.count - 1].phase == RV_PHASE_AFTER) smaller.count--;
    if (smaller.count < all->bug->test.count) some |= shows(all, &smaller);
    smaller = all->bug->test;
    while (smaller.count && smaller.calls[0].phase == RV_PHASE_BEFORE) rv_test_remove(&smaller, 0);
    if (smaller.count < all->bug->test.count) some |= shows(all, &smaller);
    for (uint32_t i = all->bug->test.count; i-- > 0;)
        if (i < all->bug->test.count) some |= without(all, i);
    return some;
}

/* One object in place of two. */
static void drop_object(struct shrinking *all) {
    struct rv_test smaller = all->bug->test;
    if (smaller.objects < 2) return;
    for (uint32_t i = 0; i < smaller.count; i++) {
        const struct rv_method *method = &all->api->methods[smaller.calls[i].method];
        for (uint32_t p = 0; p < method->count; p++)
            if (method->parameters[p].kind == RV_PARAMETER_OBJECT && smaller.calls[i].arguments[p] == 1)
                smaller.calls[i].arguments[p] = 0;
    }
    smaller.objects = 1;
    (void)shows(all, &smaller);
}

/* ---- arguments ---- */

static int64_t weight(int64_t value) { return value < 0 ? -2 * value + 1 : 2 * value; }

static bool try_argument(struct shrinking *all, bool made, uint32_t call, uint32_t at, int64_t value) {
    struct rv_test simpler = all->bug->test;
    struct rv_case_call *changed = made ? &simpler.made[call] : &simpler.calls[call];
    const struct rv_method *method = &all->api->methods[changed->method];
    if (changed->arguments[at] == value) return false;
    changed->arguments[at] = value;
    for (uint32_t i = 0; i < method->count; i++)
        if (method->parameters[i].kind == RV_PARAMETER_LENGTH && method->parameters[i].length == (int)at)
            changed->arguments[i] = value;
    return shows(all, &simpler);
}

static void simplify(struct shrinking *all, bool made, uint32_t call) {
    const struct rv_case_call *now = made ? &all->bug->test.made[call] : &all->bug->test.calls[call];
    const struct rv_method *method = &all->api->methods[now->method];
    for (uint32_t i = 0; i < method->count; i++) {
        const struct rv_parameter *parameter = &method->parameters[i];
        int64_t value = now->arguments[i], step[] = {0, 1, 2, 3};
        bool number = parameter->kind == RV_PARAMETER_INTEGER || parameter->kind == RV_PARAMETER_INPUT ||
                      parameter->kind == RV_PARAMETER_STRING || parameter->kind == RV_PARAMETER_POINTER;
        if (!number || parameter->value_count || parameter->bytes == 0) continue;
        if (parameter->kind == RV_PARAMETER_INTEGER && parameter->bytes == 1)
            for (size_t s = 0; s < 4; s++) step[s] += 'a';
        for (size_t s = 0; s < 4; s++) {
            bool simpler = weight(step[s]) < weight(value);
            if (!simpler) break;
            if (parameter->kind == RV_PARAMETER_STRING && step[s] >= all->api->string_count) break;
            if (try_argument(all, made, call, i, step[s])) break;
        }
    }
}

void rv_bug_shrink(struct rv_bug *bug, struct rv_runner *runner, const struct rv_api *api, uint64_t seed) {
    struct shrinking all = {.bug = bug,
                            .runner = runner,
                            .api = api,
                            .seed = seed * 77 + 1,
                            .end = runner->executions + ALL_TRIES,
                            .until = rv_seconds() + most_seconds,
                            .tries = MOST_TRIES};
    struct rv_test first = bug->test;
    uint64_t before = runner->executions;
    if (shows(&all, &first)) { /* how hard is it to meet? */
        uint64_t needed = (runner->executions - before) * 4;
        all.tries = needed < LEAST_TRIES ? LEAST_TRIES : needed > MOST_TRIES ? MOST_TRIES : (uint32_t)needed;
    }
    for (unsigned pass = 0; pass < MOST_PASSES; pass++) { /* simpler arguments may need fewer calls */
        struct rv_test before_pass = bug->test;
        while (drop_calls(&all)) {}
        if (pass == 0) drop_object(&all);
        for (uint32_t i = 0; i < bug->test.objects; i++) simplify(&all, true, i);
        for (uint32_t i = 0; i < bug->test.count; i++) simplify(&all, false, i);
        if (rv_test_equal(&before_pass, &bug->test)) break;
    }
}

/* ---- the same bug ---- */

/* The methods that run at once, smaller number first. */
static uint64_t methods_of(const struct rv_test *test) {
    uint64_t set = 0;
    for (uint32_t i = 0; i < test->count; i++)
        if (test->calls[i].phase == RV_PHASE_DURING) set |= 1ull << (test->calls[i].method & 63);
    return set;
}

bool rv_bug_same(const struct rv_bug *one, const struct rv_bug *other) {
    if (one->kind != other->kind) return false;
    if (one->kind != RV_KIND_NONLINEARIZABLE && one->signature == other->signature) return true;
    return methods_of(&one->test) == methods_of(&other->test);
}
