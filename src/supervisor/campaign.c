#include "supervisor/campaign.h"

#include <stdlib.h>
#include <string.h>

#include "races/harm.h"
#include "report/printer.h"
#include "report/race.h"
#include "report/text.h"
#include "strategy/strategy.h"
#include "supervisor/confirm.h"
#include "supervisor/covered.h"
#include "supervisor/explore.h"
#include "supervisor/known.h"
#include "supervisor/reduce.h"
#include "supervisor/selfcheck.h"

enum {
    TICK_MS = 50,
    DEATHS_EXAMINED = 32, /* of workers: each costs a process or two; the others are only counted */
    CHECK_FROM = 10,      /* schedules from which on a campaign is worth a self-check */
    CHECK_AGAIN_SECONDS = 5,
    MOST_AUDITED = 128, /* executions, half of them in another order than the one before */
    LEAST_AUDITED = 16,
};
static const double audit_seconds =
    2; /* beyond what the search took: programs that wait for the world are slow */
static const double reduce_seconds = 6;      /* for one failure, if the machine is slow */
static const double reduce_seconds_race = 1; /* and for a data race, which is short as it is */
static const double harm_seconds_all = 10;   /* for what data races do */
static const double reduce_seconds_all = 30; /* for all of them together */

struct campaign {
    const struct rv_campaign_options *options;
    struct rv_case about; /* isolation changes if memory isolation turns out not to hold */
    struct rv_vault *vault;
    struct rv_result *result;
    struct rv_explorer explorer;
    double started;              /* exploration began */
    double deadline;             /* of all exploration; 0: none */
    double unused;               /* seconds since then in which nobody explored */
    unsigned deaths;             /* examined */
    uint64_t earlier;            /* executions of the search that is carried on */
    struct rv_cover_run covered; /* so far */
    bool fork_instead;           /* what was seen cannot be trusted: start again with fork isolation */
};

/* --- what was found --- */

static void save(struct campaign *campaign, struct rv_found *found) {
    char *error = NULL;
    if (rv_vault_save(campaign->vault, &found->failure, &error)) return;
    rv_notes_add(&campaign->result->warnings, error);
}

static bool is_suppressed(const struct campaign *campaign, const struct rv_failure *failure) {
    struct rv_suppressions *suppressions = campaign->options->suppressions;
    return failure->race && suppressions && rv_suppress_race(suppressions, failure->race);
}

/* A failure that a fresh process showed; takes it over. */
static void add_found(struct campaign *campaign, struct rv_failure *failure,
                      const struct rv_suspect *suspect) {
    struct rv_result *result = campaign->result;
    struct rv_found *found = rv_result_find(result, failure);
    if (found) { /* two things that workers told apart are the same in a fresh process, or to the user */
        found->failure.count++;
        if (found->failure.first_schedule == 0) found->failure.first_schedule = suspect->first_schedule;
        rv_failure_free(failure);
    } else if (is_suppressed(campaign, failure)) {
        result->suppressed++;
        rv_failure_free(failure);
        return;
    } else {
        rv_text_set(&failure->isolation, rv_text_copy(rv_isolation_name(result->isolation)));
        failure->first_schedule = suspect->first_schedule;
        failure->count = 1;
        found = rv_result_add(result, failure);
        save(campaign, found);
    }
    rv_found_seen(found, suspect->outcome.signature);
}

static void add_hidden(struct rv_result *result, const struct rv_race_text *race) {
    if (!race) return;
    const struct rv_location *first = rv_race_statement(&race->first),
                             *second = rv_race_statement(&race->second);
    rv_notes_add(&result->hidden, rv_text_format("%s:%u and %s:%u", rv_base_name(first->file), first->line,
                                                 rv_base_name(second->file), second->line));
}

static bool may_fork_instead(const struct campaign *campaign) {
    return campaign->about.config.isolation == RV_ISOLATION_AUTO &&
           campaign->result->isolation != RV_ISOLATION_FORK;
}

/* The suspect is none, as far as a fresh process can tell. */
static void dismiss(struct campaign *campaign, const struct rv_suspect *suspect, uint64_t deviations) {
    struct rv_result *result = campaign->result;
    char *message = rv_clean_text(suspect->outcome.message, sizeof suspect->outcome.message);
    const char *kind = rv_kind_names[suspect->outcome.kind];
    if (suspect->from_outside) {
        rv_notes_add(
            &result->notes,
            rv_text_copy("a worker was killed by SIGKILL from outside (a lack of memory?), was replaced, and "
                         "the campaign went on"));
    } else if (may_fork_instead(campaign) &&
               suspect->outcome.kind != RV_KIND_HANG) { /* that is about patience */
        rv_notes_add(
            &result->notes,
            rv_text_format("a failure (%s: %s) did not happen again in a fresh process: memory isolation "
                           "does not hold for this program; started again with fork isolation",
                           kind, message));
        campaign->fork_instead = true;
    } else {
        result->unconfirmed++;
        rv_notes_add(&result->notes,
                     rv_text_format("a failure did not happen again in a fresh process and is not "
                                    "reported: %s: %s",
                                    kind, message));
        if (deviations)
            rv_notes_add(&result->notes,
                         rv_text_format("%llu runs of its schedule could not be followed there",
                                        (unsigned long long)deviations));
        rv_selfcheck_schedule(&campaign->about, &suspect->schedule, &result->nondeterminism);
    }
    free(message);
}

static void examine(struct campaign *campaign, struct rv_suspect *suspect) {
    struct rv_confirmation confirmation;
    struct rv_expectation expected = {(enum rv_kind)suspect->outcome.kind, suspect->outcome.signature,
                                      .met = false};
    struct rv_totals totals;
    rv_explorer_totals(&campaign->explorer, &totals);
    if (totals.isolation != RV_ISOLATION_AUTO) campaign->result->isolation = totals.isolation;
    if (suspect->died && campaign->deaths++ >= DEATHS_EXAMINED) {
        rv_notes_add(&campaign->result->notes,
                     rv_text_format("workers died in more than %d executions; only the first were examined",
                                    DEATHS_EXAMINED));
        return;
    }
    if (!suspect->replayable) {
        campaign->result->unconfirmed++;
        rv_notes_add(&campaign->result->notes,
                     rv_text_format("a failure (%s) is not reported: its schedule was too long to be kept",
                                    rv_kind_names[suspect->outcome.kind]));
        return;
    }
    rv_confirm(&confirmation, &campaign->about, &suspect->schedule, &expected);
    if (confirmation.verdict == RV_CONFIRMED)
        add_found(campaign, &confirmation.failure, suspect);
    else if (confirmation.verdict == RV_HIDDEN)
        add_hidden(campaign->result, confirmation.failure.race);
    else if (confirmation.verdict != RV_UNAVAILABLE)
        dismiss(campaign, suspect, confirmation.outcome.deviations);
    else if (confirmation.why)
        rv_notes_add(&campaign->result->warnings, rv_text_copy(confirmation.why));
    rv_confirmation_free(&confirmation);
}

/* --- exploration --- */

static bool time_is_up(const struct campaign *campaign) {
    return campaign->deadline > 0 && rv_seconds() >= campaign->deadline;
}

static bool enough(const struct campaign *campaign) {
    return campaign->fork_instead ||
           (rv_result_failed(campaign->result) > 0 && !campaign->about.config.keep_going);
}

static void show_progress(struct campaign *campaign) {
    struct rv_totals totals;
    rv_explorer_totals(&campaign->explorer, &totals);
    struct rv_progress_state state = {.schedules = totals.executions,
                                      .budget = campaign->about.config.schedules,
                                      .seconds = rv_seconds() - campaign->started,
                                      .time_limit = campaign->options->time_limit,
                                      .coverage = totals.coverage,
                                      .failures = campaign->result->found_count,
                                      .search = totals.search.known,
                                      .grows = totals.search.grows,
                                      .done = totals.search.done,
                                      .depth = totals.search.depth,
                                      .pruned = totals.search.pruned};
    rv_progress_show(campaign->options->progress, &state);
}

static void examine_all(struct campaign *campaign) {
    struct rv_suspect suspect;
    while (!enough(campaign) && rv_explorer_take(&campaign->explorer, &suspect)) {
        examine(campaign, &suspect);
        rv_schedule_free(&suspect.schedule);
    }
}

/* Until a reason to stop; returns it. */
static enum rv_stop explore(struct campaign *campaign) {
    struct rv_explorer *explorer = &campaign->explorer;
    for (;;) {
        bool running = rv_explorer_look(explorer);
        double before = rv_seconds();
        examine_all(campaign);
        if (!running) campaign->unused += rv_seconds() - before;
        if (rv_interrupted) return RV_STOP_INTERRUPT;
        if (enough(campaign)) return RV_STOP_FAILURE;
        if (explorer->error) return RV_STOP_ERROR;
        if (time_is_up(campaign)) return RV_STOP_TIME;
        if (rv_explorer_paused(explorer)) {
            /* What it paused for was no failure. If that happened once it will again: do not pause for it. */
            rv_explorer_resume(explorer, true);
        } else if (!running) {
            return RV_STOP_SCHEDULES;
        }
        show_progress(campaign);
        rv_explorer_wait(explorer, TICK_MS);
    }
}

/* Right after exploration: what follows may take long, and be cut short. */
static void keep_lessons(struct campaign *campaign) {
    struct rv_learning *learning = campaign->options->learning;
    char *error = NULL;
    if (!learning || campaign->fork_instead) return; /* then all is explored again */
    rv_explorer_lessons(&campaign->explorer, learning->lessons);
    if (!rv_learning_save(learning, &error))
        rv_notes_add(&campaign->result->warnings,
                     rv_text_format("what the strategy has learned is not kept: %s", error));
    free(error);
}

/* What is left of the search, for --resume. */
static void save_frontier(struct campaign *campaign, const struct rv_totals *totals) {
    struct rv_frontier *frontier = campaign->options->frontier;
    char *error = NULL;
    if (!frontier || campaign->fork_instead || campaign->explorer.error) return;
    if (!rv_frontier_save(frontier, &campaign->explorer, totals, &error))
        rv_notes_add(&campaign->result->warnings, error);
}

/* How often it was seen. Of a race, by the pair of instructions that was seen most: others come with it. */
static void count_found(const struct rv_explorer *explorer, struct rv_found *found) {
    struct rv_failure *failure = &found->failure;
    for (size_t i = 0; i < found->seen_count; i++) {
        uint64_t count = rv_explorer_count(explorer, found->seen_signatures[i]);
        if (count > failure->count) failure->count = count;
    }
    if (failure->race) failure->race->count = failure->count;
}

/* Races that were not reported, and why. */
static void note_races(struct rv_result *result) {
    if (result->suppressed)
        rv_notes_add(&result->notes,
                     rv_text_format("suppressed: %llu data race%s", (unsigned long long)result->suppressed,
                                    result->suppressed == 1 ? "" : "s"));
    if (result->hidden.count)
        rv_notes_add(
            &result->notes,
            rv_text_format("not reported as data races: %s%s%s. In no execution do two threads come to "
                           "them at once, and nothing that ravel sees is the reason: it may be "
                           "inline assembly, or code not built with ravel cc",
                           result->hidden.texts[0], result->hidden.count > 1 ? "; " : "",
                           result->hidden.count > 2   ? "and others"
                           : result->hidden.count > 1 ? result->hidden.texts[1]
                                                      : ""));
}

/* What is left to do when exploration has ended: the numbers, and what came in meanwhile. */
static void conclude(struct campaign *campaign, enum rv_stop stop) {
    struct rv_result *result = campaign->result;
    struct rv_explorer *explorer = &campaign->explorer;
    struct rv_totals totals;
    result->seconds = rv_seconds() - campaign->started - campaign->unused;
    rv_explorer_stop(explorer);
    rv_explorer_totals(explorer, &totals);
    result->schedules = totals.executions;
    result->not_terminating = totals.not_terminating;
    result->dead_ends = totals.dead_ends;
    result->coverage = totals.coverage;
    result->search = (struct rv_search_result){.known = totals.search.known,
                                               .estimated_total = totals.search.estimated,
                                               .depth = totals.search.depth,
                                               .pruned = totals.search.pruned,
                                               .earlier = campaign->earlier};
    if (totals.isolation != RV_ISOLATION_AUTO) result->isolation = totals.isolation;
    result->complete = totals.complete;
    result->stopped_by = stop == RV_STOP_SCHEDULES && totals.complete ? RV_STOP_COMPLETE : stop;
    if (stop == RV_STOP_INTERRUPT) rv_interrupted = 0; /* a second one cuts the rest short */
    examine_all(campaign);
    keep_lessons(campaign);
    if (campaign->options->coverage)
        rv_covered_take(explorer, campaign->options->coverage, &campaign->covered);
    if (result->nondeterminism.found || result->unconfirmed) { /* then nobody knows what has been covered */
        result->complete = false;
        if (result->stopped_by == RV_STOP_COMPLETE) result->stopped_by = RV_STOP_SCHEDULES;
    }
    for (size_t i = 0; i < result->found_count; i++) count_found(explorer, &result->found[i]);
    save_frontier(campaign, &totals);
    rv_explorer_notes(explorer, &result->notes);
    if (explorer->elsewhere)
        rv_notes_add(
            &result->notes,
            rv_text_copy(
                "workers could not share the search: the program is not loaded at the same addresses "
                "in each of them (address space randomisation cannot be turned off here)"));
    if (explorer->error) rv_text_set(&result->error, rv_text_copy(explorer->error));
    if (stop == RV_STOP_ERROR && result->found_count > 0) result->stopped_by = RV_STOP_FAILURE;
}

/* How the search is done by several workers, if it is one that has a tree. */
static void divide(struct campaign *campaign) {
    struct rv_config *config = &campaign->about.config;
    const char *params;
    const struct rv_strategy *strategy = rv_strategy_find(config->strategy, &params);
    if (!strategy) return;
    const struct rv_frontier *frontier = campaign->options->frontier;
    bool carried_on = frontier && frontier->pool.count;
    config->divided = (config->workers > 1 || carried_on) && strategy->division && strategy->division->split;
    if (strategy->undivided && config->workers > 1) {
        config->workers = 1;
        rv_notes_add(&campaign->result->notes,
                     rv_text_format("%s does not divide its search: there is one worker", strategy->name));
    }
}

static void explore_once(struct campaign *campaign) {
    struct rv_explorer *explorer = &campaign->explorer;
    campaign->started = rv_seconds();
    campaign->unused = 0;
    divide(campaign);
    campaign->earlier = 0;
    const struct rv_learning *learning = campaign->options->learning;
    struct rv_frontier *frontier = campaign->options->frontier;
    if (frontier && !frontier->pool.count) frontier = NULL; /* nothing to carry on */
    if (frontier) campaign->earlier = frontier->executions;
    bool opened = rv_explorer_open(explorer, campaign->about.program, &campaign->about.config,
                                   learning ? learning->lessons : NULL, frontier);
    enum rv_stop stop = opened ? explore(campaign) : RV_STOP_ERROR;
    if (explorer->channel.shared) {
        conclude(campaign, stop);
    } else {
        rv_text_set(&campaign->result->error, rv_text_copy(explorer->error));
        campaign->result->stopped_by = RV_STOP_ERROR;
    }
    rv_progress_clear(campaign->options->progress);
    rv_explorer_close(explorer);
}

/* --- whether `complete` can be believed --- */

/* Of this strategy, or of one that it is made of. */
static bool rests_on_independence(const struct rv_config *config) {
    const char *params;
    const struct rv_strategy *strategy = rv_strategy_find(config->strategy, &params);
    return strategy && (strategy->names_objects || strategy->in_charge);
}

enum audit { AUDIT_FINE, AUDIT_DIFFERS, AUDIT_NONE /* interrupted, or it could not be done */ };

/* What the workers of the audit met that fails is a failure like any other, later than those of the search. */
static void examine_audited(struct campaign *campaign, uint64_t executions) {
    struct rv_result *result = campaign->result;
    struct rv_suspect suspect;
    size_t found = result->found_count;
    while (rv_explorer_take(&campaign->explorer, &suspect)) {
        suspect.first_schedule += result->schedules;
        examine(campaign, &suspect);
        rv_schedule_free(&suspect.schedule);
    }
    if (result->found_count > found) result->schedules += executions;
}

/* Runs the executions of strategy/audit.c, as many as there is time for. */
static enum audit run_audit(struct campaign *campaign, const struct rv_config *config) {
    struct rv_explorer *explorer = &campaign->explorer;
    struct rv_totals totals;
    size_t found = campaign->result->found_count;
    double end = rv_seconds() + campaign->result->seconds + audit_seconds;
    bool running = rv_explorer_open(explorer, campaign->about.program, config, NULL, NULL);
    if (!explorer->channel.shared) return AUDIT_NONE;
    while ((running = running && rv_explorer_look(explorer)) && !rv_interrupted && rv_seconds() < end)
        rv_explorer_wait(explorer, TICK_MS);
    rv_explorer_stop(explorer);
    rv_explorer_totals(explorer, &totals);
    if (rv_interrupted || explorer->error) return AUDIT_NONE;
    examine_audited(campaign, totals.executions);
    if (campaign->result->found_count > found) return AUDIT_DIFFERS;
    /* Left by itself: with all done, or without threads (complete), or because it saw a difference. */
    bool all = running || totals.executions >= config->schedules || totals.complete;
    return all ? AUDIT_FINE : AUDIT_DIFFERS;
}

/* What passes between threads unseen was known from the beginning: a mixture did without such searches; others cannot be
 * complete. */
static enum audit known_hidden(struct rv_result *result, const struct rv_config *config) {
    const char *params;
    const struct rv_strategy *strategy = rv_strategy_find(config->strategy, &params);
    if (strategy && strategy->in_charge) return AUDIT_FINE;
    result->complete = false;
    result->stopped_by = RV_STOP_SCHEDULES;
    rv_notes_add(&result->notes,
                 rv_text_copy("not complete: the schedule of events asks who is blocked or what has not "
                              "happened, which a search up to equivalence does not see (dfs does)"));
    return AUDIT_DIFFERS;
}

/* A search up to equivalence has ended, which rests on what ravel sees: whether that is enough. */
static enum audit audit(struct campaign *campaign) {
    struct rv_result *result = campaign->result;
    struct rv_config config = campaign->about.config;
    if (!result->complete || !rests_on_independence(&config)) return AUDIT_FINE;
    if (config.hidden) return known_hidden(result, &config);
    snprintf(config.strategy, sizeof config.strategy, "audit");
    config.schedules = result->schedules * 2;
    if (config.schedules < LEAST_AUDITED) config.schedules = LEAST_AUDITED;
    if (config.schedules > MOST_AUDITED) config.schedules = MOST_AUDITED;
    config.workers = 1;
    config.divided = false;
    config.keep_going = true;
    config.output = RV_OUTPUT_DISCARD;
    config.races = 0;
    config.coverage = RV_COVER_OFF;
    config.isolation = result->isolation;
    size_t found = result->found_count;
    enum audit verdict = run_audit(campaign, &config);
    rv_explorer_close(&campaign->explorer);
    if (verdict == AUDIT_FINE) return verdict;
    result->complete = false;
    result->stopped_by = result->found_count > found ? RV_STOP_FAILURE
                         : rv_interrupted            ? RV_STOP_INTERRUPT
                                                     : RV_STOP_SCHEDULES;
    const char *why = "not complete: the audit that comes before that word could not be done";
    if (verdict == AUDIT_DIFFERS)
        why =
            "steps that seem independent went another way in another order: something that ravel does not see "
            "(inline assembly, code not built with ravel cc) passes between threads; a search up to equivalence "
            "cannot be complete";
    rv_notes_add(&result->notes, rv_text_copy(why));
    return verdict;
}

static void explore_and_audit(struct campaign *campaign) {
    explore_once(campaign);
    if (audit(campaign) != AUDIT_DIFFERS || enough(campaign)) return;
    const char *params;
    const struct rv_strategy *strategy = rv_strategy_find(campaign->about.config.strategy, &params);
    if (!strategy->in_charge) return;
    campaign->about.config.hidden = true; /* of a mixture something is left that does not rest on it */
    explore_once(campaign);
}

/* --- before and after --- */

/* Before exploring, and again after a long search that found nothing: with other schedules. */
static void check_self(struct campaign *campaign, uint64_t seed) {
    struct rv_result *result = campaign->result;
    const struct rv_config *config = &campaign->about.config;
    if (!campaign->options->check || config->schedules < CHECK_FROM || rv_interrupted) return;
    bool alone = false;
    enum rv_check verdict = rv_selfcheck(&campaign->about, seed, &result->nondeterminism, &alone);
    if (alone && config->workers > 1) {
        campaign->about.config.workers = 1;
        rv_notes_add(&result->notes,
                     rv_text_copy("the program changes files: workers side by side would disturb "
                                  "each other, so there is one"));
    }
    if (verdict != RV_CHECK_RESTORE) return;
    if (config->isolation != RV_ISOLATION_AUTO) {
        rv_notes_add(&result->notes,
                     rv_text_copy("executions after memory was restored differ from those of a fresh "
                                  "process: --isolation=fork would be right for this program"));
        return;
    }
    rv_notes_add(&result->notes,
                 rv_text_copy("executions after memory was restored differ from those of a fresh "
                              "process: fork isolation is used"));
    campaign->fork_instead = true;
}

static void use_fork(struct campaign *campaign) {
    campaign->about.config.isolation = RV_ISOLATION_FORK;
    campaign->result->isolation = RV_ISOLATION_FORK;
    campaign->fork_instead = false;
}

/* No execution has kept to the plan of events: then one that does not is the failure. */
static void explore_dead_end(struct campaign *campaign) {
    struct rv_result *result = campaign->result;
    struct rv_config *config = &campaign->about.config;
    uint64_t schedules = result->schedules;
    double seconds = result->seconds;
    if (config->dead_ends != RV_DEAD_ENDS_COUNT || !schedules || result->dead_ends < schedules ||
        result->found_count || rv_interrupted)
        return;
    config->dead_ends = RV_DEAD_ENDS_FAIL;
    config->schedules = 1;
    explore_once(campaign);
    result->complete = false;
    result->schedules = schedules;
    result->seconds += seconds;
    if (result->found_count) result->stopped_by = RV_STOP_FAILURE;
}

static void explore_and_check(struct campaign *campaign) {
    const struct rv_result *result = campaign->result;
    check_self(campaign, result->config.seed);
    if (campaign->fork_instead) use_fork(campaign);
    if (campaign->options->time_limit > 0) campaign->deadline = rv_seconds() + campaign->options->time_limit;
    explore_and_audit(campaign);
    explore_dead_end(campaign);
    bool unsuspicious = result->found_count == 0 && !result->error && !campaign->fork_instead;
    if (unsuspicious && result->isolation != RV_ISOLATION_FORK && result->seconds > CHECK_AGAIN_SECONDS)
        check_self(campaign, result->config.seed + 1);
    if (campaign->fork_instead) {
        use_fork(campaign);
        explore_and_audit(campaign);
    }
}

/* Makes each failure as simple as there is time for. What there is has been saved already. */
static void reduce_all(struct campaign *campaign) {
    struct rv_result *result = campaign->result;
    size_t count = 0, done = 0;
    for (size_t i = 0; i < result->found_count; i++) count += !result->found[i].final;
    struct rv_case about = campaign->about;
    if (result->isolation == RV_ISOLATION_FORK)
        about.config.isolation = RV_ISOLATION_FORK; /* found out by workers */
    double share = count ? reduce_seconds_all / (double)count : 0;
    for (size_t i = 0; i < result->found_count && !rv_interrupted; i++) {
        struct rv_found *found = &result->found[i];
        if (found->final) continue;
        char what[64];
        snprintf(what, sizeof what, "simplifying failure %zu of %zu", ++done, count);
        rv_progress_say(campaign->options->progress, what);
        double most = found->failure.kind == RV_KIND_RACE ? reduce_seconds_race : reduce_seconds;
        rv_reduce(&found->failure, &about, share < most ? share : most);
        found->final = true;
        save(campaign, found);
    }
    rv_progress_clear(campaign->options->progress);
}

/* --- what races do --- */

/* The file of a failure that a race has led to: perhaps it was found before. */
static const char *keep_harm(struct campaign *campaign, struct rv_failure *failure) {
    struct rv_found *found = rv_result_find(campaign->result, failure);
    if (!found) {
        rv_text_set(&failure->isolation, rv_text_copy(rv_isolation_name(campaign->result->isolation)));
        found = rv_result_add(campaign->result, failure);
        found->final = true;
        save(campaign, found);
    }
    return found->failure.file;
}

static void examine_harms(struct campaign *campaign) {
    struct rv_result *result = campaign->result;
    double end = rv_seconds() + harm_seconds_all;
    for (size_t i = 0; i < result->found_count && !rv_interrupted && rv_seconds() < end; i++) {
        struct rv_race_text *race = result->found[i].failure.race;
        if (!race || result->found[i].known) continue;
        struct rv_harm harm = {0};
        rv_progress_say(campaign->options->progress, "trying both orders of a data race");
        rv_harm_of_orders(&harm, &campaign->about, &result->found[i].failure);
        const char *file = harm.failure.program ? keep_harm(campaign, &harm.failure) : "";
        rv_harm_tell(&harm, file, race);
        if (harm.what) save(campaign, &result->found[i]);
        rv_harm_free(&harm);
    }
    rv_progress_clear(campaign->options->progress);
    rv_result_sort(result);
}

void rv_campaign_run(struct rv_result *result, const struct rv_program *program,
                     const struct rv_campaign_options *options, struct rv_vault *vault) {
    struct campaign campaign = {.options = options,
                                .about = {.program = program, .config = options->config},
                                .vault = vault,
                                .result = result};
    *result = (struct rv_result){.program = program, .config = options->config};
    result->isolation = options->config.isolation;
    if (program->input_silent)
        rv_notes_add(&result->notes,
                     rv_text_copy("standard input is a pipe that nobody writes to or closes: the "
                                  "program sees it as empty"));
    rv_known_try(result, &campaign.about, vault, options->suppressions);
    result->stopped_by = rv_interrupted ? RV_STOP_INTERRUPT : RV_STOP_FAILURE;
    if (!enough(&campaign) && !rv_interrupted) {
        explore_and_check(&campaign);
        if (options->coverage) rv_covered_save(options->coverage, &campaign.covered, result);
        note_races(result);
        rv_result_sort(result);
        reduce_all(&campaign);
        examine_harms(&campaign);
    }
}
