/* Dropping what does not matter, by trying.
 *
 * A schedule is a list of runs; each end of a run is a switch somebody has to understand. Four ways to have fewer:
 *
 *   cut      only the first k runs, then the default policy, which never preempts
 *   delay    leave out some runs: their threads make up for it in their next run
 *   advance  let a run go on to the end of its thread's next run, or to where the thread blocks
 *   relax    a time-out does not expire, a choice gets its ordinary answer
 *
 * Pieces are big first and halve from pass to pass (delta debugging), so a schedule of thousands of runs, of
 * which a handful matter, takes some hundred trials. A pass starts over after it has achieved something;
 * when single pieces achieve nothing, pairs are tried if there are few runs. What has been tried once is
 * not tried again: remembered by a hash of the candidate (a collision costs one idea, nothing else).
 *
 * A candidate is accepted only if what really happened is the same failure at a lower cost, so the cost falls
 * with every step and the search ends.
 */
#include "supervisor/minimise.h"

#include <stdlib.h>
#include <string.h>

#include "strategy/schedule.h"
#include "supervisor/util.h"

enum {
    TRIED_SLOTS = 1 << 13, /* a power of two, well above the trials of a run */
    PAIRS_MAX = 24,        /* runs up to which pairs are tried: 276 trials */
};

struct search {
    struct rv_minimise *job;
    double until;
    uint64_t *tried;
    unsigned tried_count;
    bool over; /* a limit was met, or no trial is possible any more */
};

int rv_cost_compare(const struct rv_cost *a, const struct rv_cost *b) {
    if ((a->timeouts > 0) != (b->timeouts > 0)) return a->timeouts > 0 ? 1 : -1;
    if (a->preemptions != b->preemptions) return a->preemptions < b->preemptions ? -1 : 1;
    if (a->timeouts != b->timeouts) return a->timeouts < b->timeouts ? -1 : 1;
    if (a->choices != b->choices) return a->choices < b->choices ? -1 : 1;
    if (a->switches != b->switches) return a->switches < b->switches ? -1 : 1;
    return 0;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct rv_schedule *schedule) {
    uint64_t hash = schedule->run_count + 1;
    for (uint64_t i = 0; i < schedule->run_count; i++) {
        hash =
            mix(hash, (uint64_t)schedule->runs[i].thread << 1 | (schedule->runs[i].flags & RV_RUN_TIMEOUT));
        hash = mix(hash, schedule->runs[i].until);
    }
    for (uint64_t i = 0; i < schedule->choice_count; i++) hash = mix(hash, schedule->choices[i]);
    return hash ? hash : 1;
}

/* True: this candidate is new, and known from now on. */
static bool remember(struct search *search, uint64_t hash) {
    uint64_t slot = hash & (TRIED_SLOTS - 1);
    while (search->tried[slot]) {
        if (search->tried[slot] == hash) return false;
        slot = (slot + 1) & (TRIED_SLOTS - 1);
    }
    if (search->tried_count < TRIED_SLOTS / 2) {
        search->tried[slot] = hash;
        search->tried_count++;
    }
    return true;
}

/* What happened becomes the current schedule. Each run of the candidate was at most one run of the execution; all
 * later ones are the default policy's, which needs no schedule. */
static void accept(struct rv_minimise *job, struct rv_trial *trial, uint64_t runs) {
    rv_schedule_free(&job->schedule);
    job->schedule = trial->actual;
    if (job->schedule.run_count > runs) job->schedule.run_count = runs;
    job->schedule.run_count = rv_schedule_normalise(job->schedule.runs, job->schedule.run_count);
    job->cost = trial->cost;
    trial->actual = (struct rv_schedule){0};
}

/* Tries the candidate and frees it. True: it is better, and the current schedule is now what happened. */
static bool attempt(struct search *search, struct rv_schedule candidate) {
    struct rv_minimise *job = search->job;
    bool better = false;
    candidate.run_count = rv_schedule_normalise(candidate.runs, candidate.run_count);
    bool spent = job->trials >= job->trials_max || job->effort >= job->effort_max;
    if (!search->over && (spent || rv_seconds() >= search->until)) {
        search->over = true;
        job->exhausted = true;
    }
    if (!search->over && remember(search, hash_of(&candidate))) {
        struct rv_trial trial = {0};
        job->trials++;
        if (!job->try_schedule(job->context, &candidate, &trial)) {
            search->over = true;
            job->exhausted = true;
        }
        job->effort += trial.effort;
        if (!search->over && trial.same && rv_cost_compare(&trial.cost, &job->cost) < 0) {
            accept(job, &trial, candidate.run_count);
            better = true;
        }
        rv_schedule_free(&trial.actual);
    }
    rv_schedule_free(&candidate);
    return better;
}

static struct rv_schedule copy_current(const struct search *search) {
    const struct rv_schedule *from = &search->job->schedule;
    return rv_schedule_copy(from->runs, from->run_count, from->choices, from->choice_count);
}

/* --- cut --- */

/* Not a proper bisection, for longer prefixes need not fail where shorter ones do; it only has to be quick. */
static bool cut(struct search *search) {
    bool any = false;
    for (uint64_t keep = 0; !search->over && keep < search->job->schedule.run_count;
         keep = keep ? keep * 2 : 1) {
        struct rv_schedule candidate = copy_current(search);
        candidate.run_count = keep;
        if (attempt(search, candidate)) return true;
    }
    for (uint64_t drop = search->job->schedule.run_count / 2; !search->over && drop > 0; drop /= 2) {
        while (!search->over && search->job->schedule.run_count > drop) {
            struct rv_schedule candidate = copy_current(search);
            candidate.run_count -= drop;
            if (!attempt(search, candidate)) break;
            any = true;
        }
    }
    return any;
}

/* --- delay --- */

static void remove_runs(struct rv_schedule *schedule, uint64_t at, uint64_t count) {
    memmove(schedule->runs + at, schedule->runs + at + count,
            (schedule->run_count - at - count) * sizeof *schedule->runs);
    schedule->run_count -= count;
}

static bool delay(struct search *search, uint64_t size) {
    bool any = false;
    for (uint64_t at = 0; !search->over && at + size <= search->job->schedule.run_count;) {
        struct rv_schedule candidate = copy_current(search);
        remove_runs(&candidate, at, size);
        if (attempt(search, candidate))
            any = true; /* something else stands here now */
        else
            at += size;
    }
    return any;
}

static bool delay_pairs(struct search *search) {
    for (uint64_t a = 0; !search->over && a < search->job->schedule.run_count; a++) {
        for (uint64_t b = a + 1; !search->over && b < search->job->schedule.run_count; b++) {
            struct rv_schedule candidate = copy_current(search);
            remove_runs(&candidate, b, 1);
            remove_runs(&candidate, a, 1);
            if (attempt(search, candidate)) return true;
        }
    }
    return false;
}

/* --- advance --- */

/* The next run of the same thread; run_count: none. */
static uint64_t next_of_thread(const struct rv_schedule *schedule, uint64_t at) {
    uint64_t next = at + 1;
    while (next < schedule->run_count && schedule->runs[next].thread != schedule->runs[at].thread) next++;
    return next;
}

static bool advance(struct search *search) {
    bool any = false;
    for (uint64_t at = 0; !search->over && at < search->job->schedule.run_count; at++) {
        struct rv_schedule candidate = copy_current(search);
        uint64_t next = next_of_thread(&candidate, at);
        if (next < candidate.run_count) {
            candidate.runs[at].until = candidate.runs[next].until;
            remove_runs(&candidate, next, 1);
            if (attempt(search, candidate)) {
                any = true;
                continue;
            }
            candidate = copy_current(search);
        }
        candidate.runs[at].until = UINT64_MAX;
        any |= attempt(search, candidate);
    }
    return any;
}

/* --- relax --- */

static bool relax_timeouts(struct search *search) {
    bool any = false;
    if (search->job->cost.timeouts == 0) return false;
    struct rv_schedule candidate = copy_current(search);
    for (uint64_t i = 0; i < candidate.run_count; i++) candidate.runs[i].flags &= ~(uint32_t)RV_RUN_TIMEOUT;
    if (attempt(search, candidate)) return true;
    for (uint64_t at = 0; !search->over && at < search->job->schedule.run_count; at++) {
        if (!(search->job->schedule.runs[at].flags & RV_RUN_TIMEOUT)) continue;
        candidate = copy_current(search);
        candidate.runs[at].flags &= ~(uint32_t)RV_RUN_TIMEOUT;
        any |= attempt(search, candidate);
    }
    return any;
}

static bool relax_choices(struct search *search) {
    bool any = false;
    for (uint64_t size = search->job->schedule.choice_count; !search->over && size > 0; size /= 2) {
        for (uint64_t at = 0; !search->over && at + size <= search->job->schedule.choice_count; at += size) {
            struct rv_schedule candidate = copy_current(search);
            memset(candidate.choices + at, 0, size);
            any |= attempt(search, candidate);
        }
    }
    return any;
}

/* One round of everything; whether it achieved something. Time-outs first: a switch dropped too early may be the
 * one that a failure without them needs. */
static bool improve(struct search *search) {
    bool any = relax_timeouts(search);
    any |= cut(search);
    for (uint64_t size = search->job->schedule.run_count / 2; !search->over && size > 0; size /= 2)
        any |= delay(search, size);
    any |= advance(search);
    any |= relax_choices(search);
    if (!any && search->job->schedule.run_count <= PAIRS_MAX) any = delay_pairs(search);
    return any;
}

void rv_minimise(struct rv_minimise *minimise) {
    struct search search = {.job = minimise,
                            .until = rv_seconds() + minimise->seconds_max,
                            .tried = rv_allocate(TRIED_SLOTS * sizeof *search.tried)};
    minimise->trials = 0;
    minimise->effort = 0;
    minimise->exhausted = false;
    while (!search.over && improve(&search)) {}
    free(search.tried);
}
