#include "generate/hunt.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/util.h"

enum { USELESS_TRIES = 6, SCREENED = 1 };

void rv_bug_free(struct rv_bug *bug) {
    rv_schedule_free(&bug->schedule);
    free(bug->told);
    free(bug->message);
    *bug = (struct rv_bug){0};
}

/* ---- which methods ran at once ---- */

static void note_pairs(struct rv_hunt *hunt, const unsigned char *told, uint32_t size) {
    const struct rv_test *test = &hunt->test;
    bool pending[RV_CASE_CALLS] = {0};
    for (uint32_t at = 0; at + 2 <= size;) {
        uint32_t call = told[at + 1];
        if (call >= test->count) return;
        if (told[at] != 'C') {
            pending[call] = false;
            if (at + 4 > size) return;
            at += 4 + (told[at + 2] | (uint32_t)told[at + 3] << 8);
            continue;
        }
        at += 2;
        if (test->calls[call].phase != RV_PHASE_DURING) continue;
        for (uint32_t other = 0; other < test->count; other++)
            if (pending[other]) {
                uint32_t first = test->calls[call].method, second = test->calls[other].method;
                hunt->pairs.counted[first * hunt->pairs.count + second]++;
                if (first != second) hunt->pairs.counted[second * hunt->pairs.count + first]++;
            }
        pending[call] = true;
    }
}

/* ---- executions ---- */

static void keep_bug(struct rv_hunt *hunt, const struct rv_executed *executed, enum rv_kind kind) {
    hunt->bug = (struct rv_bug){
        .test = hunt->test,
        .kind = kind,
        .signature = executed->signature,
        .schedule = rv_schedule_copy(executed->schedule->runs, executed->schedule->run_count,
                                     executed->schedule->choices, executed->schedule->choice_count),
        .told = rv_text_alloc(executed->told_size + 1u, 1),
        .told_size = executed->told_size,
        .message = rv_text_copy(executed->message),
        .tests = hunt->tests,
        .executions = hunt->runner->executions,
        .seconds = rv_seconds() - hunt->started};
    memcpy(hunt->bug.told, executed->told, executed->told_size);
    hunt->found = true;
}

/* Races that the last batch was the first to show. */
static void take_races(struct rv_hunt *hunt) {
    const struct rv_area *area = rv_runner_area(hunt->runner);
    uint32_t count = rv_load32(&area->control.finding_count);
    if (count > RV_MAX_FINDINGS) count = RV_MAX_FINDINGS;
    for (; hunt->findings_taken < count; hunt->findings_taken++) {
        const struct rv_finding *finding = &area->findings[hunt->findings_taken];
        struct rv_race_seen *race = &hunt->races[hunt->race_count];
        if (finding->outcome.kind != RV_KIND_RACE || hunt->race_count == RV_RACES_SEEN) continue;
        if (!rv_schedule_of_finding(&race->schedule, finding)) continue;
        race->test = hunt->test;
        race->signature = finding->outcome.signature;
        hunt->race_count++;
    }
}

struct round {
    struct rv_hunt *hunt;
    uint64_t next; /* execution of the test */
    bool useless, over;
    bool serial; /* nobody was interrupted: what passes is right */
};

static bool each(void *user, const struct rv_executed *executed) {
    struct round *round = user;
    struct rv_hunt *hunt = round->hunt;
    enum rv_kind kind;
    round->next = executed->number + 1;
    note_pairs(hunt, executed->told, executed->told_size);
    if (round->serial && executed->kind == RV_KIND_NONE && !executed->cut && executed->told_size) {
        hunt->passed++;
        return true;
    }
    switch (rv_judge_execution(&hunt->judge, executed->kind, executed->told, executed->told_size,
                               executed->cut, &kind)) {
    case RV_JUDGED_FINE: hunt->passed++; break;
    case RV_JUDGED_BUG:
        if (!executed->schedule) break;
        keep_bug(hunt, executed, kind);
        return false;
    case RV_JUDGED_MISUSE:
        hunt->misuse++;
        round->over = true; /* it would be again and again */
        return false;
    case RV_JUDGED_USELESS: round->useless = true; return false;
    case RV_JUDGED_UNKNOWN: hunt->unknown++; break;
    }
    return !hunt->judge.lost;
}

static bool execute(struct rv_hunt *hunt, struct round *round, const char *strategy, uint32_t count) {
    uint64_t end = round->next + count;
    while (round->next < end && !hunt->found && !round->useless && !round->over) {
        uint64_t before = round->next;
        struct rv_batch batch = {.strategy = strategy,
                                 .seed = hunt->seed * 1000003 + hunt->tests,
                                 .first = round->next,
                                 .wanted = (uint32_t)(end - round->next),
                                 .each = each,
                                 .user = round};
        bool ran = rv_runner_do(hunt->runner, &hunt->test, &batch);
        take_races(hunt);
        if (!ran || hunt->judge.lost) {
            if (!hunt->error) hunt->error = rv_text_copy(hunt->runner->error);
            return false;
        }
        if (round->next == before) break;
    }
    return true;
}

void rv_hunt_execute(struct rv_hunt *hunt, const char *strategy, uint32_t count) {
    struct round round = {.hunt = hunt, .next = 1000 + rv_rng_below(&hunt->maker.rng, 1 << 20)};
    if (!hunt->error && !hunt->found) (void)execute(hunt, &round, strategy, count);
}

static bool follow(struct rv_hunt *hunt, struct round *round, const struct rv_schedule *schedule) {
    struct rv_batch batch = {.strategy = "random", .first = round->next, .wanted = 1, .each = each, .user = round};
    bool ran = rv_runner_follow(hunt->runner, &hunt->test, &batch, schedule);
    if (ran && !hunt->judge.lost) return true;
    if (!hunt->error) hunt->error = rv_text_copy(hunt->runner->error);
    return false;
}

void rv_hunt_follow(struct rv_hunt *hunt, const struct rv_run *runs, uint32_t count) {
    struct round round = {.hunt = hunt};
    struct rv_schedule schedule = rv_schedule_copy(runs, count, NULL, 0);
    if (!hunt->error && !hunt->found) (void)follow(hunt, &round, &schedule);
    rv_schedule_free(&schedule);
}

/* A call before the threads that fails or waits is left out. Whether the test is worth more executions. */
static bool screen(struct rv_hunt *hunt) {
    for (unsigned i = 0; i < USELESS_TRIES; i++) {
        struct round round = {.hunt = hunt, .serial = hunt->engine->serial};
        const struct rv_schedule nobody_is_interrupted = {0};
        if (!(round.serial ? follow(hunt, &round, &nobody_is_interrupted)
                           : execute(hunt, &round, "random", SCREENED)))
            return false;
        if (!round.useless) return !round.over;
        int call = rv_judge_useless_call(&hunt->judge);
        rv_judge_close(&hunt->judge);
        if (call >= 0) rv_test_remove(&hunt->test, (uint32_t)call);
        rv_judge_open(&hunt->judge, hunt->runner, &hunt->test);
        if (call < 0) break;
    }
    hunt->useless++;
    return false;
}

bool rv_hunt_test(struct rv_hunt *hunt) {
    struct rv_wish wish = {0};
    hunt->found = false;
    rv_maker_begin(&hunt->maker, hunt->seed, ++hunt->tests);
    hunt->engine->wish(hunt, &wish);
    rv_maker_make(&hunt->maker, &wish, &hunt->test);
    rv_judge_open(&hunt->judge, hunt->runner, &hunt->test);
    if (screen(hunt) && !hunt->found) hunt->engine->execute(hunt);
    rv_judge_close(&hunt->judge);
    return !hunt->error;
}

/* ---- the whole ---- */

bool rv_hunt_possible(const struct rv_api *api, char **error) {
    struct rv_maker maker;
    bool possible = rv_maker_open(&maker, api, 0);
    if (!possible)
        *error =
            maker.constructor_count
                ? rv_text_format("%s: no function that takes a %s * can be called", api->header, api->type)
                : rv_text_format(
                      "%s: nothing makes a %s: looked for a function that returns a pointer to one%s; --spec "
                      "can name it",
                      api->header, api->type,
                      api->complete ? ", or that takes one and has 'init' in its name" : "");
    rv_maker_close(&maker);
    return possible;
}

bool rv_hunt_open(struct rv_hunt *hunt, const struct rv_api *api, struct rv_runner *runner,
                  const char *engine, uint64_t seed) {
    *hunt = (struct rv_hunt){.api = api, .runner = runner, .seed = seed, .started = rv_seconds()};
    for (size_t i = 0; rv_search_engines[i]; i++)
        if (strcmp(rv_search_engines[i]->name, engine) == 0) hunt->engine = rv_search_engines[i];
    hunt->pairs.count = api->count;
    hunt->pairs.counted = rv_text_alloc((size_t)api->count * api->count, sizeof *hunt->pairs.counted);
    hunt->pairs.asked = rv_text_alloc((size_t)api->count * api->count, sizeof *hunt->pairs.asked);
    hunt->begun = rv_maker_open(&hunt->maker, api, seed);
    if (hunt->begun && hunt->engine->begin) hunt->engine->begin(hunt);
    return hunt->begun;
}

void rv_hunt_close(struct rv_hunt *hunt) {
    if (hunt->begun && hunt->engine->end) hunt->engine->end(hunt);
    rv_maker_close(&hunt->maker);
    for (uint32_t i = 0; i < hunt->race_count; i++) rv_schedule_free(&hunt->races[i].schedule);
    free(hunt->pairs.counted);
    free(hunt->pairs.asked);
    free(hunt->error);
    *hunt = (struct rv_hunt){0};
}
