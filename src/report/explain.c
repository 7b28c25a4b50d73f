/* A failure for people, in about a screenful: what and where; of a deadlock the cycle; the lanes; the memory, the
 * stacks; how to see it again. Of a race, the race (race_print.c) in the place of memory and stacks. */
#include <stdlib.h>
#include <string.h>

#include "report/places.h"
#include "report/race_print.h"
#include "report/text.h"

enum {
    STACK_MAX = 12,
    OTHERS_MAX = 6,  /* threads */
    WAITING_MAX = 6, /* threads of a deadlock */
    OUTPUT_LINES = 5,
    CYCLE_MAX = 64,
};

/* What it takes to bring it about. */
static void print_effort(struct rv_printer *printer, const struct rv_failure *failure, unsigned indent) {
    struct rv_text line = {0};
    rv_text_addf(&line, "%u preemption%s, %u switch%s", failure->preemptions,
                 failure->preemptions == 1 ? "" : "s", failure->switches, failure->switches == 1 ? "" : "es");
    if (failure->first_schedule || failure->count) {
        rv_text_addf(&line, "; schedule %llu", (unsigned long long)failure->first_schedule);
        if (failure->count > 1 && !rv_failure_is_race(failure))
            rv_text_addf(&line, ", seen %llu times", (unsigned long long)failure->count);
    }
    rv_print_line(printer, indent, 2, RV_PLAIN, "%s", line.data);
    free(line.data);
    if (failure->timeouts) {
        char *length = rv_failure_duration(failure->timeout_ns);
        rv_print_line(printer, indent, 2, RV_PLAIN,
                      "needs %s of %s to expire while other threads could still run",
                      failure->timeouts == 1 ? "a time-out" : "time-outs, the longest", length);
        free(length);
    }
}

static void print_head(struct rv_printer *printer, const struct rv_failure *failure) {
    const struct rv_thread_text *thread = rv_failure_thread(failure, failure->thread);
    const struct rv_location *at = thread ? rv_stack_place(&thread->stack) : NULL;
    rv_print_line(printer, 0, 2, RV_ALARM, "%s: %s", rv_kind_names[failure->kind], failure->message);
    if (thread) {
        char *name = rv_describe_thread(failure, failure->thread),
             *place = at ? rv_describe_location(at) : NULL;
        rv_print_line(printer, 2, 2, RV_PLAIN, "in %s%s%s", name, place ? ", " : "", place ? place : "");
        free(name);
        free(place);
    }
    print_effort(printer, failure, 2);
    fputc('\n', printer->out);
}

/* --- deadlocks --- */

static void print_wait(struct rv_printer *printer, const struct rv_failure *failure,
                       const struct rv_thread_text *thread) {
    const struct rv_location *at = rv_stack_place(&thread->stack);
    char *name = rv_describe_thread(failure, thread->id);
    char *words = rv_text_format("%s waits in %s%s%s", name, rv_op_names[thread->op],
                                 *thread->object ? " of " : "", thread->object);
    rv_text_set(&words, rv_text_format("%s%s", words, at ? ", " : ""));
    if (at)
        rv_print_place(printer, 2, words, at, false);
    else
        rv_print_row(printer, 2, RV_PLAIN, "%s", words);
    free(words);
    free(name);
    if (thread->owner == RV_NO_THREAD || thread->op == RV_OP_JOIN) return;
    const struct rv_lock_text *lock = rv_failure_held(failure, thread->owner, thread->object);
    const struct rv_location *taken = lock ? rv_stack_place(&lock->acquired) : NULL;
    name = rv_describe_thread(failure, thread->owner);
    words = rv_text_format("held by %s%s", name, taken ? ", acquired in " : "");
    if (taken)
        rv_print_place(printer, 4, words, taken, false);
    else
        rv_print_row(printer, 4, RV_PLAIN, "%s", words);
    free(words);
    free(name);
}

/* Threads that have been described already, so that they are not again. */
struct told {
    uint32_t threads[CYCLE_MAX];
    unsigned count;
};

static bool is_told(const struct told *told, uint32_t thread) {
    for (unsigned i = 0; i < told->count; i++) {
        if (told->threads[i] == thread) return true;
    }
    return false;
}

static void print_more(struct rv_printer *printer, unsigned count, unsigned shown) {
    if (count > shown) rv_print_row(printer, 2, RV_DIM, "... and %u more", count - shown);
}

static void print_deadlock(struct rv_printer *printer, const struct rv_failure *failure, struct told *told) {
    unsigned waiting = 0;
    told->count = rv_failure_cycle(failure, told->threads, CYCLE_MAX);
    if (told->count) {
        rv_print_row(printer, 0, RV_BOLD, "the cycle:");
        for (unsigned i = 0; i < told->count && i < WAITING_MAX; i++)
            print_wait(printer, failure, rv_failure_thread(failure, told->threads[i]));
        print_more(printer, told->count, WAITING_MAX);
    } else {
        rv_print_row(printer, 0, RV_BOLD, "every thread waits, and none is left to wake it:");
        for (unsigned i = 0; i < failure->thread_count; i++) {
            if (!rv_thread_blocked(&failure->threads[i])) continue;
            if (told->count < CYCLE_MAX) told->threads[told->count++] = failure->threads[i].id;
            if (waiting++ < WAITING_MAX) print_wait(printer, failure, &failure->threads[i]);
        }
        print_more(printer, waiting, WAITING_MAX);
    }
    fputc('\n', printer->out);
}

/* --- memory --- */

static void print_block(struct rv_printer *printer, const struct rv_failure *failure) {
    const struct rv_block_text *block = failure->block;
    char *allocator = rv_describe_thread(failure, block->alloc_thread),
         *freer = rv_describe_thread(failure, block->free_thread);
    rv_print_block(printer, block, allocator, freer);
    fputc('\n', printer->out);
    free(allocator);
    free(freer);
}

/* --- threads --- */

static void print_other(struct rv_printer *printer, const struct rv_failure *failure,
                        const struct rv_thread_text *thread) {
    const struct rv_location *at = rv_stack_place(&thread->stack);
    char *name = rv_describe_thread(failure, thread->id);
    char *words = rv_text_format("%s: %s%s", name, thread->state, at ? ", in " : "");
    if (at)
        rv_print_place(printer, 2, words, at, false);
    else
        rv_print_row(printer, 2, RV_PLAIN, "%s", words);
    free(words);
    free(name);
}

static void print_threads(struct rv_printer *printer, const struct rv_failure *failure,
                          const struct told *told) {
    const struct rv_thread_text *failed = rv_failure_thread(failure, failure->thread);
    unsigned shown = 0;
    if (failed) {
        char *name = rv_describe_thread(failure, failed->id);
        rv_print_row(printer, 0, RV_BOLD, "stack of %s:", name);
        rv_print_stack(printer, 2, &failed->stack, STACK_MAX);
        free(name);
    }
    for (unsigned i = 0; i < failure->thread_count; i++) {
        const struct rv_thread_text *thread = &failure->threads[i];
        if (thread == failed || is_told(told, thread->id)) continue;
        if (shown == 0)
            rv_print_row(printer, 0, RV_BOLD, "%s", failed || told->count ? "other threads:" : "threads:");
        if (shown++ < OTHERS_MAX) print_other(printer, failure, thread);
    }
    print_more(printer, shown, OTHERS_MAX);
    if (failed || shown) fputc('\n', printer->out);
}

/* The last lines, without the one that the failure's message repeats. */
static void print_output(struct rv_printer *printer, const struct rv_failure *failure) {
    const char *end = failure->output + strlen(failure->output), *start = end;
    bool heading = false;
    if (start == failure->output) return;
    if (start[-1] == '\n') start--;
    for (int lines = 0; start > failure->output; start--) {
        if (start[-1] == '\n' && ++lines == OUTPUT_LINES) break;
    }
    while (start < end) {
        size_t size = strcspn(start, "\n");
        char *line = rv_text_copy_n(start, size < 4096 ? size : 4096);
        bool repeated = *failure->message && strstr(line, failure->message);
        if (!repeated && !heading) rv_print_row(printer, 0, RV_BOLD, "the program printed:");
        if (!repeated) rv_print_row(printer, 2, RV_PLAIN, "%s", line);
        heading |= !repeated;
        free(line);
        start += size + (start[size] == '\n');
    }
    if (heading) fputc('\n', printer->out);
}

/* Its two sides tell what stacks and memory would. */
static void explain_race(struct rv_printer *printer, const struct rv_failure *failure) {
    rv_print_race(printer, failure->race);
    print_effort(printer, failure, 0);
    fputc('\n', printer->out);
    rv_print_lanes(printer, failure);
}

static void explain(struct rv_printer *printer, const struct rv_failure *failure) {
    struct told told = {.count = 0};
    print_head(printer, failure);
    if (failure->kind == RV_KIND_DEADLOCK) print_deadlock(printer, failure, &told);
    rv_print_lanes(printer, failure);
    if (failure->block) print_block(printer, failure);
    print_threads(printer, failure, &told);
}

void rv_failure_print(const struct rv_failure *failure, FILE *out, const struct rv_print_options *options) {
    struct rv_printer printer = rv_printer_for(out, options);
    if (rv_failure_is_race(failure))
        explain_race(&printer, failure);
    else
        explain(&printer, failure);
    print_output(&printer, failure);
    rv_print_again(&printer, failure->file);
}
