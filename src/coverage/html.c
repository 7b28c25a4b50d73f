/* Coverage as one page: no script, nothing to load. All that comes from the program (names, files, source lines) goes through
 * `add`, which makes it harmless: untrusted text must not become part of the page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/protocol.h"
#include "coverage/tell.h"
#include "report/printer.h"
#include "report/whole_file.h"
#include "supervisor/util.h"

enum { MATRIX_MOST = 60, VARIABLES_MOST = 400, UNCOVERED_MOST = 200, FILES = 64, SOURCE_MOST = 8 << 20 };
enum { WIDTH = 860, HEIGHT = 260, LEFT = 60, BOTTOM = 34, TOP = 12, RIGHT = 12 };

struct source {
    char *path, *text;
    char **lines;
    uint32_t count;
};

struct page {
    struct rv_text text;
    const struct rv_cover_data *data;
    const struct rv_cover_about *about;
    struct rv_cover_figures figures;
    struct source sources[FILES];
    unsigned source_count;
};

static const char style[] =
    "body{font:15px/1.45 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1c2530;background:#fff}"
    "h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.2rem;border-bottom:1px solid #d8dee6;padding-bottom:.2rem}"
    "table{border-collapse:collapse;margin:.6rem 0}td,th{padding:.18rem .6rem;text-align:right;border-bottom:1px solid #e8ecf1}"
    "th{font-weight:600;color:#46535f}td:first-child,th:first-child{text-align:left}code,.src{font:13px ui-monospace,monospace}"
    ".bar{display:inline-block;width:7rem;height:.7rem;background:#e6ebf0;vertical-align:middle}"
    ".bar i{display:block;height:100%;background:#2f7d5b}.muted{color:#67737f}"
    ".matrix{overflow-x:auto}.matrix td{padding:0;width:1.35rem;height:1.35rem;text-align:center;border:1px solid #fff}"
    ".matrix th{font-weight:400}.matrix td:first-child{text-align:center}.yes{background:#2f7d5b;color:#fff}.no{background:#eadfd9;color:#8d4a32}"
    ".matrix thead th{writing-mode:vertical-rl;transform:rotate(180deg);text-align:left;padding:.2rem 0;vertical-align:bottom}"
    ".matrix tbody th{text-align:right;padding-right:.5rem;border:0}summary{cursor:pointer;padding:.25rem 0}"
    "details{border-bottom:1px solid #e8ecf1}details table{margin-left:1.2rem}"
    ".src{white-space:pre;text-align:left}td.l{text-align:left}svg text{font:12px system-ui,sans-serif;fill:#46535f}"
    "@media(prefers-color-scheme:dark){body{background:#14191f;color:#d7dee6}h2{border-color:#333d47}th,.muted,svg text{color:#9aa7b3;fill:#9aa7b3}"
    "td,th,details{border-color:#2a323a}.bar{background:#2a323a}.no{background:#3a2c26;color:#d9a48e}.matrix td{border-color:#14191f}}";

/* ---- text ---- */

static void add_raw(struct page *page, const char *text) { rv_text_add(&page->text, text); }

static void add(struct page *page, const char *raw) {
    char *text = rv_text_harmless(raw, false);
    for (const char *at = text; *at; at++) {
        switch (*at) {
        case '&': add_raw(page, "&amp;"); break;
        case '<': add_raw(page, "&lt;"); break;
        case '>': add_raw(page, "&gt;"); break;
        case '"': add_raw(page, "&quot;"); break;
        case '\'': add_raw(page, "&#39;"); break;
        default: rv_text_add_n(&page->text, at, 1);
        }
    }
    free(text);
}

static void add_number(struct page *page, uint64_t value) {
    char buffer[32];
    add_raw(page, rv_grouped(value, buffer));
}

static void cell(struct page *page, uint64_t value) {
    add_raw(page, "<td>");
    add_number(page, value);
}

static void add_bar(struct page *page, const struct rv_cover_figure *figure) {
    double percent = rv_cover_percent(figure->covered, figure->feasible);
    if (!figure->feasible) {
        add_raw(page, "<td><td>");
        return;
    }
    rv_text_addf(&page->text, "<td>%.1f%%<td><span class=\"bar\"><i style=\"width:%.1f%%\"></i></span>",
                 percent, percent < 100 ? percent : 100.0);
}

static void add_figure(struct page *page, const struct rv_cover_figure *figure) {
    cell(page, figure->covered);
    cell(page, figure->feasible);
    cell(page, figure->total);
    add_bar(page, figure);
}

static void add_day(struct page *page, int64_t when) {
    time_t seconds = (time_t)when;
    struct tm parts;
    char buffer[64];
    if (localtime_r(&seconds, &parts) && strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M", &parts))
        add_raw(page, buffer);
}

/* ---- source lines ---- */

static void split(struct source *source) {
    for (char *at = source->text; at && *at;) {
        source->lines = rv_text_realloc(source->lines, source->count + 1, sizeof *source->lines);
        source->lines[source->count++] = at;
        char *end = strchr(at, '\n');
        if (end) *end = '\0';
        at = end ? end + 1 : NULL;
    }
}

static const struct source *source_of(struct page *page, const char *file) {
    for (unsigned i = 0; i < page->source_count; i++)
        if (strcmp(page->sources[i].path, file) == 0) return &page->sources[i];
    if (page->source_count == FILES) return NULL;
    struct source *source = &page->sources[page->source_count++];
    size_t size;
    char *error = NULL;
    char *path = *file == '/' ? rv_text_copy(file) : rv_text_format("%s/%s", page->about->directory, file);
    *source = (struct source){.path = rv_text_copy(file)};
    source->text = rv_whole_file(path, SOURCE_MOST, "source file", &size, &error);
    split(source);
    free(error);
    free(path);
    return source;
}

static const char *line_of(struct page *page, const struct rv_cover_statement *statement) {
    const struct source *source = statement->line ? source_of(page, statement->file) : NULL;
    if (!source || statement->line > source->count) return "";
    const char *line = source->lines[statement->line - 1];
    return line + strspn(line, " \t");
}

/* ---- parts of the page ---- */

static void add_head(struct page *page) {
    const struct rv_cover_figures *figures = &page->figures;
    const struct rv_cover_data *data = page->data;
    add_raw(
        page,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        "<meta name=\"viewport\" content=\"width=device-width\"><title>Coverage of ");
    add(page, rv_base_name(page->about->program));
    add_raw(page, "</title><style>");
    add_raw(page, style);
    add_raw(page, "</style></head><body>\n<h1>Coverage of ");
    add(page, page->about->program);
    rv_text_addf(&page->text, "</h1>\n<p><b>%.1f%%</b> of the feasible memory-access pattern instances: <b>",
                 rv_cover_percent(figures->all.covered, figures->all.feasible));
    add_number(page, figures->all.covered);
    add_raw(page, "</b> covered, ");
    add_number(page, figures->all.feasible);
    add_raw(page, " feasible, ");
    add_number(page, figures->all.total);
    add_raw(page, " in all; by ");
    add_number(page, data->executions);
    rv_text_addf(&page->text, " executions in %u run%s.</p>\n<p class=\"muted\">", data->run_count,
                 data->run_count == 1 ? "" : "s");
    if (page->about->model) {
        add_raw(page, "Statements are those of the static model (");
        add(page, page->about->model);
        add_raw(page, ").");
    } else {
        add_raw(page,
                "Statements are those that were executed: what never ran is not counted (no static model");
        if (page->about->no_model) {
            add_raw(page, ": ");
            add(page, page->about->no_model);
        }
        add_raw(page, ").");
    }
    add_raw(page, " Feasible is what nothing that was seen of locks and of the lives of threads rules out.");
    if (data->cut) {
        add_raw(page, " Not all was looked at in ");
        add_number(page, data->cut);
        rv_text_addf(&page->text, " execution%s.", data->cut == 1 ? "" : "s");
    }
    add_raw(page, "</p>\n");
}

/* Executions on a logarithmic scale. */
static double place(uint64_t executions, uint64_t all) {
    double most = log2((double)(all > 1 ? all : 2));
    return LEFT + (WIDTH - LEFT - RIGHT) * log2((double)(executions > 1 ? executions : 1)) / most;
}

static double height(uint64_t covered, uint64_t most) {
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (double)covered / (double)(most ? most : 1);
}

static uint32_t between(uint32_t value, uint32_t low, uint32_t high) {
    return value < low ? low : value > high ? high : value;
}

static void add_axes(struct page *page, uint64_t all, uint64_t most) {
    char buffer[32];
    for (uint64_t tick = 1; tick <= all && tick; tick *= 10)
        rv_text_addf(&page->text,
                     "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#8884\"/>"
                     "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
                     place(tick, all), place(tick, all), TOP, HEIGHT - BOTTOM, place(tick, all),
                     HEIGHT - BOTTOM + 16, rv_grouped(tick, buffer));
    for (unsigned i = 0; i <= 4; i++) {
        uint64_t value = most * i / 4;
        rv_text_addf(&page->text,
                     "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#8884\"/>"
                     "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
                     LEFT, WIDTH - RIGHT, height(value, most), height(value, most), LEFT - 6,
                     height(value, most) + 4, rv_grouped(value, buffer));
    }
    rv_text_addf(&page->text, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">executions</text>", WIDTH - RIGHT,
                 HEIGHT - 2);
}

static void add_runs(struct page *page) {
    add_raw(
        page,
        "<details><summary>Runs</summary><table><tr><th>ended<th>strategy<th>executions<th>seconds<th>new<th>covered");
    for (uint32_t i = 0; i < page->data->run_count; i++) {
        const struct rv_cover_run *run = &page->data->runs[i];
        add_raw(page, "<tr><td>");
        add_day(page, run->time);
        add_raw(page, "<td>");
        add(page, run->strategy);
        cell(page, run->executions);
        rv_text_addf(&page->text, "<td>%.1f", run->seconds);
        cell(page, run->after >= run->before ? run->after - run->before : 0);
        cell(page, run->after);
    }
    add_raw(page, "</table></details>\n");
}

static void add_time(struct page *page) {
    const struct rv_cover_data *data = page->data;
    uint64_t all = 0, done = 0, most = 1;
    for (uint32_t i = 0; i < data->run_count; i++) {
        all += data->runs[i].executions;
        if (data->runs[i].after > most) most = data->runs[i].after;
    }
    add_raw(page, "<h2>Coverage over time</h2>\n");
    rv_text_addf(&page->text,
                 "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"instances covered by executions\">",
                 WIDTH, HEIGHT);
    add_axes(page, all, most);
    add_raw(page, "<polyline fill=\"none\" stroke=\"#2f7d5b\" stroke-width=\"2\" points=\"");
    for (uint32_t i = 0; i < data->run_count; i++) {
        const struct rv_cover_run *run = &data->runs[i];
        for (unsigned k = 0; k < RV_COVER_GROWTH && run->growth[k] && UINT64_C(1) << k <= run->executions;
             k++)
            rv_text_addf(&page->text, "%.1f,%.1f ", place(done + (UINT64_C(1) << k), all),
                         height(between(run->growth[k], run->before, run->after), most));
        done += run->executions;
        rv_text_addf(&page->text, "%.1f,%.1f ", place(done, all), height(run->after, most));
    }
    add_raw(page, "\"/></svg>\n");
    add_runs(page);
}

static void add_patterns(struct page *page) {
    add_raw(page, "<h2>Patterns</h2>\n<table><tr><th>pattern<th>covered<th>feasible<th>total<th><th>");
    for (unsigned p = 1; p <= RV_PATTERNS; p++) {
        rv_text_addf(&page->text, "<tr><td>%u <code>%s</code>", p, rv_pattern_text(p));
        add_figure(page, &page->figures.pattern[p]);
    }
    add_raw(page, "</table>\n");
}

static void add_targets(struct page *page) {
    if (!page->figures.target_count) return;
    add_raw(page, "<h2>Best next targets</h2>\n<ol>");
    for (unsigned i = 0; i < page->figures.target_count; i++) {
        char *text = rv_cover_describe(page->data, &page->figures.targets[i].instance);
        add_raw(page, "<li>");
        add(page, text);
        free(text);
    }
    add_raw(page, "</ol>\n");
}

static void add_matrix(struct page *page) {
    const struct rv_cover_data *data = page->data;
    struct rv_cover_functions functions;
    rv_cover_functions(&functions, data);
    uint32_t shown = functions.count < MATRIX_MOST ? functions.count : MATRIX_MOST;
    add_raw(page, "<h2>Functions at the same time</h2>\n<p>");
    add_number(page, functions.covered);
    add_raw(page, " of ");
    add_number(page, functions.total);
    add_raw(page, " pairs of functions that use shared variables have run at the same time");
    if (shown < functions.count) rv_text_addf(&page->text, " (the first %u are shown)", shown);
    add_raw(page, ".</p>\n<div class=\"matrix\"><table><thead><tr><th>");
    for (uint32_t i = 0; i < shown; i++) {
        add_raw(page, "<th>");
        add(page, data->functions[functions.list[i]].name);
    }
    add_raw(page, "</thead><tbody>");
    for (uint32_t i = 0; i < shown; i++) {
        add_raw(page, "<tr><th>");
        add(page, data->functions[functions.list[i]].name);
        for (uint32_t k = 0; k < shown; k++) {
            bool has = rv_cover_has_pair(data, functions.list[i], functions.list[k]);
            add_raw(page, has ? "<td class=\"yes\">&#10003;" : "<td class=\"no\">&#183;");
        }
    }
    add_raw(page, "</tbody></table></div>\n");
    free(functions.list);
}

static void add_statements(struct page *page, uint32_t variable) {
    const struct rv_cover_data *data = page->data;
    add_raw(page, "<table><tr><th>statement<th>access<th>source<th>in instances");
    for (uint32_t i = 0; i < data->use_keys.count; i++) {
        const struct rv_cover_use_text *use = &data->uses[i];
        if (use->variable != variable) continue;
        const struct rv_cover_statement *statement = &data->statements[use->statement];
        uint64_t count = 0;
        for (uint32_t k = 0; k < data->instance_keys.count; k++) {
            const struct rv_instance *it = rv_cover_instance_at(data, k);
            bool in = false;
            for (unsigned s = 0; s < rv_pattern_table[it->pattern].steps; s++)
                in |= it->statements[s] == use->statement &&
                      it->variables[rv_pattern_table[it->pattern].step[s].other] == variable;
            count += in;
        }
        char *text = rv_cover_place(data, use->statement);
        add_raw(page, "<tr><td>");
        add(page, text);
        add_raw(page, statement->write ? "<td class=\"l\">write<td class=\"src\">"
                                       : "<td class=\"l\">read<td class=\"src\">");
        add(page, line_of(page, statement));
        cell(page, count);
        free(text);
    }
    add_raw(page, "</table>\n");
}

static void add_singles(struct page *page, uint32_t variable) {
    const struct rv_cover_data *data = page->data;
    unsigned shown = 0;
    add_raw(page, "<table><tr><th>covered, patterns 1 to 8");
    for (uint32_t i = 0; i < data->instance_keys.count && shown < UNCOVERED_MOST; i++) {
        const struct rv_instance *it = rv_cover_instance_at(data, i);
        if (it->variables[0] != variable || rv_pattern_is_wide(it->pattern)) continue;
        char *text = rv_cover_describe(data, it);
        add_raw(page, "<tr><td class=\"l\">");
        add(page, text);
        free(text);
        shown++;
    }
    add_raw(page, "</table>\n");
}

static void add_variables(struct page *page) {
    const struct rv_cover_figures *figures = &page->figures;
    add_raw(
        page,
        "<h2>Variables</h2>\n<table><tr><th>variable<th>reads<th>writes<th>covered<th>feasible<th>total<th><th>");
    for (uint32_t i = 0; i < figures->variable_count && i < VARIABLES_MOST; i++) {
        const struct rv_cover_variable_figure *it = &figures->variables[i];
        rv_text_addf(&page->text, "<tr><td><a href=\"#v%u\">", it->variable);
        add(page, rv_cover_variable_name(page->data, it->variable));
        add_raw(page, "</a>");
        cell(page, it->reads);
        cell(page, it->writes);
        add_figure(page, &it->single);
    }
    add_raw(page, "</table>\n<p class=\"muted\">Patterns 1 to 8, of one variable.</p>\n");
    for (uint32_t i = 0; i < figures->variable_count && i < VARIABLES_MOST; i++) {
        const struct rv_cover_variable_figure *it = &figures->variables[i];
        rv_text_addf(&page->text, "<details id=\"v%u\"%s><summary><b>", it->variable, i < 3 ? " open" : "");
        add(page, rv_cover_variable_name(page->data, it->variable));
        add_raw(page, "</b> <span class=\"muted\">");
        add_number(page, it->single.covered);
        add_raw(page, " of ");
        add_number(page, it->single.feasible);
        add_raw(page, "; with other variables ");
        add_number(page, it->wide.covered);
        add_raw(page, " of ");
        add_number(page, it->wide.feasible);
        add_raw(page, "</span></summary>\n");
        add_statements(page, it->variable);
        add_singles(page, it->variable);
        add_raw(page, "</details>\n");
    }
}

static void add_hapsets(struct page *page) {
    const struct rv_hapsets *sets = page->about->hapsets;
    uint32_t growth[RV_COVER_GROWTH];
    if (!sets || !sets->members.count) return;
    unsigned count = rv_cover_hapset_growth(sets, growth);
    add_raw(page, "<h2>HaPSets</h2>\n<table><tr><th>schedules<th>predecessors");
    for (unsigned i = 0; i < count; i++) {
        add_raw(page, "<tr><td>");
        add_number(page, UINT64_C(1) << i);
        cell(page, growth[i]);
    }
    add_raw(page, "</table>\n");
}

char *rv_cover_html(const struct rv_cover_data *data, const struct rv_cover_about *about) {
    struct page page = {.data = data, .about = about};
    rv_cover_figures(&page.figures, data);
    add_head(&page);
    add_time(&page);
    add_patterns(&page);
    add_targets(&page);
    add_matrix(&page);
    add_variables(&page);
    add_hapsets(&page);
    add_raw(&page, "</body></html>\n");
    for (unsigned i = 0; i < page.source_count; i++) {
        free(page.sources[i].path);
        free(page.sources[i].text);
        free(page.sources[i].lines);
    }
    rv_cover_figures_free(&page.figures);
    return rv_text_take(&page.text);
}
