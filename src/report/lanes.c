/* The events as lanes: time runs down, every involved thread has a column, so that a switch is seen as a
 * change of column. An event is one row: in the thread's column what it does, at the right where.
 *
 *      thread 1 (deposit) | thread 2 (deposit) | bank.c
 *     --------------------+--------------------+-------------------------
 *  => read balance = 0    |                    | :12  int b = balance;
 *     (reads it, then is preempted)
 *                         | lock mutex         | :18  pthread_mutex_lock(&mutex);
 *
 * The place names the file once, above, if all rows are in the same one. Columns are as wide as their text, as
 * long as two fifths of the width are left for the source; then names of operations become shorter, then threads
 * lose their names, then names of objects lose their middle. Where even that does not help, because there are too many threads, the columns
 * are narrow marks and the text stands to their right.
 */
#include <stdlib.h>
#include <string.h>

#include "report/lanes.h"

enum {
    MARGIN = 4,      /* columns for the mark of decisive rows */
    BAR = 3,         /* columns of " | " */
    LANE_MIN = 18,   /* columns below which text inside is no use */
    LOSS_MAX = 3,    /* columns that a lane's text may lose: names must stay readable */
    PLACE_MIN = 16,  /* ... at the right */
    MARK_LANES = 12, /* narrow ones; more threads share the last */
    MARK = 3,        /* columns of a narrow one */
    GAPS = 3,        /* how many are mentioned, the largest ones */
    GAP_MIN = 8,     /* events left out below which nobody needs to know */
};

struct line {
    uint32_t thread;
    struct rv_lane_words words;   /* text NULL: a gap of `gap` events */
    const struct rv_location *at; /* NULL: none */
    const char *note;             /* "": none */
    enum rv_style style;
    bool marked;
    unsigned gap;
};

struct view {
    struct rv_printer *printer;
    const struct rv_failure *failure;
    bool *shown; /* per event */
    bool terse;  /* names of operations */
    struct line *lines;
    unsigned line_count;
    uint32_t *threads; /* that have a lane, ascending */
    unsigned thread_count;
    unsigned *widths; /* of each lane */
    unsigned place;   /* column where the places are */
    bool brief;       /* lanes need not be as wide as the names of their threads */
    bool narrow;
    unsigned text_column; /* of narrow lanes */
    const char *file;     /* all places are in it; NULL: in several */
};

/* --- what is to be shown --- */

static struct line *add_line(struct view *view, uint32_t thread) {
    struct line *line = &view->lines[view->line_count++];
    *line = (struct line){.thread = thread, .note = "", .style = RV_PLAIN};
    return line;
}

static void add_words(struct view *view, uint32_t thread, const char *text) {
    struct line *line = add_line(view, thread);
    line->words = (struct rv_lane_words){rv_text_copy(text), 0, 0};
    line->style = RV_DIM;
}

/* Gaps of so many events are mentioned. */
static unsigned smallest_gap(const struct view *view) {
    unsigned largest[GAPS] = {0}, gap = 0;
    bool begun = false;
    for (unsigned i = 0; i < view->failure->event_count; i++) {
        if (!view->shown[i]) {
            gap += begun;
            continue;
        }
        for (unsigned k = 0; k < GAPS; k++) {
            unsigned smaller = largest[k];
            if (gap <= smaller) continue;
            largest[k] = gap;
            gap = smaller;
        }
        gap = 0;
        begun = true;
    }
    return largest[GAPS - 1] > GAP_MIN ? largest[GAPS - 1] : GAP_MIN;
}

static void add_event(struct view *view, const struct rv_trace_event *event,
                      struct rv_lane_pointers *pointers) {
    struct line *line = add_line(view, event->thread);
    const struct rv_location *at = !event->at.line && event->caller.line ? &event->caller : &event->at;
    line->words = rv_lane_event(event, pointers, view->terse);
    line->at = at->line || *at->function || *at->module ? at : NULL;
    line->marked = event->decisive;
    line->style = event->decisive ? RV_MARK : RV_PLAIN;
    if (event->decisive) line->note = event->note;
}

static void add_events(struct view *view) {
    const struct rv_failure *failure = view->failure;
    struct rv_lane_pointers pointers = {.count = 0};
    const struct rv_trace_event *previous = NULL; /* shown */
    unsigned least = smallest_gap(view), gap = 0, gaps = 0;
    uint32_t preempted = RV_NO_THREAD, told = RV_NO_THREAD; /* by a note: that it is preempted */
    for (unsigned i = 0; i < failure->event_count; i++) {
        const struct rv_trace_event *event = &failure->events[i];
        if (i > 0 && (event->flags & RV_EVENT_PREEMPT) && event[-1].thread != event->thread)
            preempted = event[-1].thread;
        if (!view->shown[i]) {
            gap++;
            continue;
        }
        if (previous && previous->thread == preempted && event->thread != preempted && told != preempted)
            add_words(view, preempted, "(preempted)");
        if (previous && gap >= least && gaps++ < GAPS) add_line(view, event->thread)->gap = gap;
        gap = 0;
        preempted = RV_NO_THREAD;
        if (told != event->thread) told = RV_NO_THREAD;
        if (event->decisive && strstr(event->note, "preempted")) told = event->thread;
        add_event(view, event, &pointers);
        previous = event;
    }
}

static void add_last_words(struct view *view) {
    for (unsigned i = 0; i < view->failure->thread_count; i++) {
        const struct rv_thread_text *thread = &view->failure->threads[i];
        if (!rv_lane_has_last_word(view->failure, thread)) continue;
        struct line *line = add_line(view, thread->id);
        line->words = rv_lane_last_word(view->failure, thread, view->terse);
        line->at = rv_stack_place(&thread->stack);
        line->style = RV_ALARM;
        line->marked = true;
    }
}

static void involve(struct view *view, uint32_t thread) {
    unsigned at = 0;
    while (at < view->thread_count && view->threads[at] < thread) at++;
    if (at < view->thread_count && view->threads[at] == thread) return;
    memmove(view->threads + at + 1, view->threads + at, (view->thread_count - at) * sizeof *view->threads);
    view->threads[at] = thread;
    view->thread_count++;
}

static void find_file(struct view *view) {
    view->file = NULL;
    for (unsigned i = 0; i < view->line_count; i++) {
        const struct rv_location *at = view->lines[i].at;
        if (!at) continue;
        if (at->line && !view->file) view->file = at->file;
        if (at->line && strcmp(at->file, view->file) == 0) continue;
        view->file = NULL;
        return;
    }
}

static void free_lines(struct view *view) {
    for (unsigned i = 0; i < view->line_count; i++) free(view->lines[i].words.text);
    view->line_count = 0;
}

static void make_lines(struct view *view, bool terse) {
    free_lines(view);
    view->terse = terse;
    add_events(view);
    add_last_words(view);
    for (unsigned i = 0; i < view->line_count; i++) involve(view, view->lines[i].thread);
    find_file(view);
}

/* --- how wide --- */

static unsigned lane_of(const struct view *view, uint32_t thread) {
    unsigned lane = 0;
    while (lane + 1 < view->thread_count && view->threads[lane] != thread) lane++;
    return view->narrow && lane >= MARK_LANES ? MARK_LANES - 1 : lane;
}

static unsigned columns(const struct view *view, const char *text) {
    char *harmless = rv_text_harmless(text, !view->printer->utf8);
    size_t wide = rv_text_columns(harmless);
    free(harmless);
    return wide < view->printer->width ? (unsigned)wide : view->printer->width;
}

static char *lane_name(const struct view *view, unsigned lane) {
    if (view->brief) return rv_text_format("thread %u", view->threads[lane]);
    return rv_describe_thread(view->failure, view->threads[lane]);
}

static unsigned at_least(unsigned columns_wanted) {
    return columns_wanted > PLACE_MIN ? columns_wanted : PLACE_MIN;
}

/* Gives every lane what it wants. The columns missing if `place_room` of them are for the places. */
static unsigned measure(struct view *view, unsigned place_room) {
    unsigned taken = MARGIN + BAR * view->thread_count + at_least(place_room);
    for (unsigned i = 0; i < view->thread_count; i++) {
        char *name = lane_name(view, i);
        view->widths[i] = columns(view, name);
        free(name);
    }
    for (unsigned i = 0; i < view->line_count; i++) {
        const struct line *line = &view->lines[i];
        unsigned wide = line->words.text ? columns(view, line->words.text) : 0;
        unsigned *width = &view->widths[lane_of(view, line->thread)];
        if (wide > *width) *width = wide;
    }
    for (unsigned i = 0; i < view->thread_count; i++) taken += view->widths[i];
    return taken > view->printer->width ? taken - view->printer->width : 0;
}

/* Takes what is missing from the widest lanes, a little from each; what they cannot give, the places must. */
static void shrink(struct view *view, unsigned missing) {
    unsigned taken = MARGIN + BAR * view->thread_count + at_least(view->printer->width / 5);
    unsigned *wanted = rv_text_alloc(view->thread_count, sizeof *wanted);
    memcpy(wanted, view->widths, view->thread_count * sizeof *wanted);
    for (; missing > 0; missing--) {
        unsigned widest = view->thread_count;
        for (unsigned i = 0; i < view->thread_count; i++) {
            if (view->widths[i] <= LANE_MIN || wanted[i] - view->widths[i] >= LOSS_MAX) continue;
            if (widest == view->thread_count || view->widths[i] > view->widths[widest]) widest = i;
        }
        if (widest == view->thread_count) break;
        view->widths[widest]--;
    }
    for (unsigned i = 0; i < view->thread_count; i++) taken += view->widths[i];
    view->narrow = taken > view->printer->width;
    free(wanted);
}

static unsigned mark_lanes(const struct view *view) {
    return view->thread_count < MARK_LANES ? view->thread_count : MARK_LANES;
}

static unsigned lane_column(const struct view *view, unsigned lane) {
    unsigned column = MARGIN;
    if (view->narrow) return view->text_column;
    for (unsigned i = 0; i < lane; i++) column += view->widths[i] + BAR;
    return column;
}

/* Text beside marks: as wide as the widest, as long as there is room for places. */
static void lay_out_marks(struct view *view) {
    unsigned wide = 0;
    view->text_column = MARGIN + MARK * mark_lanes(view) + 1;
    for (unsigned i = 0; i < view->line_count; i++) {
        const char *text = view->lines[i].words.text;
        unsigned wanted = text ? columns(view, text) : 0;
        if (wanted > wide) wide = wanted;
    }
    unsigned left = view->printer->width - view->text_column;
    if (view->text_column + LANE_MIN > view->printer->width) left = LANE_MIN;
    unsigned room = at_least(view->printer->width / 3);
    unsigned most = left > room + BAR + LANE_MIN ? left - room - BAR : LANE_MIN;
    view->place = view->text_column + (wide < most ? wide : most) + BAR;
}

static void lay_out(struct view *view) {
    unsigned width = view->printer->width, missing;
    make_lines(view, false);
    view->widths = rv_text_alloc(view->thread_count, sizeof *view->widths);
    missing = measure(view, width * 2 / 5);
    if (missing) {
        make_lines(view, true);
        missing = measure(view, width / 3);
    }
    if (missing) {
        view->brief = true;
        missing = measure(view, width / 4);
    }
    shrink(view, missing);
    if (view->narrow) {
        make_lines(view, false);
        lay_out_marks(view);
    } else {
        view->place = lane_column(view, view->thread_count);
    }
}

/* --- drawing --- */

static const char *bar(const struct view *view) { return view->printer->utf8 ? "\u2502" : "|"; }

/* The bars up to the column, from where the row is. */
static void draw_bars(const struct view *view, struct rv_row *row, unsigned column) {
    for (unsigned i = 1; !view->narrow && i <= view->thread_count; i++) {
        unsigned at = lane_column(view, i) - 2;
        if (at < row->column || at >= column) continue;
        rv_row_pad(row, at);
        rv_row_add(row, RV_PLAIN, bar(view), 1);
    }
    rv_row_pad(row, column);
}

static void draw_marks(const struct view *view, struct rv_row *row, unsigned mine) {
    for (unsigned i = 0; view->narrow && i < mark_lanes(view); i++) {
        rv_row_pad(row, MARGIN + i * MARK);
        rv_row_add(row, RV_PLAIN, i == mine ? "*" : bar(view), 1);
    }
}

static void draw_place(const struct view *view, struct rv_row *row, const struct rv_location *at) {
    unsigned width = view->printer->width;
    if (!at || view->place + 4 >= width) return;
    char *text;
    if (!at->line)
        text = rv_describe_briefly(at);
    else if (*at->source)
        text = rv_text_format("%s:%u  %s", view->file ? "" : rv_base_name(at->file), at->line, at->source);
    else
        text = rv_text_format("%s:%u%s%s%s", view->file ? "" : rv_base_name(at->file), at->line,
                              *at->function ? "  in " : "", at->function, *at->function ? "()" : "");
    rv_row_pad(row, view->place);
    rv_row_add(row, RV_DIM, text, width - view->place);
    free(text);
}

/* The reason, below its step: it may run over the columns to the right of it, and begins further left where
 * it does not fit. */
static void draw_note(const struct view *view, const struct line *line) {
    struct rv_row row = {.printer = view->printer};
    unsigned lane = lane_of(view, line->thread), start = lane_column(view, lane);
    char *note = rv_text_format("(%s)", line->note);
    unsigned wide = columns(view, note), width = view->printer->width;
    bool fits = start + wide <= width;
    if (!fits) start = wide + MARGIN < width ? width - wide : MARGIN;
    if (fits) draw_marks(view, &row, mark_lanes(view));
    draw_bars(view, &row, start);
    rv_row_add(&row, RV_MARK, note, width - start);
    if (!view->narrow) draw_bars(view, &row, view->place);
    rv_row_end(&row);
    free(note);
}

static bool same_place(const struct rv_location *a, const struct rv_location *b) {
    if (!a || !b || a->line != b->line) return false;
    return a->line ? strcmp(a->file, b->file) == 0
                   : a->offset == b->offset && strcmp(a->module, b->module) == 0;
}

static void draw_line(const struct view *view, const struct line *line, const struct line *previous) {
    struct rv_row row = {.printer = view->printer};
    unsigned lane = lane_of(view, line->thread), start = lane_column(view, lane);
    if (!line->words.text) {
        rv_print_row(view->printer, MARGIN, RV_DIM, "... %u steps", line->gap);
        return;
    }
    if (line->marked) rv_row_add(&row, line->style, " =>", MARGIN);
    draw_marks(view, &row, lane);
    draw_bars(view, &row, start);
    unsigned room = view->narrow ? view->place - BAR - start : view->widths[lane];
    if (start + room > view->printer->width)
        room = start < view->printer->width ? view->printer->width - start : 1;
    char *text = rv_shorten(view->printer, line->words.text, line->words.from, line->words.to, room);
    rv_row_add(&row, line->style, text, room);
    free(text);
    draw_bars(view, &row, view->place);
    bool same = previous && previous->thread == line->thread && same_place(previous->at, line->at);
    if (!same) draw_place(view, &row, line->at);
    rv_row_end(&row);
    if (*line->note) draw_note(view, line);
}

static void draw_narrow_head(const struct view *view) {
    struct rv_row row = {.printer = view->printer};
    struct rv_text text = {0};
    for (unsigned i = 0; i < mark_lanes(view); i++) rv_text_addf(&text, "%-*u", MARK, view->threads[i]);
    if (view->thread_count > MARK_LANES) rv_text_addf(&text, "and %u more ", view->thread_count - MARK_LANES);
    rv_text_add(&text, "(threads)");
    rv_row_pad(&row, MARGIN);
    rv_row_add(&row, RV_BOLD, text.data, view->printer->width - MARGIN);
    rv_row_pad(&row, view->place);
    if (view->file && row.column == view->place && view->place < view->printer->width)
        rv_row_add(&row, RV_BOLD, rv_base_name(view->file), view->printer->width - view->place);
    rv_row_end(&row);
    free(text.data);
}

static void draw_head(const struct view *view) {
    struct rv_row row = {.printer = view->printer};
    struct rv_text rule = {0};
    if (view->narrow) {
        draw_narrow_head(view);
        return;
    }
    rv_row_pad(&row, MARGIN);
    for (unsigned i = 0; i < view->thread_count; i++) {
        char *name = rv_describe_thread(view->failure, view->threads[i]);
        if (columns(view, name) > view->widths[i]) rv_text_set(&name, lane_name(view, i));
        rv_row_add(&row, RV_BOLD, name, view->widths[i]);
        draw_bars(view, &row, lane_column(view, i + 1));
        free(name);
    }
    unsigned left = view->printer->width - view->place;
    if (view->file) rv_row_add(&row, RV_BOLD, rv_base_name(view->file), left);
    rv_row_end(&row);
    const char *dash = view->printer->utf8 ? "\u2500" : "-", *cross = view->printer->utf8 ? "\u253c" : "+";
    for (unsigned column = MARGIN, next = 1; column < view->printer->width; column++) {
        bool crosses = next <= view->thread_count && column == lane_column(view, next) - 2;
        rv_text_add(&rule, crosses ? cross : dash);
        if (crosses) next++;
    }
    rv_row_pad(&row, MARGIN);
    rv_row_add(&row, RV_PLAIN, rule.data, view->printer->width - MARGIN);
    rv_row_end(&row);
    free(rule.data);
}

void rv_print_lanes(struct rv_printer *printer, const struct rv_failure *failure) {
    struct view view = {.printer = printer, .failure = failure};
    size_t most = 3 * (size_t)failure->event_count + failure->thread_count;
    view.shown = rv_text_alloc(failure->event_count, sizeof *view.shown);
    view.lines = rv_text_alloc(most, sizeof *view.lines);
    view.threads = rv_text_alloc(most, sizeof *view.threads);
    rv_lane_choose(failure, view.shown);
    lay_out(&view);
    if (failure->event_count > 0 && view.thread_count > 0) {
        draw_head(&view);
        for (unsigned i = 0; i < view.line_count; i++)
            draw_line(&view, &view.lines[i], i > 0 ? &view.lines[i - 1] : NULL);
        fputc('\n', printer->out);
    }
    free_lines(&view);
    free(view.shown);
    free(view.lines);
    free(view.threads);
    free(view.widths);
}
