/* What a real race does. Two threads stand at their accesses; from there four executions are compared:
 *
 *     order of the two accesses:   first, second      second, first
 *     who goes on after them:      the one   the other     the one   the other
 *
 * Nothing else differs, so that a failure in some of them and not in all is the race's doing. Output counts as other only if
 * it tells the two orders apart whoever goes on: what depends on who goes on is no matter of this race. Lines
 * are compared without their order.
 */
#include "races/harm.h"

#include <stdlib.h>
#include <string.h>

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

static char *describe_output(const struct trial *trials) {
    char *one = line_only_in(trials[0].output, trials[CONTINUATIONS].output);
    char *other = line_only_in(trials[CONTINUATIONS].output, trials[0].output);
    char *what;
    if (one && other)
        what =
            rv_text_format("the output depends on the order: \"%.*s\" or \"%.*s\"", SHOWN, one, SHOWN, other);
    else
        what = rv_text_format("the output depends on the order: with \"%.*s\" or without", SHOWN,
                              one     ? one
                              : other ? other
                                      : "");
    free(one);
    free(other);
    return what;
}

static void judge(struct rv_harm *harm, const struct rv_case *about, const struct trial *trials) {
    unsigned ran = 0, failed = 0;
    for (unsigned i = 0; i < TRIALS; i++) {
        ran += trials[i].ran;
        failed += trials[i].ran && trials[i].kind != RV_KIND_NONE;
    }
    for (unsigned i = 0; i < TRIALS && failed > 0 && failed < ran && !harm->what; i++)
        if (trials[i].ran && trials[i].kind != RV_KIND_NONE)
            rv_harm_of_failure(harm, about, &trials[i].schedule);
    if (harm->what || failed > 0 || ran < TRIALS) return;
    bool apart = true;
    for (unsigned a = 0; a < CONTINUATIONS; a++)
        for (unsigned b = CONTINUATIONS; b < TRIALS; b++) apart &= !same_output(trials, a, b);
    if (apart) harm->what = describe_output(trials);
}

void rv_harm_of_orders(struct rv_harm *harm, const struct rv_case *about, const struct rv_failure *real) {
    const struct rv_race_text *race = real->race;
    if (!race || !race->standing) return;
    struct rv_schedule begin = rv_recorded_schedule(real);
    const uint32_t threads[2] = {race->first.thread.id, race->second.thread.id};
    uint64_t steps[2];
    if (!begin.run_count || threads[0] == threads[1] || !stands_at(&begin, threads[0], &steps[0]) ||
        !stands_at(&begin, threads[1], &steps[1]))
        return;
    struct trial trials[TRIALS] = {0};
    for (unsigned i = 0; i < TRIALS; i++) {
        trials[i].schedule = order(&begin, threads, steps, i / CONTINUATIONS, i % CONTINUATIONS);
        run(about, &trials[i]);
    }
    judge(harm, about, trials);
    for (unsigned i = 0; i < TRIALS; i++) {
        rv_schedule_free(&trials[i].schedule);
        free(trials[i].output);
    }
}

void rv_harm_of_failure(struct rv_harm *harm, const struct rv_case *about,
                        const struct rv_schedule *schedule) {
    struct rv_confirmation confirmation;
    const struct rv_expectation any = {.kind = RV_KIND_NONE};
    rv_confirm(&confirmation, about, schedule, &any);
    if (confirmation.verdict == RV_CONFIRMED) {
        struct rv_failure *failure = &confirmation.failure;
        failure->count = 1;
        harm->what = rv_text_format("%s: %s", rv_kind_names[failure->kind], failure->message);
        harm->failure = *failure;
        *failure = (struct rv_failure){0};
    }
    rv_confirmation_free(&confirmation);
}

void rv_harm_tell(const struct rv_harm *harm, const char *file, struct rv_race_text *race) {
    if (!harm->what) return;
    race->status = RV_RACE_HARMFUL;
    rv_text_set(&race->harm, rv_text_copy(harm->what));
    rv_text_set(&race->harm_file, rv_text_copy(file));
}

void rv_harm_free(struct rv_harm *harm) {
    free(harm->what);
    if (harm->failure.program) rv_failure_free(&harm->failure);
    *harm = (struct rv_harm){0};
}
