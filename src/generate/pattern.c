#include "generate/pattern.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coverage/collect.h"
#include "coverage/tell.h"
#include "generate/aim.h"

enum { MOST_CANDIDATES = 120, STEERED = 8, LEAST_PERCENT = 25 };

struct steering {
    const struct rv_bug *bug;
    struct rv_judge judge;
    uint32_t hits, runs;
};

static bool each(void *user, const struct rv_executed *executed) {
    struct steering *steering = user;
    enum rv_kind kind;
    enum rv_judgement judgement = rv_judge_execution(&steering->judge, executed->kind, executed->told,
                                                     executed->told_size, executed->cut, &kind);
    steering->runs++;
    steering->hits += judgement == RV_JUDGED_BUG && kind == steering->bug->kind;
    return !steering->judge.lost;
}

/* How often the test fails when it is steered there. */
static void try_instance(struct steering *steering, struct rv_runner *runner,
                         const struct rv_instance *instance) {
    char strategy[160];
    steering->hits = steering->runs = 0;
    rv_aim_strategy(rv_runner_area(runner), instance, strategy, sizeof strategy);
    struct rv_batch batch = {.strategy = strategy,
                             .seed = 7,
                             .wanted = STEERED,
                             .keep_going = true,
                             .each = each,
                             .user = steering};
    (void)rv_runner_do(runner, &steering->bug->test, &batch);
}

static uint64_t methods_of(const struct rv_bug *bug) {
    uint64_t set = 0;
    for (uint32_t i = 0; i < bug->test.count; i++)
        if (bug->test.calls[i].phase == RV_PHASE_DURING && bug->test.calls[i].method < RV_CASE_METHODS)
            set |= 1ull << bug->test.calls[i].method;
    return set;
}

/* Some of the instances in the area that are between the threads' calls; spread over all of them. */
static uint32_t candidates(const struct rv_area *area, const struct rv_bug *bug, struct rv_instance *list) {
    uint64_t methods = methods_of(bug);
    struct rv_rng rng = rv_rng_stream(1, 1);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < RV_COVER_INSTANCES; i++) {
        struct rv_instance instance;
        bool inside = rv_coverage_instance(&area->coverage.instances[i], &instance);
        for (unsigned s = 0; inside && s < rv_pattern_table[instance.pattern].steps; s++)
            inside = rv_aim_methods(area, instance.statements[s], methods) != 0;
        if (!inside) continue;
        uint64_t at = seen < MOST_CANDIDATES ? seen : rv_rng_below(&rng, seen + 1u);
        if (at < MOST_CANDIDATES) list[at] = instance;
        seen++;
    }
    return seen < MOST_CANDIDATES ? seen : MOST_CANDIDATES;
}

static bool better(const struct steering *now, const struct rv_instance *instance,
                   const struct rv_bug_pattern *best, const struct rv_instance *chosen) {
    uint64_t mine = (uint64_t)now->hits * (best->runs ? best->runs : 1),
             other = (uint64_t)best->hits * (now->runs ? now->runs : 1);
    if (!best->found || mine != other) return !best->found || mine > other;
    return rv_pattern_table[instance->pattern].steps < rv_pattern_table[chosen->pattern].steps;
}

/* Only what is in instances[] belongs to the failing execution. */
static void choose(struct rv_bug_pattern *pattern, struct rv_instance *chosen, const struct rv_bug *bug,
                   struct rv_runner *runner) {
    struct rv_area *area = rv_runner_area(runner);
    struct rv_instance *list = rv_text_alloc(MOST_CANDIDATES, sizeof *list);
    struct steering steering = {.bug = bug};
    uint32_t count = candidates(area, bug, list);
    rv_judge_open(&steering.judge, runner, &bug->test);
    for (uint32_t i = 0; i < count && !steering.judge.lost; i++) {
        try_instance(&steering, runner, &list[i]);
        if (!steering.hits || !better(&steering, &list[i], pattern, chosen)) continue;
        pattern->found = true;
        pattern->hits = steering.hits;
        pattern->runs = steering.runs;
        *chosen = list[i];
    }
    rv_judge_close(&steering.judge);
    free(list);
}

/* The area with nothing but this instance. */
static void describe(struct rv_bug_pattern *pattern, const struct rv_instance *instance,
                     struct rv_area *area) {
    struct rv_coverage *coverage = &area->coverage;
    char *directory = getcwd(NULL, 0);
    memset(coverage->instances, 0, sizeof coverage->instances);
    coverage->instance_count = 0;
    rv_coverage_add(coverage, instance);
    struct rv_symboliser *symbols = rv_symboliser_open(area, directory ? directory : "");
    rv_coverage_collect(&pattern->data, area, symbols);
    rv_symboliser_close(symbols);
    free(directory);
    pattern->found = pattern->data.instance_keys.count == 1;
}

void rv_bug_pattern_find(struct rv_bug_pattern *pattern, const struct rv_bug *bug, struct rv_runner *runner) {
    struct rv_area *area = rv_runner_area(runner);
    struct rv_coverage *coverage = &area->coverage;
    struct rv_instance chosen = {0};
    *pattern = (struct rv_bug_pattern){0};
    struct rv_cover_instance *kept = rv_text_alloc(1, sizeof coverage->instances);
    uint32_t count = coverage->instance_count;
    memcpy(kept, coverage->instances, sizeof coverage->instances);
    memset(coverage->instances, 0, sizeof coverage->instances);
    memset(coverage->patterns.memo, 0, sizeof coverage->patterns.memo);
    coverage->instance_count = 0;
    if (rv_runner_replay(runner, &bug->test, &bug->schedule)) choose(pattern, &chosen, bug, runner);
    if (pattern->found && pattern->hits * 100 < pattern->runs * LEAST_PERCENT) pattern->found = false;
    if (pattern->found) describe(pattern, &chosen, area);
    memcpy(coverage->instances, kept, sizeof coverage->instances);
    coverage->instance_count = count;
    free(kept);
}

void rv_bug_pattern_free(struct rv_bug_pattern *pattern) {
    rv_cover_data_free(&pattern->data);
    *pattern = (struct rv_bug_pattern){0};
}

char *rv_bug_pattern_text(const struct rv_bug_pattern *pattern) {
    return rv_cover_describe(&pattern->data, rv_cover_instance_at(&pattern->data, 0));
}
