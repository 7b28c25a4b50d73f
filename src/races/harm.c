/* What a real race does. Two threads stand at their accesses; from there four executions are compared:
 *
 *     order of the two accesses:   first, second      second, first
 *     who goes on after them:      the one   the other     the one   the other
 *
 * Nothing else differs, so that a failure in some of them and not in all is the race's doing. Output counts as other only if
 * it tells the two orders apart whoever goes on: what depends on who goes on is no matter of this race. Lines
 * are compared without their order.
 */
#include <stdlib.h>
#include <string.h>

#include "races/hunt_private.h"
#include "report/text.h"
#include "supervisor/recorded.h"
#include "supervisor/serve.h"

enum { ORDERS = 2, CONTINUATIONS = 2, TRIALS = ORDERS * CONTINUATIONS, SHOWN = 40 };

struct trial {
    struct rv_schedule schedule;
    bool ran;
    uint32_t kind;
    char *output; /* its lines, sorted */
};

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static char *sorted_lines(char *text) {
    char **lines = NULL;
    size_t count = 0;
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        lines = rv_text_realloc(lines, count + 1, sizeof *lines);
        lines[count++] = line;
    }
    qsort(lines, count, sizeof *lines, by_text);
    struct rv_text sorted = {0};
    for (size_t i = 0; i < count; i++)
        if (*lines[i]) rv_text_addf(&sorted, "%s\n", lines[i]);
    free(lines);
    return rv_text_take(&sorted);
}

/* ---- schedules ---- */

/* One step of a thread. */
static void add_step(struct rv_schedule *schedule, uint32_t thread, uint64_t step) {
    schedule->runs = rv_text_realloc(schedule->runs, schedule->run_count + 1, sizeof *schedule->runs);
    schedule->runs[schedule->run_count++] = (struct rv_run){.thread = thread, .until = step + 1};
}

/* Where a thread stands at the end of a schedule; false: it has not run. */
static bool stands_at(const struct rv_schedule *schedule, uint32_t thread, uint64_t *step) {
    for (uint64_t i = schedule->run_count; i-- > 0;) {
        if (schedule->runs[i].thread != thread) continue;
        *step = schedule->runs[i].until;
        return true;
    }
    return false;
}

static struct rv_schedule order(const struct rv_schedule *begin, const uint32_t threads[2],
                                const uint64_t steps[2], unsigned first, unsigned goes_on) {
    struct rv_schedule schedule =
        rv_schedule_copy(begin->runs, begin->run_count, begin->choices, begin->choice_count);
    unsigned second = 1 - first;
    if (schedule.runs[schedule.run_count - 1].thread != threads[first])
        add_step(&schedule, threads[first], steps[first]);
    else
        schedule.runs[schedule.run_count - 1].until = steps[first] + 1;
    add_step(&schedule, threads[second], steps[second]);
    if (goes_on == first) { /* up to its end, or where it must wait */
        add_step(&schedule, threads[first], steps[first] + 1);
        schedule.runs[schedule.run_count - 1].until = UINT64_MAX;
    }
    return schedule;
}

/* ---- trials ---- */

static void run(const struct rv_case *about, struct trial *trial) {
    struct rv_server server;
    struct rv_reply reply = {.state = RV_REPLY_UNAVAILABLE};
    struct rv_config config = rv_case_config(about, NULL);
    if (rv_server_open(&server, about->program, &config, true))
        rv_server_run(&server, &trial->schedule, 0, &reply);
    trial->ran = reply.state != RV_REPLY_UNAVAILABLE && !reply.outcome.not_terminating;
    trial->kind = reply.outcome.kind;
    char *output = rv_capture_text(&server.capture);
    trial->output = sorted_lines(output);
    free(output);
    rv_server_close(&server);
}

static bool same_output(const struct trial *trials, unsigned a, unsigned b) {
    return strcmp(trials[a].output, trials[b].output) == 0;
}

/* The first line of one that is not in the other. */
static char *line_only_in(const char *one, const char *other) {
    for (const char *line = one; *line;) {
        size_t size = strcspn(line, "\n");
        char *copy = rv_text_copy_n(line, size);
        bool there = false;
        for (const char *at = other; !there && *at; at += strcspn(at, "\n"), at += *at == '\n')
            there = strcspn(at, "\n") == size && memcmp(at, line, size) == 0;
        if (!there) return copy;
        free(copy);
        line += size + (line[size] == '\n');
    }
    return NULL;
}

static void tell_output(const struct trial *trials, struct rv_race_text *race) {
    char *one = line_only_in(trials[0].output, trials[CONTINUATIONS].output);
    char *other = line_only_in(trials[CONTINUATIONS].output, trials[0].output);
    race->status = RV_RACE_HARMFUL;
    if (one && other)
        rv_text_set(&race->harm, rv_text_format("the output depends on the order: \"%.*s\" or \"%.*s\"",
                                                SHOWN, one, SHOWN, other));
    else
        rv_text_set(&race->harm,
                    rv_text_format("the output depends on the order: with \"%.*s\" or without", SHOWN,
                                   one     ? one
                                   : other ? other
                                           : ""));
    free(one);
    free(other);
}

static void judge(struct rv_hunt *hunt, const struct trial *trials, struct rv_race_text *race) {
    unsigned ran = 0, failed = 0;
    for (unsigned i = 0; i < TRIALS; i++) {
        ran += trials[i].ran;
        failed += trials[i].ran && trials[i].kind != RV_KIND_NONE;
    }
    for (unsigned i = 0; i < TRIALS && failed > 0 && failed < ran; i++)
        if (trials[i].ran && trials[i].kind != RV_KIND_NONE && race->status != RV_RACE_HARMFUL)
            rv_hunt_harmed(hunt, &trials[i].schedule, race);
    if (race->status == RV_RACE_HARMFUL || failed > 0 || ran < TRIALS) return;
    bool apart = true;
    for (unsigned a = 0; a < CONTINUATIONS; a++)
        for (unsigned b = CONTINUATIONS; b < TRIALS; b++) apart &= !same_output(trials, a, b);
    if (apart) tell_output(trials, race);
}

void rv_hunt_try_orders(struct rv_hunt *hunt, const struct rv_failure *real, struct rv_race_text *race) {
    struct rv_schedule begin = rv_recorded_schedule(real);
    const uint32_t threads[2] = {race->first.thread.id, race->second.thread.id};
    uint64_t steps[2];
    if (!begin.run_count || threads[0] == threads[1] || !stands_at(&begin, threads[0], &steps[0]) ||
        !stands_at(&begin, threads[1], &steps[1]))
        return;
    struct trial trials[TRIALS] = {0};
    for (unsigned i = 0; i < TRIALS; i++) {
        trials[i].schedule = order(&begin, threads, steps, i / CONTINUATIONS, i % CONTINUATIONS);
        run(&hunt->about, &trials[i]);
    }
    judge(hunt, trials, race);
    for (unsigned i = 0; i < TRIALS; i++) {
        rv_schedule_free(&trials[i].schedule);
        free(trials[i].output);
    }
}

void rv_hunt_harmed(struct rv_hunt *hunt, const struct rv_schedule *schedule, struct rv_race_text *race) {
    struct rv_confirmation confirmation;
    const struct rv_expectation any = {.kind = RV_KIND_NONE};
    rv_confirm(&confirmation, &hunt->about, schedule, &any);
    struct rv_failure *failure = &confirmation.failure;
    if (confirmation.verdict == RV_CONFIRMED) {
        failure->count = 1;
        rv_hunt_save(hunt, failure);
        race->status = RV_RACE_HARMFUL;
        rv_text_set(&race->harm, rv_text_format("%s: %s", rv_kind_names[failure->kind], failure->message));
        rv_text_set(&race->harm_file, rv_text_copy(failure->file));
    }
    rv_confirmation_free(&confirmation);
}
