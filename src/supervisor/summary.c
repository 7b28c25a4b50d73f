/* The result for people: each failure with its lanes, then one line that says what was done, then what
 * else there is to know. */
#include <stdlib.h>
#include <string.h>

#include "coverage/figures.h"
#include "report/text.h"
#include "supervisor/result.h"

static void print_list(FILE *out, const char *label, const struct rv_notes *list) {
    for (size_t i = 0; i < list->count; i++) {
        char *line = rv_text_harmless(list->texts[i], false);
        fprintf(out, "%s: %s\n", label, line);
        free(line);
    }
}

static void print_found(FILE *out, const struct rv_result *result, const struct rv_print_options *options) {
    for (size_t i = 0; i < result->found_count; i++) {
        const struct rv_found *found = &result->found[i];
        if (result->found_count > 1) fprintf(out, "failure %zu of %zu\n", i + 1, result->found_count);
        if (found->known) fprintf(out, "a known failure, saved by an earlier run, still happens:\n");
        rv_failure_print(&found->failure, out, options);
        fputc('\n', out);
    }
}

static void print_nondeterminism(FILE *out, const struct rv_nondeterminism *from) {
    char *what = rv_text_harmless(from->what, false);
    fprintf(out, "nondeterminism: %s\n", what);
    free(what);
    if (!from->first) return;
    char *first = rv_text_harmless(from->first, false), *second = rv_text_harmless(from->second, false);
    fprintf(out, "  first difference, event %llu:\n    one execution: %s\n    the other:     %s\n",
            (unsigned long long)from->event, first, second);
    free(first);
    free(second);
}

/* "coverage: 41 pattern instances, 34.2% of 120 feasible; 5 of 10 pairs of functions at the same time" */
static void print_covered(FILE *out, const struct rv_cover_data *covered) {
    struct rv_cover_figures figures;
    struct rv_cover_functions functions;
    char number[32], feasible[32];
    rv_cover_figures(&figures, covered);
    rv_cover_functions(&functions, covered);
    uint32_t fresh = covered->run_count ? covered->runs[covered->run_count - 1].after -
                                              covered->runs[covered->run_count - 1].before
                                        : 0;
    fprintf(
        out,
        "coverage: %s pattern instance%s (%u new), %.1f%% of %s feasible ones of what was executed; %llu of %llu pairs of functions at the same time\n",
        rv_grouped(figures.all.covered, number), figures.all.covered == 1 ? "" : "s", fresh,
        rv_cover_percent(figures.all.covered, figures.all.feasible),
        rv_grouped(figures.all.feasible, feasible), (unsigned long long)functions.covered,
        (unsigned long long)functions.total);
    free(functions.list);
    rv_cover_figures_free(&figures);
}

/* "12 failures in 10,000 schedules (auto, seed 1, memory isolation), 2.1 s; every schedule was tried" */
static void print_line(FILE *out, const struct rv_result *result) {
    char schedules[32], cut[32];
    size_t count = result->found_count;
    if (count > 0 && result->schedules == 0) { /* --keep-going would have gone on */
        fprintf(out, "%zu known failure%s; nothing was explored\n", count, count == 1 ? "" : "s");
        return;
    }
    if (count == 0)
        fprintf(out, "no failure in ");
    else
        fprintf(out, "%zu failure%s in ", count, count == 1 ? "" : "s");
    fprintf(out, "%s schedule%s (%s, seed %llu, %s isolation%s), %.3g s",
            rv_grouped(result->schedules, schedules), result->schedules == 1 ? "" : "s",
            result->config.strategy, (unsigned long long)result->config.seed,
            rv_isolation_name(result->isolation), result->program->instrumented ? "" : ", not instrumented",
            result->seconds);
    if (result->search.earlier)
        fprintf(out, ", after %s earlier ones", rv_grouped(result->search.earlier, cut));
    if (result->complete)
        fprintf(out, "; complete: every schedule has been covered");
    else if (result->stopped_by == RV_STOP_TIME)
        fprintf(out, "; the time was up");
    else if (result->stopped_by == RV_STOP_INTERRUPT)
        fprintf(out, "; interrupted");
    fputc('\n', out);
    if (result->dead_ends)
        fprintf(
            out,
            "%s of them %s a dead end: what had happened before let nobody go on who keeps to the schedule of events\n",
            rv_grouped(result->dead_ends, cut), result->dead_ends == 1 ? "was" : "were");
    if (result->not_terminating)
        fprintf(out, "%s execution%s cut off after %llu scheduling points (--max-steps)\n",
                rv_grouped(result->not_terminating, cut), result->not_terminating == 1 ? " was" : "s were",
                (unsigned long long)result->config.max_steps);
}

void rv_result_print(const struct rv_result *result, FILE *out, const struct rv_print_options *options) {
    print_found(out, result, options);
    for (size_t i = 0; i < result->fixed.count; i++)
        fprintf(out, "fixed: %s passes now (the file is kept)\n", result->fixed.texts[i]);
    if (result->nondeterminism.found) print_nondeterminism(out, &result->nondeterminism);
    print_list(out, "note", &result->notes);
    print_line(out, result);
    if (result->covered) print_covered(out, result->covered);
}
