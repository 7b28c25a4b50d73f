/* The events as lanes: time runs down, every involved thread has a column, so that a switch is seen as a
 * change of column. Up to four threads have room for text in their columns:
 *
 *        thread 1 (deposit)              | thread 2 (deposit)
 *        --------------------------------+--------------------------------
 *     => read balance = 0                |
 *           (reads it, then is preempted)|
 *        bank.c:12  int b = balance;     |
 *                                        |    lock mutex
 *
 * With more threads the columns are narrow marks and the text stands to their right.
 */
#include <stdlib.h>
#include <string.h>

#include "report/printer.h"
#include "report/text.h"

enum {
    EVENTS_MAX = 36, /* shown: two lines each is what a screen or two can hold */
    WIDE_LANES = 4,  /* with text inside */
    LANE_MIN = 20,   /* columns below which text inside is no use */
    MARK_LANES = 12, /* narrow ones; more threads share the last */
};

struct view {
    struct rv_printer *printer;
    const struct rv_failure *failure;
    bool *shown;       /* per event */
    uint32_t *threads; /* that have a lane, ascending */
    unsigned thread_count;
    bool narrow;
    const struct rv_location *last_at; /* to say a source line once */
    uint32_t last_thread;
};

/* The heaviest events, of equals the latest. */
static void choose_events(struct view *view) {
    const struct rv_failure *failure = view->failure;
    unsigned room = EVENTS_MAX;
    for (int weight = RV_WEIGHT_MAX; weight > 0; weight--) {
        for (unsigned i = failure->event_count; i-- > 0 && room > 0;) {
            if (failure->events[i].weight != weight) continue;
            view->shown[i] = true;
            room--;
        }
    }
}

static void involve(struct view *view, uint32_t thread) {
    unsigned at = 0;
    if (thread == RV_NO_THREAD) return;
    while (at < view->thread_count && view->threads[at] < thread) at++;
    if (at < view->thread_count && view->threads[at] == thread) return;
    memmove(view->threads + at + 1, view->threads + at, (view->thread_count - at) * sizeof *view->threads);
    view->threads[at] = thread;
    view->thread_count++;
}

/* Threads whose last word belongs into the lanes: the one that failed, those that block each other. */
static bool has_last_word(const struct rv_failure *failure, const struct rv_thread_text *thread) {
    if (thread->id == failure->thread) return true;
    return failure->kind == RV_KIND_DEADLOCK && strncmp(thread->state, "blocked", 7) == 0 &&
           thread->op != RV_OP_JOIN;
}

static void choose_threads(struct view *view) {
    const struct rv_failure *failure = view->failure;
    view->threads =
        rv_text_alloc((size_t)failure->event_count + failure->thread_count + 1, sizeof *view->threads);
    for (unsigned i = 0; i < failure->event_count; i++) {
        if (view->shown[i]) involve(view, failure->events[i].thread);
    }
    for (unsigned i = 0; i < failure->thread_count; i++) {
        if (has_last_word(failure, &failure->threads[i])) involve(view, failure->threads[i].id);
    }
    unsigned lanes = view->thread_count ? view->thread_count : 1;
    view->printer->lane_width =
        (view->printer->width - 1 - 3 * (lanes < WIDE_LANES ? lanes - 1 : WIDE_LANES - 1)) / lanes;
    view->narrow = lanes > WIDE_LANES || (lanes > 1 && view->printer->lane_width < LANE_MIN);
}

static unsigned lane_of(const struct view *view, uint32_t thread) {
    unsigned lane = 0;
    while (lane + 1 < view->thread_count && view->threads[lane] != thread) lane++;
    return view->narrow && lane >= MARK_LANES ? MARK_LANES - 1 : lane;
}

/* One row: in the thread's column, or beside the marks. */
static void put(struct view *view, uint32_t thread, const char *prefix, enum rv_style style,
                const char *text) {
    if (!view->narrow) {
        rv_print_cell(view->printer, lane_of(view, thread), prefix, style, text);
        return;
    }
    struct rv_text marks = {0};
    unsigned lanes = view->thread_count < MARK_LANES ? view->thread_count : MARK_LANES,
             mine = lane_of(view, thread);
    const char *bar = view->printer->utf8 ? "\u2502" : "|";
    for (unsigned i = 0; i < lanes; i++) rv_text_addf(&marks, " %s ", i == mine ? "*" : bar);
    rv_print_line(view->printer, 1, lanes * 3 + 4, style, "%s%s%s", marks.data, prefix, text);
    free(marks.data);
}

static char *short_object(const char *object) {
    const char *block = strstr(object, " (heap block");
    return rv_text_copy_n(object, block ? (size_t)(block - object) : strlen(object));
}

static void add_value(struct rv_text *text, const struct rv_trace_event *event) {
    if (!(event->flags & RV_EVENT_VALUE) || !(rv_op_flags[event->op] & RV_OPF_MEMORY) ||
        event->op == RV_OP_FREE)
        return;
    uint64_t value = event->value;
    if (event->size == 4)
        rv_text_addf(text, " = %d", (int32_t)value);
    else if (event->size == 8 && value >= 0x10000 && value < (uint64_t)-0x10000)
        rv_text_addf(text, " = 0x%llx", (unsigned long long)value);
    else if (event->size == 8)
        rv_text_addf(text, " = %lld", (long long)value);
    else if (event->size <= 2)
        rv_text_addf(text, " = %llu", (unsigned long long)value);
}

static char *event_text(const struct rv_trace_event *event) {
    struct rv_text text = {0};
    char *object = short_object(event->object);
    rv_text_add(&text, rv_op_names[event->op]);
    if (*object) rv_text_addf(&text, " %s", object);
    add_value(&text, event);
    if (event->flags & RV_EVENT_TIMEOUT)
        rv_text_add(&text, " (its time-out expires)");
    else if (event->flags & RV_EVENT_FAILED)
        rv_text_add(&text, " (fails)");
    free(object);
    return rv_text_take(&text);
}

static void put_line(struct view *view, uint32_t thread, const struct rv_location *at) {
    bool same = view->last_at && view->last_thread == thread && view->last_at->line == at->line &&
                strcmp(view->last_at->file, at->file) == 0 &&
                strcmp(view->last_at->function, at->function) == 0;
    view->last_at = at;
    view->last_thread = thread;
    if (same || (!at->line && !*at->function)) return;
    char *line = rv_describe_line(at);
    put(view, thread, "   ", RV_DIM, line);
    free(line);
}

static void put_event(struct view *view, const struct rv_trace_event *event) {
    char *text = event_text(event);
    put(view, event->thread, event->decisive ? "=> " : "   ", event->decisive ? RV_MARK : RV_PLAIN, text);
    free(text);
    if (event->decisive && *event->note) {
        char *note = rv_text_format("(%s)", event->note);
        put(view, event->thread, "      ", RV_MARK, note);
        free(note);
    }
    put_line(view, event->thread, !event->at.line && event->caller.line ? &event->caller : &event->at);
}

static void put_last_words(struct view *view) {
    const struct rv_failure *failure = view->failure;
    for (unsigned i = 0; i < failure->thread_count; i++) {
        const struct rv_thread_text *thread = &failure->threads[i];
        if (!has_last_word(failure, thread)) continue;
        bool failed = thread->id == failure->thread && strncmp(thread->state, "blocked", 7) != 0;
        char *state =
            failed ? rv_text_format("FAILS: %s", rv_kind_names[failure->kind]) : short_object(thread->state);
        char *tail = strstr(thread->state, " held by ");
        if (!failed && tail && !strstr(state, " held by "))
            rv_text_set(&state, rv_text_format("%s%s", state, tail));
        put(view, thread->id, "=> ", RV_ALARM, state);
        free(state);
        const struct rv_location *at = rv_stack_place(&thread->stack);
        view->last_at = NULL;
        if (at) put_line(view, thread->id, at);
    }
}

static void put_heads(struct view *view) {
    struct rv_printer *printer = view->printer;
    if (view->narrow) {
        struct rv_text heads = {0};
        unsigned lanes = view->thread_count < MARK_LANES ? view->thread_count : MARK_LANES;
        for (unsigned i = 0; i < lanes; i++) rv_text_addf(&heads, "%2u ", view->threads[i]);
        if (view->thread_count > MARK_LANES)
            rv_text_addf(&heads, "and %u more", view->thread_count - MARK_LANES);
        rv_print_line(printer, 1, 0, RV_BOLD, "%s   (threads)", heads.data);
        free(heads.data);
        return;
    }
    const char *bar = printer->utf8 ? " \u2502 " : " | ";
    struct rv_text row = {0};
    for (unsigned i = 0; i < view->thread_count; i++) {
        char *name = rv_describe_thread(view->failure, view->threads[i]);
        char *shown = rv_text_harmless(name, !printer->utf8);
        shown[rv_text_fit(shown, printer->lane_width - 3)] = '\0';
        rv_text_addf(&row, "%s   %s%*s", i ? bar : "", shown,
                     (int)(printer->lane_width - 3 - rv_text_columns(shown)), "");
        free(name);
        free(shown);
    }
    while (row.size > 0 && row.data[row.size - 1] == ' ') row.data[--row.size] = '\0';
    fprintf(printer->out, " %s%s%s\n", printer->colour ? "\033[1m" : "", row.data,
            printer->colour ? "\033[0m" : "");
    free(row.data);
    rv_print_rule(printer);
}

void rv_print_lanes(struct rv_printer *printer, const struct rv_failure *failure) {
    struct view view = {.printer = printer, .failure = failure, .last_thread = RV_NO_THREAD};
    view.shown = rv_text_alloc(failure->event_count, sizeof *view.shown);
    choose_events(&view);
    choose_threads(&view);
    if (failure->event_count > 0 && view.thread_count > 0) {
        printer->lanes = view.narrow ? 0 : view.thread_count;
        put_heads(&view);
        const struct rv_trace_event *previous = NULL;
        unsigned skipped = 0;
        for (unsigned i = 0; i < failure->event_count; i++) {
            const struct rv_trace_event *event = &failure->events[i];
            if (!view.shown[i]) {
                skipped++;
                continue;
            }
            if (skipped)
                rv_print_line(printer, 4, 0, RV_DIM, "... %u step%s", skipped, skipped == 1 ? "" : "s");
            skipped = 0;
            if (previous && previous->thread != event->thread && (event->flags & RV_EVENT_PREEMPT)) {
                put(&view, previous->thread, "   ", RV_DIM, "-- preempted --");
            }
            put_event(&view, event);
            previous = event;
        }
        put_last_words(&view);
        fputc('\n', printer->out);
    }
    free(view.shown);
    free(view.threads);
}
