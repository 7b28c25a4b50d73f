/* Coverage as tables on a terminal. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/protocol.h"
#include "coverage/tell.h"
#include "report/printer.h"
#include "supervisor/util.h"

enum { VARIABLES_MOST = 40, NEVER_MOST = 8, NAME_MOST = 36 };

static void print_figure(struct rv_text *row, const struct rv_cover_figure *figure) {
    rv_text_addf(row, " %8llu %8llu %8llu", (unsigned long long)figure->covered,
                 (unsigned long long)figure->feasible, (unsigned long long)figure->total);
    if (figure->feasible)
        rv_text_addf(row, " %5.1f%%", rv_cover_percent(figure->covered, figure->feasible));
    else
        rv_text_add(row, "      -");
}

static void print_row(struct rv_printer *printer, enum rv_style style, struct rv_text *row) {
    char *text = rv_text_take(row);
    rv_print_row(printer, 0, style, "%s", text);
    free(text);
}

static const char *day_of(int64_t when, char *buffer, size_t size) {
    time_t seconds = (time_t)when;
    struct tm parts;
    if (!localtime_r(&seconds, &parts) || !strftime(buffer, size, "%Y-%m-%d %H:%M", &parts)) return "?";
    return buffer;
}

static void print_head(struct rv_printer *printer, const struct rv_cover_data *data,
                       const struct rv_cover_about *about, const struct rv_cover_figures *figures) {
    char executions[32], buffer[64];
    rv_print_line(printer, 0, 2, RV_BOLD,
                  "%s: %llu pattern instances covered, %.1f%% of %llu feasible ones (%.1f%% of %llu)",
                  about->program, (unsigned long long)figures->all.covered,
                  rv_cover_percent(figures->all.covered, figures->all.feasible),
                  (unsigned long long)figures->all.feasible,
                  rv_cover_percent(figures->all.covered, figures->all.total),
                  (unsigned long long)figures->all.total);
    rv_print_line(printer, 2, 0, RV_PLAIN, "by %s executions in %u run%s, the last on %s",
                  rv_grouped(data->executions, executions), data->run_count, data->run_count == 1 ? "" : "s",
                  data->run_count ? day_of(data->runs[data->run_count - 1].time, buffer, sizeof buffer)
                                  : "?");
    if (about->model)
        rv_print_line(printer, 2, 0, RV_PLAIN, "statements: from the static model (%s)", about->model);
    else
        rv_print_line(
            printer, 2, 0, RV_PLAIN,
            "statements: those that were executed; what never ran is not counted (no static model%s%s)",
            about->no_model ? ": " : "", about->no_model ? about->no_model : "");
    rv_print_line(printer, 2, 0, RV_PLAIN,
                  "feasible: as far as what was seen of locks and of threads' lives tells%s",
                  figures->rough ? "; not all instances were looked at, there are too many" : "");
    if (data->cut)
        rv_print_line(printer, 2, 0, RV_PLAIN,
                      "of %s execution%s not all was looked at (too long, or too many variables at once)",
                      rv_grouped(data->cut, executions), data->cut == 1 ? "" : "s");
    if (data->dropped)
        rv_print_line(printer, 2, 0, RV_ALARM, "there was no room for %s finds",
                      rv_grouped(data->dropped, executions));
}

static void print_variables(struct rv_printer *printer, const struct rv_cover_data *data,
                            const struct rv_cover_figures *figures) {
    rv_print_row(printer, 0, RV_BOLD, "%-*s  %s", NAME_MOST, "",
                 "patterns 1-8                      patterns 9-17");
    rv_print_row(printer, 0, RV_BOLD, "%-*s  %8s %8s %8s %6s  %8s %8s %6s", NAME_MOST, "variable", "covered",
                 "feasible", "total", "", "covered", "feasible", "");
    for (uint32_t i = 0; i < figures->variable_count && i < VARIABLES_MOST; i++) {
        const struct rv_cover_variable_figure *it = &figures->variables[i];
        struct rv_text row = {0};
        char *name = rv_text_harmless(rv_cover_variable_name(data, it->variable), false);
        char *shown = rv_shorten(printer, name, 0, strlen(name), NAME_MOST);
        size_t columns = rv_text_columns(shown);
        rv_text_add(&row, shown);
        rv_text_addf(&row, "%*s ", (int)(columns < NAME_MOST ? NAME_MOST - columns : 0), "");
        print_figure(&row, &it->single);
        rv_text_addf(&row, "  %8llu %8llu", (unsigned long long)it->wide.covered,
                     (unsigned long long)it->wide.feasible);
        if (it->wide.feasible)
            rv_text_addf(&row, " %5.1f%%", rv_cover_percent(it->wide.covered, it->wide.feasible));
        print_row(printer, RV_PLAIN, &row);
        free(name);
        free(shown);
    }
    if (figures->variable_count > VARIABLES_MOST)
        rv_print_row(printer, 0, RV_DIM, "and %u more (--json has all)",
                     figures->variable_count - VARIABLES_MOST);
}

static void print_patterns(struct rv_printer *printer, const struct rv_cover_figures *figures) {
    rv_print_row(printer, 0, RV_BOLD, "%-*s  %8s %8s %8s", NAME_MOST, "pattern", "covered", "feasible",
                 "total");
    for (unsigned p = 1; p <= RV_PATTERNS; p++) {
        struct rv_text row = {0};
        rv_text_addf(&row, "%2u  %-*s ", p, NAME_MOST - 4, rv_pattern_text(p));
        print_figure(&row, &figures->pattern[p]);
        print_row(printer, RV_PLAIN, &row);
    }
}

static void print_targets(struct rv_printer *printer, const struct rv_cover_data *data,
                          const struct rv_cover_figures *figures) {
    if (!figures->target_count) return;
    fputc('\n', printer->out);
    rv_print_row(printer, 0, RV_BOLD, "best next targets");
    for (unsigned i = 0; i < figures->target_count; i++) {
        char *text = rv_cover_describe(data, &figures->targets[i].instance);
        rv_print_line(printer, 2, 4, RV_PLAIN, "%s", text);
        free(text);
    }
}

static void print_functions(struct rv_printer *printer, const struct rv_cover_data *data) {
    struct rv_cover_functions functions;
    rv_cover_functions(&functions, data);
    struct rv_text never = {0};
    unsigned count = 0;
    for (uint32_t i = 0; i < functions.count; i++)
        for (uint32_t k = i; k < functions.count; k++) {
            uint32_t one = functions.list[i], other = functions.list[k];
            if (rv_cover_has_pair(data, one, other)) continue;
            if (count++ >= NEVER_MOST) continue;
            rv_text_addf(&never, "%s%s() and ", count > 1 ? ", " : "", data->functions[one].name);
            if (one == other)
                rv_text_add(&never, "itself");
            else
                rv_text_addf(&never, "%s()", data->functions[other].name);
        }
    fputc('\n', printer->out);
    rv_print_row(printer, 0, RV_BOLD, "functions at the same time: %llu of %llu pairs (%.1f%%)",
                 (unsigned long long)functions.covered, (unsigned long long)functions.total,
                 rv_cover_percent(functions.covered, functions.total));
    if (count) {
        if (count > NEVER_MOST) rv_text_addf(&never, " and %u more", count - NEVER_MOST);
        rv_print_line(printer, 2, 2, RV_PLAIN, "never: %s", never.data);
    }
    free(rv_text_take(&never));
    free(functions.list);
}

static void print_hapsets(struct rv_printer *printer, const struct rv_hapsets *sets) {
    uint32_t growth[RV_COVER_GROWTH];
    struct rv_text text = {0};
    char number[32];
    if (!sets || !sets->members.count) return;
    unsigned count = rv_cover_hapset_growth(sets, growth);
    for (unsigned i = 0; i < count; i++)
        rv_text_addf(&text, "%s%u after %s", i ? ", " : "", growth[i], rv_grouped(UINT64_C(1) << i, number));
    fputc('\n', printer->out);
    rv_print_row(printer, 0, RV_BOLD, "hapsets: %u predecessors of %u statements (--strategy=hapset)",
                 sets->members.count, sets->statements.count);
    char *list = rv_text_take(&text);
    rv_print_line(printer, 2, 2, RV_PLAIN, "%s schedules", list);
    free(list);
}

void rv_cover_print(const struct rv_cover_data *data, const struct rv_cover_about *about, FILE *out,
                    const struct rv_print_options *options) {
    struct rv_printer printer = rv_printer_for(out, options);
    struct rv_cover_figures figures;
    rv_cover_figures(&figures, data);
    print_head(&printer, data, about, &figures);
    fputc('\n', out);
    print_variables(&printer, data, &figures);
    fputc('\n', out);
    print_patterns(&printer, &figures);
    print_targets(&printer, data, &figures);
    print_functions(&printer, data);
    print_hapsets(&printer, about->hapsets);
    rv_cover_figures_free(&figures);
}
