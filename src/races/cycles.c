/* Potential deadlocks, verified: executions steered so that each thread of the cycle holds its first lock when it asks for
 * the second. What is confirmed is an ordinary failure of kind deadlock; it is the one that was looked for if there is a
 * thread waiting at each place of the cycle. */
#include <stdlib.h>
#include <string.h>

#include "races/hunt_private.h"
#include "report/owned.h"
#include "report/printer.h"
#include "report/text.h"
#include "supervisor/reduce.h"
#include "supervisor/util.h"

static const double shorten_seconds = 2;

struct attempt {
    const struct rv_deadlock_text *wanted;
    bool real;
    struct rv_failure failure;
    unsigned tries;
};

static bool same_place(const struct rv_location *a, const struct rv_location *b) {
    return a->line == b->line && strcmp(a->file, b->file) == 0 &&
           (a->line || (a->offset == b->offset && strcmp(a->module, b->module) == 0));
}

static bool waits_at(const struct rv_failure *failure, const struct rv_location *place) {
    for (unsigned i = 0; i < failure->thread_count; i++) {
        const struct rv_thread_text *thread = &failure->threads[i];
        bool waits = rv_op_flags[thread->op] & RV_OPF_BLOCKS;
        if (waits && thread->stack.count && same_place(&thread->stack.frames[0], place)) return true;
    }
    return false;
}

static bool is_wanted(const struct rv_failure *failure, const struct rv_deadlock_text *wanted) {
    if (failure->kind != RV_KIND_DEADLOCK) return false;
    for (unsigned i = 0; i < wanted->wait_count; i++) {
        const struct rv_stack_text *at = &wanted->waits[i].wanted_at;
        if (at->count && !waits_at(failure, &at->frames[0])) return false;
    }
    return true;
}

static bool suspect(struct rv_hunt *hunt, struct rv_suspect *suspect, void *user) {
    struct attempt *attempt = user;
    if (suspect->outcome.kind == RV_KIND_RACE) {
        rv_hunt_saw(hunt, suspect);
        return true;
    }
    if (suspect->outcome.kind != RV_KIND_DEADLOCK || !suspect->replayable) {
        rv_hunt_failed(hunt, suspect);
        return true;
    }
    struct rv_confirmation confirmation;
    struct rv_expectation expected = {RV_KIND_DEADLOCK, suspect->outcome.signature, .met = false};
    rv_confirm(&confirmation, &hunt->about, &suspect->schedule, &expected);
    bool confirmed = confirmation.verdict == RV_CONFIRMED;
    if (confirmed && is_wanted(&confirmation.failure, attempt->wanted)) {
        attempt->real = true;
        attempt->tries = (unsigned)suspect->first_schedule;
        attempt->failure = confirmation.failure;
        confirmation.failure = (struct rv_failure){0};
    }
    rv_confirmation_free(&confirmation);
    if (!attempt->real) rv_hunt_failed(hunt, suspect);
    return !attempt->real;
}

static void steer(struct rv_hunt *hunt, const struct rv_deadlock_find *find, struct attempt *attempt) {
    struct rv_text strategy = {0};
    rv_text_add(&strategy, "steer:lock");
    for (unsigned i = 0; i < find->text.wait_count; i++)
        rv_text_addf(&strategy, ",%llx-%llx", (unsigned long long)find->sites[i].held,
                     (unsigned long long)find->sites[i].wanted);
    struct rv_head_start head_start = {.modules = hunt->modules, .module_count = hunt->module_count};
    struct rv_expedition expedition = {.config = rv_hunt_config(hunt, strategy.data, hunt->options->tries),
                                       .head_start = &head_start,
                                       .suspect = suspect,
                                       .user = attempt};
    (void)rv_hunt_explore(hunt, &expedition);
    hunt->result->steered += expedition.executions;
    if (!attempt->real) attempt->tries = (unsigned)expedition.executions;
    free(strategy.data);
}

/* It may have happened already, by chance: then that failure is the one, and no other beside it. */
static void take_failure(struct rv_hunt_result *result, struct attempt *attempt) {
    for (size_t i = 0; i < result->failure_count; i++) {
        struct rv_failure *failure = &result->failures[i];
        if (!is_wanted(failure, attempt->wanted)) continue;
        if (attempt->real) rv_failure_free(&attempt->failure);
        attempt->real = true;
        attempt->failure = *failure;
        result->failure_count--;
        memmove(failure, failure + 1, (result->failure_count - i) * sizeof *failure);
        i--;
    }
}

static void verify(struct rv_hunt *hunt, struct rv_deadlock_find *find) {
    struct attempt attempt = {.wanted = &find->text};
    take_failure(hunt->result, &attempt);
    if (!attempt.real && hunt->options->deadlocks == RV_DEADLOCKS_VERIFY && !rv_hunt_over(hunt))
        steer(hunt, find, &attempt);
    struct rv_deadlock_text *deadlock = &find->text;
    deadlock->tries = attempt.tries;
    deadlock->count = find->count;
    if (!attempt.real) return;
    rv_reduce(&attempt.failure, &hunt->about, shorten_seconds);
    rv_hunt_save(hunt, &attempt.failure);
    deadlock->status = RV_RACE_REAL;
    deadlock->predicted = false;
    rv_text_set(&deadlock->file, rv_text_copy(attempt.failure.file));
    rv_failure_free(&attempt.failure);
}

/* ---- what happened before anybody could suspect it ---- */

/* The thread's wait in the cycle: for what the next one holds, holding what the one before waits for. */
static bool describe_wait(const struct rv_failure *failure, uint32_t id, const char *held,
                          struct rv_deadlock_wait *wait) {
    const struct rv_thread_text *thread = rv_failure_thread(failure, id);
    const struct rv_lock_text *lock = rv_failure_held(failure, id, held);
    if (!thread || !lock) return false;
    *wait = (struct rv_deadlock_wait){
        .thread = {.id = id, .name = rv_text_copy(thread->name), .creator = RV_NO_THREAD},
        .held = rv_text_copy(held),
        .wanted = rv_text_copy(thread->object)};
    rv_stack_copy(&wait->held_at, &lock->acquired);
    rv_stack_copy(&wait->wanted_at, &thread->stack);
    return true;
}

/* A failure in which each thread of a cycle waits for a lock of the next: what was waited for was never acquired, so that no
 * order of locks shows it. False: it is something else. */
static bool describe_failure(const struct rv_failure *failure, struct rv_deadlock_text *deadlock) {
    uint32_t threads[RV_LONGEST_CYCLE];
    unsigned count =
        failure->kind == RV_KIND_DEADLOCK ? rv_failure_cycle(failure, threads, RV_LONGEST_CYCLE) : 0;
    if (count < 2 || count >= RV_LONGEST_CYCLE) return false;
    *deadlock =
        (struct rv_deadlock_text){.status = RV_RACE_REAL, .signature = failure->signature, .count = 1};
    deadlock->waits = rv_text_alloc(count, sizeof *deadlock->waits);
    for (unsigned i = 0; i < count; i++) {
        const struct rv_thread_text *before = rv_failure_thread(failure, threads[(i + count - 1) % count]);
        if (!before || !describe_wait(failure, threads[i], before->object, &deadlock->waits[i])) break;
        deadlock->wait_count++;
    }
    bool whole = deadlock->wait_count == count;
    deadlock->file = rv_text_copy(failure->file);
    rv_deadlock_complete(deadlock);
    if (!whole) rv_deadlock_free(deadlock);
    return whole;
}

static void add_happened(struct rv_hunt *hunt) {
    struct rv_hunt_result *result = hunt->result;
    for (size_t i = 0; i < result->failure_count; i++) {
        struct rv_failure *failure = &result->failures[i];
        struct rv_deadlock_text deadlock;
        if (!describe_failure(failure, &deadlock)) continue;
        rv_failure_free(failure);
        result->failure_count--;
        memmove(failure, failure + 1, (result->failure_count - i) * sizeof *failure);
        i--;
        if (hunt->options->suppressions && rv_suppress_deadlock(hunt->options->suppressions, &deadlock)) {
            result->suppressed++;
            rv_deadlock_free(&deadlock);
            continue;
        }
        result->deadlocks =
            rv_text_realloc(result->deadlocks, result->deadlock_count + 1, sizeof *result->deadlocks);
        result->deadlocks[result->deadlock_count++] = deadlock;
    }
}

/* ---- the whole ---- */

void rv_hunt_cycles(struct rv_hunt *hunt) {
    struct rv_hunt_result *result = hunt->result;
    char what[80];
    for (unsigned i = 0; i < hunt->finds.deadlock_count; i++) {
        struct rv_deadlock_find *find = &hunt->finds.deadlocks[i];
        if (hunt->options->suppressions && rv_suppress_deadlock(hunt->options->suppressions, &find->text)) {
            result->suppressed++;
            continue;
        }
        snprintf(what, sizeof what, "verifying: deadlock %u of %u", i + 1, hunt->finds.deadlock_count);
        rv_progress_say(hunt->options->progress, what);
        verify(hunt, find);
        result->deadlocks =
            rv_text_realloc(result->deadlocks, result->deadlock_count + 1, sizeof *result->deadlocks);
        result->deadlocks[result->deadlock_count++] = find->text;
        find->text = (struct rv_deadlock_text){0};
    }
    add_happened(hunt);
}
