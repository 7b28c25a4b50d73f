#include "supervisor/explore.h"

#include "coverage/collect.h"

#include <stdlib.h>
#include <string.h>

#include "report/symbolise.h"
#include "report/text.h"
#include "strategy/strategy.h"
#include "supervisor/frontier.h"
#include "supervisor/serve.h"
#include "supervisor/share.h"

enum {
    START_ATTEMPTS = 5,
    REPLACEMENTS_MAX = 10000, /* a program that dies in every execution ends somewhere */
    STOP_PATIENCE_MS = 1000,
};

static struct rv_area *area_of(const struct rv_explorer *explorer, unsigned index) {
    return rv_area_of(explorer->channel.shared, index);
}

static void start(struct rv_explorer *explorer, struct rv_seat *seat) {
    struct rv_control *control = &area_of(explorer, seat->worker.index)->control;
    if (explorer->stopping) {
        seat->state = RV_SEAT_FINISHED;
        return;
    }
    control->done = RV_DONE_NOT;
    seat->attached = rv_load32(&control->started);
    seat->lost =
        rv_load32(&control->state) == RV_WORKER_EXECUTING ? rv_load64(&control->executions) : UINT64_MAX;
    seat->state = RV_SEAT_RUNNING;
    seat->died = false; /* the next process counts the execution */
    if (rv_worker_start(&seat->worker, explorer->program, &explorer->channel, &explorer->streams,
                        &explorer->error)) {
        rv_watch_start(&seat->watch, seat->worker.pid, control);
    } else {
        seat->state = RV_SEAT_FINISHED;
    }
}

/* All but the workers. */
static bool prepare(struct rv_explorer *explorer, const struct rv_program *program,
                    const struct rv_config *config) {
    *explorer = (struct rv_explorer){.program = program, .channel.fd = -1};
    if (!rv_channel_open(&explorer->channel, config, &explorer->error)) return false;
    explorer->streams.way = config->output == RV_OUTPUT_DISCARD ? RV_STREAM_DISCARD : RV_STREAM_PASS;
    explorer->streams.errors_only = true;
    explorer->count = config->workers;
    explorer->seats = rv_allocate(explorer->count * sizeof *explorer->seats);
    return true;
}

static void give_head_start(const struct rv_head_start *head_start, struct rv_area *area) {
    area->module_count = head_start->module_count;
    for (unsigned i = 0; i < head_start->module_count; i++)
        memcpy(area->modules[i].path, head_start->modules[i].path, sizeof area->modules[i].path);
    for (unsigned i = 0; i < head_start->site_count; i++) {
        struct rv_site *site = rv_site_place(area->sites, head_start->sites[i]);
        if (!site) continue;
        site->code = head_start->sites[i];
        site->flags |= RV_SITE_CONFLICT | RV_SITE_FOCUS;
    }
}

bool rv_explorer_begin(struct rv_explorer *explorer, const struct rv_program *program,
                       const struct rv_config *config, const struct rv_head_start *head_start) {
    if (!prepare(explorer, program, config)) return false;
    if (head_start) give_head_start(head_start, area_of(explorer, 0));
    start(explorer, &explorer->seats[0]);
    return explorer->error == NULL;
}

struct rv_area *rv_explorer_area(const struct rv_explorer *explorer) {
    return area_of(explorer, 0);
}

struct rv_recording *rv_explorer_recording(const struct rv_explorer *explorer) {
    struct rv_recording *recording = rv_recording_of(explorer->channel.shared);
    return rv_load32(&recording->full) ? recording : NULL;
}

void rv_explorer_read_on(const struct rv_explorer *explorer) {
    struct rv_recording *recording = rv_recording_of(explorer->channel.shared);
    __atomic_store_n(&recording->full, 0, __ATOMIC_RELEASE);
    rv_wake_word(&recording->full);
}

bool rv_explorer_open(struct rv_explorer *explorer, const struct rv_program *program,
                      const struct rv_config *config, const struct rv_lessons *lessons,
                      struct rv_frontier *frontier) {
    if (!prepare(explorer, program, config)) return false;
    if (config->divided && explorer->pool.count == 0) rv_pool_plant(&explorer->pool);
    if (frontier) rv_frontier_give(frontier, explorer);
    for (unsigned i = 0; i < explorer->count && !explorer->error; i++) {
        explorer->seats[i].worker.index = i;
        if (lessons) rv_lessons_give(lessons, area_of(explorer, i));
        start(explorer, &explorer->seats[i]);
    }
    return explorer->error == NULL;
}

void rv_explorer_close(struct rv_explorer *explorer) {
    for (unsigned i = 0; explorer->seats && i < explorer->count; i++)
        rv_worker_kill(&explorer->seats[i].worker);
    for (unsigned i = 0; explorer->seats && i < explorer->count; i++) free(explorer->seats[i].saved.bytes);
    rv_pool_free(&explorer->pool);
    for (size_t i = 0; i < explorer->suspect_count; i++) rv_schedule_free(&explorer->suspects[i].schedule);
    free(explorer->suspects);
    free(explorer->seats);
    free(explorer->error);
    rv_channel_close(&explorer->channel);
    *explorer = (struct rv_explorer){.channel.fd = -1};
}

/* --- deaths --- */

static void add_suspect(struct rv_explorer *explorer, struct rv_area *area, bool from_outside) {
    explorer->suspects =
        rv_text_realloc(explorer->suspects, explorer->suspect_count + 1, sizeof *explorer->suspects);
    struct rv_suspect *suspect = &explorer->suspects[explorer->suspect_count++];
    *suspect = (struct rv_suspect){.outcome = area->outcome,
                                   .first_schedule = rv_load64(&area->control.next_index) + 1,
                                   .schedule = rv_schedule_of_log(area),
                                   .replayable = !area->outcome.log_overflow,
                                   .died = true,
                                   .from_outside = from_outside};
    explorer->deaths++;
}

static void replace(struct rv_explorer *explorer, struct rv_seat *seat) {
    if (++explorer->replaced <= REPLACEMENTS_MAX) {
        start(explorer, seat);
        return;
    }
    seat->state = RV_SEAT_FINISHED;
    if (!explorer->error)
        explorer->error =
            rv_text_format("%s: gave up after %d workers died", explorer->program->name, REPLACEMENTS_MAX);
}

/* Whether the process got as far as an execution: it attached, and what the area says is its own word. (The state
 * stays EXECUTING after a death until the next process has told the strategy, and counted the lost execution.) */
static bool died_executing(const struct rv_explorer *explorer, const struct rv_seat *seat) {
    const struct rv_control *control = &area_of(explorer, seat->worker.index)->control;
    if (rv_load64(&control->executions) == seat->lost) return false;
    return rv_load32(&control->started) != seat->attached &&
           rv_load32(&control->state) == RV_WORKER_EXECUTING;
}

static void failed_start(struct rv_explorer *explorer, struct rv_seat *seat, const char *how) {
    const struct rv_control *control = &area_of(explorer, seat->worker.index)->control;
    bool attached = rv_load32(&control->started) != seat->attached;
    if (attached && rv_load32(&control->state) == RV_WORKER_BETWEEN) {
        replace(explorer, seat);
        return;
    }
    if (++seat->failed_starts < START_ATTEMPTS) {
        replace(explorer, seat);
        return;
    }
    seat->state = RV_SEAT_FINISHED;
    if (!explorer->error)
        explorer->error = rv_text_format(
            "%s: %s %s (tried %d times)%s", explorer->program->name, how,
            attached ? "before its first execution" : "before ravel's runtime was loaded into it",
            START_ATTEMPTS,
            attached || !explorer->program->instrumented
                ? ""
                : ": if it was built with another version of ravel, build it again");
}

static void handle_death(struct rv_explorer *explorer, struct rv_seat *seat, const struct rv_death *death) {
    struct rv_area *area = area_of(explorer, seat->worker.index);
    const struct rv_config *config = &explorer->channel.shared->config;
    if (!died_executing(explorer, seat)) {
        const char *name = death->signal ? sigabbrev_np(death->signal) : NULL;
        char *how = death->signal ? rv_text_format("was killed by SIG%s", name ? name : "?")
                                  : rv_text_format("ended with status %d", death->status);
        failed_start(explorer, seat, how);
        free(how);
        return;
    }
    seat->failed_starts = 0;
    seat->died = true;
    rv_outcome_of_death(&area->outcome, death, config);
    if (area->outcome.kind != RV_KIND_NONE) add_suspect(explorer, area, death->signal == SIGKILL);
    if (config->keep_going || area->outcome.kind == RV_KIND_NONE || death->signal == SIGKILL)
        replace(explorer, seat);
    else
        seat->state = RV_SEAT_PAUSED;
}

static void handle_silence(struct rv_explorer *explorer, struct rv_seat *seat) {
    struct rv_area *area = area_of(explorer, seat->worker.index);
    const struct rv_config *config = &explorer->channel.shared->config;
    bool executing = died_executing(explorer, seat);
    rv_worker_kill(&seat->worker);
    if (!executing) {
        failed_start(explorer, seat, "did nothing for too long");
        return;
    }
    seat->died = true;
    rv_outcome_of_silence(&area->outcome, config->watchdog_ms);
    add_suspect(explorer, area, false);
    if (config->keep_going)
        replace(explorer, seat);
    else
        seat->state = RV_SEAT_PAUSED;
}

/* --- the round --- */

static void handle_done(struct rv_explorer *explorer, struct rv_seat *seat) {
    const struct rv_control *control = &area_of(explorer, seat->worker.index)->control;
    rv_share_read(explorer, seat); /* its last word */
    seat->done = rv_load32(&control->done);
    rv_worker_kill(&seat->worker);
    bool more = seat->done == RV_DONE_FINDING &&
                rv_load32(&control->threads_seen); /* without threads: one schedule */
    seat->state = more ? RV_SEAT_PAUSED : RV_SEAT_FINISHED;
    rv_share_ended(explorer, seat);
    if (seat->done != RV_DONE_UNUSABLE || explorer->error) return;
    uint32_t notes = rv_load32(&control->note_count);
    if (notes > 0 && notes <= RV_MAX_NOTES)
        explorer->error = rv_clean_text(control->notes[notes - 1], sizeof control->notes[0]);
    else
        explorer->error = rv_text_format("%s: cannot be run under control", explorer->program->name);
}

static void look_at(struct rv_explorer *explorer, struct rv_seat *seat) {
    const struct rv_control *control = &area_of(explorer, seat->worker.index)->control;
    struct rv_death death;
    /* Dead first: what the area says is then final. */
    bool dead = rv_worker_dead(&seat->worker, &death);
    bool own_word = rv_load32(&control->started) != seat->attached;
    rv_share_read(explorer, seat);
    if (own_word && rv_load32(&control->state) == RV_WORKER_DONE &&
        rv_load32(&control->done) != RV_DONE_NOT) {
        handle_done(explorer, seat);
    } else if (dead) {
        handle_death(explorer, seat, &death);
    } else if (rv_watch_look(&seat->watch, seat->worker.pid, control,
                             explorer->channel.shared->config.watchdog_ms) == RV_WATCH_GIVE_UP) {
        handle_silence(explorer, seat);
    }
}

bool rv_explorer_look(struct rv_explorer *explorer) {
    bool running = false;
    explorer->bell = rv_load32(&explorer->channel.shared->doorbell);
    for (unsigned i = 0; i < explorer->count; i++) {
        struct rv_seat *seat = &explorer->seats[i];
        if (seat->state == RV_SEAT_RUNNING) look_at(explorer, seat);
        running |= seat->state == RV_SEAT_RUNNING;
    }
    rv_share_deal(explorer);
    return running && !explorer->error;
}

/* A ring since the last round began ends the wait at once. A death does not ring, but SIGCHLD may interrupt. */
void rv_explorer_wait(struct rv_explorer *explorer, unsigned milliseconds) {
    rv_wait_word(&explorer->channel.shared->doorbell, explorer->bell, milliseconds);
}

/* Without keep_going a worker leaves right after its finding; it is looked at when it has, so that it does not run
 * beside the process that confirms: the two may share files. */
static bool about_to_leave(const struct rv_explorer *explorer, const struct rv_seat *seat) {
    return seat->state == RV_SEAT_RUNNING && !explorer->channel.shared->config.keep_going;
}

static bool take_finding(struct rv_explorer *explorer, struct rv_seat *seat, struct rv_suspect *suspect) {
    struct rv_area *area = area_of(explorer, seat->worker.index);
    uint32_t count = rv_load32(&area->control.finding_count);
    if (count > RV_MAX_FINDINGS) count = RV_MAX_FINDINGS;
    if (seat->findings_taken >= count) return false;
    const struct rv_finding *finding = &area->findings[seat->findings_taken++];
    *suspect = (struct rv_suspect){.outcome = finding->outcome,
                                   .first_schedule = rv_load64(&finding->first_schedule) + 1};
    suspect->outcome.message[RV_MAX_MESSAGE - 1] = 0;
    if (suspect->outcome.kind >= RV_KIND_COUNT) suspect->outcome.kind = RV_KIND_SIGNAL;
    suspect->replayable = rv_schedule_of_finding(&suspect->schedule, finding);
    bool last = seat->findings_taken == count && seat->state == RV_SEAT_PAUSED;
    if (!suspect->replayable && last && !area->outcome.log_overflow) { /* its log is still in the area */
        suspect->schedule = rv_schedule_of_log(area);
        suspect->replayable = true;
    }
    return true;
}

bool rv_explorer_take(struct rv_explorer *explorer, struct rv_suspect *suspect) {
    for (unsigned i = 0; i < explorer->count; i++)
        if (!about_to_leave(explorer, &explorer->seats[i]) &&
            take_finding(explorer, &explorer->seats[i], suspect))
            return true;
    if (explorer->suspect_count == 0) return false;
    *suspect = explorer->suspects[0];
    memmove(explorer->suspects, explorer->suspects + 1, --explorer->suspect_count * sizeof *suspect);
    return true;
}

bool rv_explorer_paused(const struct rv_explorer *explorer) {
    for (unsigned i = 0; i < explorer->count; i++)
        if (explorer->seats[i].state == RV_SEAT_PAUSED) return true;
    return false;
}

void rv_explorer_resume(struct rv_explorer *explorer, bool keep_going) {
    if (keep_going) explorer->channel.shared->config.keep_going = 1;
    for (unsigned i = 0; i < explorer->count; i++)
        if (explorer->seats[i].state == RV_SEAT_PAUSED) replace(explorer, &explorer->seats[i]);
}

void rv_explorer_stop(struct rv_explorer *explorer) {
    struct rv_shared *shared = explorer->channel.shared;
    if (!shared) return;
    __atomic_store_n(&shared->stop, 1, __ATOMIC_RELEASE);
    explorer->stopping = true;
    double until = rv_seconds() + STOP_PATIENCE_MS / 1000.0;
    while (rv_explorer_look(explorer) && rv_seconds() < until) rv_explorer_wait(explorer, 5);
    for (unsigned i = 0; i < explorer->count; i++) {
        rv_worker_kill(&explorer->seats[i].worker);
        if (explorer->seats[i].state == RV_SEAT_RUNNING) explorer->seats[i].state = RV_SEAT_FINISHED;
    }
}

/* --- looking at all of them --- */

/* Numbers from an area may be anything. */
static double left_of(const struct rv_control *control) {
    double left = control->search.left;
    return left >= 0 && left <= 1 ? left : 1;
}

static uint64_t estimate(double executions, double done) {
    double all = done > 0 ? executions / done : 0;
    return all < 1e18 ? (uint64_t)(all + 0.5) : (uint64_t)1e18;
}

/* Workers have a tree each, or of one tree what they run now. */
static void sum_up_search(const struct rv_explorer *explorer, struct rv_search_totals *totals) {
    bool divided = explorer->channel.shared->config.divided;
    double executions = 0, left = divided ? rv_pool_left(&explorer->pool) : 0;
    for (unsigned i = 0; i < explorer->count; i++) {
        const struct rv_control *control = &area_of(explorer, i)->control;
        struct rv_search_progress search = control->search;
        if (!rv_load32(&control->searches)) continue;
        totals->known = true;
        totals->grows |= search.grows;
        totals->pruned += search.pruned;
        if (search.depth > totals->depth) totals->depth = search.depth;
        if (!divided) totals->estimated += estimate((double)search.executions, 1 - left_of(control));
        if (divided && !explorer->seats[i].idle && explorer->seats[i].state != RV_SEAT_FINISHED)
            left += left_of(control);
        executions += (double)search.executions;
    }
    if (divided) totals->estimated = estimate(executions, 1 - left);
    if (totals->estimated > 0) totals->done = executions / (double)totals->estimated;
    if (totals->done > 1) totals->done = 1;
}

void rv_explorer_totals(const struct rv_explorer *explorer, struct rv_totals *totals) {
    *totals = (struct rv_totals){.complete = explorer->count > 0};
    for (unsigned i = 0; i < explorer->count; i++) {
        const struct rv_control *control = &area_of(explorer, i)->control;
        totals->executions += rv_load64(&control->executions) + explorer->seats[i].died;
        totals->not_terminating += rv_load64(&control->not_terminating);
        totals->dead_ends += rv_load64(&control->dead_ends);
        totals->coverage += rv_load64(&control->coverage);
        uint32_t isolation = rv_load32(&control->isolation);
        if (isolation > totals->isolation && isolation <= RV_ISOLATION_FORK) totals->isolation = isolation;
        const struct rv_seat *seat = &explorer->seats[i];
        bool divided = explorer->channel.shared->config.divided;
        bool by_itself = seat->state == RV_SEAT_FINISHED && seat->done == RV_DONE_COMPLETE;
        totals->complete &= divided ? explorer->verdict == RV_DONE_COMPLETE : by_itself;
        /* Workers divide the tree as they know it: with different knowledge they have divided different trees. */
        totals->complete &=
            divided || rv_load64(&control->knowledge) == rv_load64(&area_of(explorer, 0)->control.knowledge);
        /* Without instrumentation, schedules that differ in memory accesses only are not seen. */
        totals->complete &= explorer->program->instrumented || !rv_load32(&control->threads_seen);
    }
    sum_up_search(explorer, &totals->search);
}

uint64_t rv_explorer_count(const struct rv_explorer *explorer, uint64_t signature) {
    uint64_t total = 0;
    for (unsigned i = 0; i < explorer->count; i++) {
        const struct rv_area *area = area_of(explorer, i);
        uint32_t count = rv_load32(&area->control.finding_count);
        for (uint32_t k = 0; k < count && k < RV_MAX_FINDINGS; k++)
            if (area->findings[k].outcome.signature == signature)
                total += rv_load64(&area->findings[k].count);
    }
    return total;
}

void rv_explorer_lessons(const struct rv_explorer *explorer, struct rv_lessons *lessons) {
    for (unsigned i = 0; i < explorer->count; i++) rv_lessons_take(lessons, area_of(explorer, i));
}

void rv_explorer_coverage(const struct rv_explorer *explorer, const char *directory,
                          struct rv_cover_data *data) {
    for (unsigned i = 0; i < explorer->count; i++) {
        struct rv_area *area = area_of(explorer, i);
        struct rv_symboliser *symbols = rv_symboliser_open(area, directory);
        rv_coverage_collect(data, area, symbols);
        rv_symboliser_close(symbols);
    }
}

/* An exhaustive search has nothing left to try and is not complete: why. */
static char *left_out_note(const struct rv_area *area) {
    struct rv_symboliser *symbols = rv_symboliser_open(area, ".");
    struct rv_location at = {0};
    unsigned count = rv_symbolise_code(symbols, rv_load64(&area->control.held_at), true, &at, 1);
    char *place = count && at.line ? rv_text_format(" (at %s:%u)", at.file, at.line) : rv_text_copy("");
    char *text = rv_text_format(
        "not complete: a thread that waits in a loop%s was held back while others could go on; "
        "schedules in which it looks more often meanwhile are left out",
        place);
    free(place);
    rv_location_free(&at);
    rv_symboliser_close(symbols);
    return text;
}

void rv_explorer_notes(const struct rv_explorer *explorer, struct rv_notes *notes) {
    for (unsigned i = 0; i < explorer->count; i++) {
        const struct rv_control *control = &area_of(explorer, i)->control;
        uint32_t count = rv_load32(&control->note_count);
        if (explorer->seats[i].done == RV_DONE_UNUSABLE && count > 0) count--; /* the last one is the error */
        for (uint32_t k = 0; k < count && k < RV_MAX_NOTES; k++)
            rv_notes_add(notes, rv_clean_text(control->notes[k], sizeof control->notes[k]));
        if (rv_load32(&control->left_out)) rv_notes_add(notes, left_out_note(area_of(explorer, i)));
    }
}
