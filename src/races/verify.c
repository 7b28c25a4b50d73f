/* The second phase: each pair of statements that may race, verified.
 *
 * What the detectors call a pair is two code locations; what a user does is two lines. `x++` is two locations, and two threads
 * that do it are three pairs: they are one to the user, who gets one report. So finds are grouped by their lines, and a group
 * is real as soon as one of its pairs is.
 *
 * Steered executions (strategy steer) hold a thread at one side until another one stands at the other side. If that
 * succeeds, the schedule up to there, confirmed in a fresh process, is what the report lets the user replay. Some real races
 * have no such moment: those that only a weak memory order lets happen. For them the happens-before detector speaks: a
 * race that it saw is real, and the schedule ends at the second access.
 */
#include <stdlib.h>
#include <string.h>

#include "base/signature.h"
#include "races/harm.h"
#include "races/hunt_private.h"
#include "report/symbolise.h"
#include "report/text.h"
#include "supervisor/reduce.h"
#include "supervisor/util.h"

enum {
    HARMS_EXAMINED = 2,   /* kinds of failures after one race that are confirmed */
    COMBINATIONS_MAX = 64 /* of code locations for one pair that a user asks for */
};
static const double shorten_seconds = 1; /* the schedule of one race, on a slow machine */

/* Pairs of code locations with the same two lines. */
struct group {
    char *key;
    struct rv_race_find **finds; /* borrowed; NULL entries: none, only sites */
    rv_code (*sites)[2];
    size_t count;
    size_t verified; /* so many of them have been tried */
    unsigned tries;
    bool real, suppressed;
    enum rv_hunt_worth worth; /* the most that one of its pairs is */
};

struct groups {
    struct group *list;
    size_t count;
};

static struct group *group_of(struct groups *groups, char *key) {
    for (size_t i = 0; i < groups->count; i++) {
        if (strcmp(groups->list[i].key, key) != 0) continue;
        free(key);
        return &groups->list[i];
    }
    groups->list = rv_text_realloc(groups->list, groups->count + 1, sizeof *groups->list);
    groups->list[groups->count] = (struct group){.key = key};
    return &groups->list[groups->count++];
}

static void add_pair(struct group *group, struct rv_race_find *find, rv_code first, rv_code second) {
    group->finds = rv_text_realloc(group->finds, group->count + 1, sizeof(void *));
    group->sites = rv_text_realloc(group->sites, group->count + 1, sizeof *group->sites);
    group->finds[group->count] = find;
    group->sites[group->count][0] = first;
    group->sites[group->count++][1] = second;
}

/* ---- which pairs ---- */

static void weigh(const struct rv_hunt *hunt, struct group *group, const struct rv_location *first,
                  const struct rv_location *second) {
    const struct rv_hunt_options *options = hunt->options;
    enum rv_hunt_worth worth =
        options->worth ? options->worth(first, second, options->user) : RV_WORTH_VERIFYING;
    if (worth > group->worth) group->worth = worth;
}

static void group_finds(struct rv_hunt *hunt, struct groups *groups) {
    const struct rv_hunt_options *options = hunt->options;
    for (unsigned i = 0; i < hunt->finds.race_count; i++) {
        struct rv_race_find *find = &hunt->finds.races[i];
        const struct rv_location *first = rv_race_statement(&find->text.first),
                                 *second = rv_race_statement(&find->text.second);
        if (options->pairs && !rv_pairs_match_any(options->pairs, first, second)) continue;
        struct group *group = group_of(groups, rv_race_lines(first, second));
        add_pair(group, find, find->sites[0], find->sites[1]);
        weigh(hunt, group, first, second);
        if (options->suppressions && rv_suppress_race(options->suppressions, &find->text))
            group->suppressed = true;
    }
}

/* Pairs of the user's list that no execution made likely: every combination of accesses on these lines. */
static void group_given(struct rv_hunt *hunt, struct groups *groups) {
    const char *directory = hunt->about.program->directory;
    struct rv_symboliser *symbols =
        rv_symboliser_open_modules(hunt->modules, hunt->module_count, directory ? directory : ".");
    size_t count = hunt->access_count;
    struct rv_location *places = rv_text_alloc(count, sizeof *places);
    for (size_t i = 0; i < count; i++)
        (void)rv_symbolise_code(symbols, hunt->accesses[i], true, &places[i], 1);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i; k < count; k++) {
            if (!rv_pairs_match_any(hunt->options->pairs, &places[i], &places[k])) continue;
            struct group *group = group_of(groups, rv_race_lines(&places[i], &places[k]));
            bool likely = group->count > 0 && group->finds[0];
            weigh(hunt, group, &places[i], &places[k]);
            if (!likely && group->count < COMBINATIONS_MAX)
                add_pair(group, NULL, hunt->accesses[i], hunt->accesses[k]);
        }
    }
    for (size_t i = 0; i < count; i++) rv_location_free(&places[i]);
    free(places);
    rv_symboliser_close(symbols);
}

static bool is_grouped(const struct groups *groups, uint64_t signature) {
    for (size_t i = 0; i < groups->count; i++)
        for (size_t k = 0; k < groups->list[i].count; k++)
            if (rv_race_signature(groups->list[i].sites[k][0], groups->list[i].sites[k][1]) == signature)
                return true;
    return false;
}

/* Races that no recorded execution has, but another one. */
static void group_seen(struct rv_hunt *hunt, struct groups *groups) {
    struct rv_symboliser *symbols = NULL;
    const char *directory = hunt->about.program->directory;
    for (size_t i = 0; i < hunt->seen_count; i++) {
        const struct rv_seen_race *seen = &hunt->seen[i];
        struct rv_location first, second;
        if (is_grouped(groups, seen->signature)) continue;
        if (!symbols)
            symbols =
                rv_symboliser_open_modules(hunt->modules, hunt->module_count, directory ? directory : ".");
        (void)rv_symbolise_code(symbols, seen->sites[0], true, &first, 1);
        (void)rv_symbolise_code(symbols, seen->sites[1], true, &second, 1);
        if (!hunt->options->pairs || rv_pairs_match_any(hunt->options->pairs, &first, &second)) {
            struct group *group = group_of(groups, rv_race_lines(&first, &second));
            add_pair(group, NULL, seen->sites[0], seen->sites[1]);
            weigh(hunt, group, &first, &second);
        }
        rv_location_free(&first);
        rv_location_free(&second);
    }
    if (symbols) rv_symboliser_close(symbols);
}

static void free_groups(struct groups *groups) {
    for (size_t i = 0; i < groups->count; i++) {
        free(groups->list[i].key);
        free(groups->list[i].finds);
        free(groups->list[i].sites);
    }
    free(groups->list);
}

/* ---- one pair ---- */

struct attempt {
    uint64_t signature;
    struct rv_expectation expected;
    bool real;
    struct rv_failure failure; /* with `real`: of kind race */
    unsigned tries;
    struct rv_schedule harms[HARMS_EXAMINED];
    uint64_t harm_signatures[HARMS_EXAMINED];
    size_t harm_count;
};

static bool confirm(struct rv_hunt *hunt, struct attempt *attempt, const struct rv_schedule *schedule) {
    struct rv_confirmation confirmation;
    rv_confirm(&confirmation, &hunt->about, schedule, &attempt->expected);
    bool real = confirmation.verdict == RV_CONFIRMED && confirmation.failure.kind == RV_KIND_RACE &&
                confirmation.failure.race && confirmation.failure.signature == attempt->signature;
    if (real) {
        attempt->real = true;
        attempt->failure = confirmation.failure;
        confirmation.failure = (struct rv_failure){0};
    }
    hunt->hidden |= confirmation.verdict == RV_HIDDEN;
    rv_confirmation_free(&confirmation);
    return real;
}

static void note_harm(struct attempt *attempt, struct rv_suspect *suspect) {
    for (size_t i = 0; i < attempt->harm_count; i++)
        if (attempt->harm_signatures[i] == suspect->outcome.signature) return;
    if (attempt->harm_count == HARMS_EXAMINED || !suspect->replayable) return;
    attempt->harm_signatures[attempt->harm_count] = suspect->outcome.signature;
    attempt->harms[attempt->harm_count++] =
        rv_schedule_copy(suspect->schedule.runs, suspect->schedule.run_count, suspect->schedule.choices,
                         suspect->schedule.choice_count);
}

static bool suspect(struct rv_hunt *hunt, struct rv_suspect *suspect, void *user) {
    struct attempt *attempt = user;
    if (suspect->outcome.kind == RV_KIND_RACE) {
        if (suspect->outcome.signature != attempt->signature)
            rv_hunt_saw(hunt, suspect);
        else if (!attempt->real && suspect->replayable && confirm(hunt, attempt, &suspect->schedule))
            attempt->tries = (unsigned)suspect->first_schedule;
    } else if (suspect->outcome.race_met) {
        note_harm(attempt, suspect);
    } else {
        rv_hunt_failed(hunt, suspect);
    }
    return true;
}

static void steer(struct rv_hunt *hunt, struct attempt *attempt, const rv_code sites[2]) {
    char strategy[64];
    snprintf(strategy, sizeof strategy, "steer:race,%llx,%llx", (unsigned long long)sites[0],
             (unsigned long long)sites[1]);
    struct rv_head_start head_start = {hunt->modules, hunt->module_count, sites, 2};
    struct rv_expedition expedition = {.config = rv_hunt_config(hunt, strategy, hunt->options->tries),
                                       .head_start = &head_start,
                                       .suspect = suspect,
                                       .user = attempt};
    expedition.config.race = attempt->signature;
    (void)rv_hunt_explore(hunt, &expedition);
    hunt->result->steered += expedition.executions;
    if (!attempt->real) attempt->tries += (unsigned)expedition.executions;
}

static void free_attempt(struct attempt *attempt) {
    for (size_t i = 0; i < attempt->harm_count; i++) rv_schedule_free(&attempt->harms[i]);
    if (attempt->real) rv_failure_free(&attempt->failure);
}

/* ---- one group ---- */

static const struct rv_race_find *best_find(const struct group *group) {
    const struct rv_race_find *best = NULL;
    for (size_t i = 0; i < group->count; i++)
        if (group->finds[i] && (!best || group->finds[i]->flags > best->flags)) best = group->finds[i];
    return best;
}

static uint64_t count_of(const struct group *group) {
    uint64_t most = 0;
    for (size_t i = 0; i < group->count; i++)
        if (group->finds[i] && group->finds[i]->count > most) most = group->finds[i]->count;
    return most;
}

static struct rv_race_text *add_race(struct rv_hunt_result *result) {
    result->races = rv_text_realloc(result->races, result->race_count + 1, sizeof *result->races);
    result->races[result->race_count] = (struct rv_race_text){0};
    return &result->races[result->race_count++];
}

static bool try_pair(struct rv_hunt *hunt, struct attempt *attempt, const rv_code sites[2]) {
    attempt->signature = rv_race_signature(sites[0], sites[1]);
    attempt->expected = (struct rv_expectation){RV_KIND_RACE, attempt->signature, .met = false};
    steer(hunt, attempt, sites);
    return attempt->real;
}

/* What the happens-before detector has met meanwhile, if steering did not succeed. */
static bool try_seen(struct rv_hunt *hunt, struct attempt *attempt, const struct group *group) {
    for (size_t i = group->verified; i < group->count && !attempt->real; i++) {
        attempt->signature = rv_race_signature(group->sites[i][0], group->sites[i][1]);
        attempt->expected = (struct rv_expectation){RV_KIND_RACE, attempt->signature, .met = false};
        const struct rv_seen_race *seen = rv_hunt_seen(hunt, attempt->signature);
        if (seen) (void)confirm(hunt, attempt, &seen->schedule);
    }
    return attempt->real;
}

/* What was seen on the way, then what the order of the two accesses does. */
static void find_harm(struct rv_hunt *hunt, const struct attempt *attempt) {
    struct rv_harm harm = {0};
    for (size_t i = 0; i < attempt->harm_count && !harm.what; i++)
        rv_harm_of_failure(&harm, &hunt->about, &attempt->harms[i]);
    if (!harm.what) rv_harm_of_orders(&harm, &hunt->about, &attempt->failure);
    if (harm.failure.program) rv_hunt_save(hunt, &harm.failure);
    rv_harm_tell(&harm, harm.failure.program ? harm.failure.file : "", attempt->failure.race);
    rv_harm_free(&harm);
}

/* The failure's own race becomes the report; what it says of the race is saved with it. */
static void tell_real(struct rv_hunt *hunt, struct attempt *attempt, const struct group *group) {
    struct rv_failure *failure = &attempt->failure;
    if (hunt->options->suppressions && rv_suppress_race(hunt->options->suppressions, failure->race)) {
        hunt->result->suppressed++;
        return;
    }
    rv_reduce(failure, &hunt->about, shorten_seconds);
    if (!failure->race) return;
    struct rv_race_text *race = failure->race;
    race->status = RV_RACE_REAL;
    race->predicted = false;
    race->signature = attempt->signature;
    race->count = count_of(group);
    if (!race->count) race->count = 1;
    race->tries = attempt->tries;
    find_harm(hunt, attempt);
    failure->count = race->count;
    rv_hunt_save(hunt, failure);
    *add_race(hunt->result) = *race;
    free(race);
    failure->race = NULL;
}

static void tell_potential(struct rv_hunt *hunt, const struct group *group) {
    const struct rv_race_find *best = best_find(group);
    if (!best) return; /* a pair that was asked for, and did not race */
    struct rv_race_find *find = (struct rv_race_find *)(uintptr_t)best;
    struct rv_race_text *race = add_race(hunt->result);
    *race = find->text;
    find->text = (struct rv_race_text){0};
    race->status = RV_RACE_POTENTIAL;
    race->count = count_of(group);
    race->tries = group->tries;
}

/* Those of its pairs that are new. */
static void verify(struct rv_hunt *hunt, struct group *group) {
    struct attempt attempt = {.tries = group->tries};
    for (size_t i = group->verified; i < group->count && !attempt.real && !rv_hunt_over(hunt); i++)
        (void)try_pair(hunt, &attempt, group->sites[i]);
    group->real = attempt.real || try_seen(hunt, &attempt, group);
    group->verified = group->count;
    group->tries = attempt.tries;
    if (group->real) tell_real(hunt, &attempt, group);
    free_attempt(&attempt);
}

/* ---- the whole ---- */

/* What is proved from a recorded execution holds if that has all there is. */
static void doubt_predictions(struct rv_hunt_result *result) {
    for (size_t i = 0; i < result->race_count; i++) result->races[i].predicted = false;
    rv_notes_add(
        &result->notes,
        rv_text_copy("something orders threads that ravel does not see (inline assembly, or code not "
                     "built with ravel cc): what is only potential may be no race"));
}

/* One that has not been tried, or has got new pairs since, of those that are worth most; NULL: none. */
static struct group *next_group(const struct groups *groups) {
    struct group *next = NULL;
    for (size_t i = 0; i < groups->count; i++) {
        struct group *group = &groups->list[i];
        if (group->real || group->suppressed || group->verified == group->count) continue;
        if (group->worth >= RV_WORTH_VERIFYING && (!next || group->worth > next->worth)) next = group;
    }
    return next;
}

void rv_hunt_verify(struct rv_hunt *hunt) {
    struct groups groups = {0};
    struct group *group;
    char what[80];
    group_finds(hunt, &groups);
    if (hunt->options->pairs) group_given(hunt, &groups);
    group_seen(hunt, &groups);
    while ((group = next_group(&groups))) {
        snprintf(what, sizeof what, "verifying: pair %zu of %zu", (size_t)(group - groups.list) + 1,
                 groups.count);
        rv_progress_say(hunt->options->progress, what);
        verify(hunt, group);
        group_seen(hunt, &groups); /* what was met on the way */
    }
    for (size_t i = 0; i < groups.count; i++) {
        hunt->result->suppressed += groups.list[i].suppressed;
        if (!groups.list[i].real && !groups.list[i].suppressed && groups.list[i].worth)
            tell_potential(hunt, &groups.list[i]);
    }
    if (hunt->hidden) doubt_predictions(hunt->result);
    free_groups(&groups);
}
