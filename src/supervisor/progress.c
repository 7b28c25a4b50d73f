#include "supervisor/progress.h"

#include <string.h>

#include "supervisor/util.h"

static const double interval = 0.1; /* seconds between lines: readable, and no work worth mentioning */

/* What is left by the limit that will be met first; < 0: cannot be told yet. */
static double seconds_left(const struct rv_progress_state *state) {
    double left = -1;
    if (state->schedules > 0 && state->seconds > 0 && state->budget > state->schedules)
        left = (double)(state->budget - state->schedules) * state->seconds / (double)state->schedules;
    if (state->time_limit > 0 && (left < 0 || state->time_limit - state->seconds < left))
        left = state->time_limit - state->seconds;
    return left;
}

static void describe_left(char *text, size_t size, double left) {
    if (left < 0)
        text[0] = 0;
    else if (left < 100)
        snprintf(text, size, ", about %.0f s left", left);
    else if (left < 6000)
        snprintf(text, size, ", about %.0f min left", left / 60);
    else
        snprintf(text, size, ", about %.1f h left", left / 3600);
}

/* "of the tree" is an estimate and may be wrong by orders of magnitude: strategy.h. */
static void describe_search(char *text, size_t size, const struct rv_progress_state *state) {
    char pruned[32], share[32];
    text[0] = 0;
    if (!state->search) return;
    double percent = state->done * 100;
    snprintf(share, sizeof share, percent < 1 ? "less than 1%%" : "about %.0f%%", percent);
    int used = snprintf(text, size, ", %s%s of the tree (estimate), depth %u", state->grows ? "at most " : "",
                        share, state->depth);
    if (state->pruned && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", pruned %s", rv_grouped(state->pruned, pruned));
}

void rv_progress_line(char *line, size_t size, const struct rv_progress_state *state) {
    char schedules[32], rate[32], left[48], search[160];
    double speed = state->seconds > 0 ? (double)state->schedules / state->seconds : 0;
    describe_left(left, sizeof left, seconds_left(state));
    describe_search(search, sizeof search, state);
    snprintf(line, size, "%s schedules, %s/s, coverage %llu, %llu failure%s%s%s",
             rv_grouped(state->schedules, schedules), rv_grouped((uint64_t)speed, rate),
             (unsigned long long)state->coverage, (unsigned long long)state->failures,
             state->failures == 1 ? "" : "s", search, left);
}

static void write_line(struct rv_progress *progress, const char *line) {
    int width = progress->width > 1 ? (int)progress->width - 1 : 79;
    fprintf(progress->out, "\r\033[K%.*s", width, line);
    fflush(progress->out);
    progress->visible = true;
}

void rv_progress_show(struct rv_progress *progress, const struct rv_progress_state *state) {
    double now = rv_seconds();
    if (!progress->out || now - progress->shown < interval) return;
    char line[256];
    rv_progress_line(line, sizeof line, state);
    write_line(progress, line);
    progress->shown = now;
}

void rv_progress_say(struct rv_progress *progress, const char *what) {
    if (progress->out) write_line(progress, what);
}

void rv_progress_clear(struct rv_progress *progress) {
    if (!progress->out || !progress->visible) return;
    fputs("\r\033[K", progress->out);
    fflush(progress->out);
    progress->visible = false;
}
