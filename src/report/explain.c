/* A failure for people, in about a screenful: what and where; the lanes; the cycle, the memory, the stacks;
 * how to see it again. */
#include <stdlib.h>
#include <string.h>

#include "report/printer.h"
#include "report/text.h"

enum { STACK_MAX = 12, OTHERS_MAX = 12, OUTPUT_LINES = 5, WIDTH_MIN = 40, CYCLE_MAX = 64 };

static void print_stack(struct rv_printer *printer, unsigned indent, const struct rv_stack_text *stack,
                        unsigned max) {
    for (unsigned i = 0; i < stack->count && i < max; i++) {
        char *place = rv_describe_location(&stack->frames[i]);
        rv_print_line(printer, indent, 3, RV_PLAIN, "#%u %s", i, place);
        free(place);
    }
    if (stack->count > max) rv_print_line(printer, indent, 0, RV_DIM, "... %u more", stack->count - max);
    if (stack->count == 0) rv_print_line(printer, indent, 0, RV_DIM, "(no stack)");
}

static void print_head(struct rv_printer *printer, const struct rv_failure *failure) {
    const struct rv_thread_text *thread = rv_failure_thread(failure, failure->thread);
    const struct rv_location *at = thread ? rv_stack_place(&thread->stack) : NULL;
    struct rv_text line = {0};
    rv_print_line(printer, 0, 2, RV_ALARM, "%s: %s", rv_kind_names[failure->kind], failure->message);
    if (thread) {
        char *name = rv_describe_thread(failure, failure->thread),
             *place = at ? rv_describe_location(at) : NULL;
        rv_print_line(printer, 2, 2, RV_PLAIN, "in %s%s%s", name, place ? ", " : "", place ? place : "");
        free(name);
        free(place);
    }
    rv_text_addf(&line, "%u preemption%s, %u switch%s", failure->preemptions,
                 failure->preemptions == 1 ? "" : "s", failure->switches, failure->switches == 1 ? "" : "es");
    if (failure->first_schedule || failure->count) {
        rv_text_addf(&line, "; schedule %llu", (unsigned long long)failure->first_schedule);
        if (failure->count > 1) rv_text_addf(&line, ", seen %llu times", (unsigned long long)failure->count);
    }
    rv_print_line(printer, 2, 2, RV_PLAIN, "%s", line.data);
    free(line.data);
    if (failure->timeouts) {
        char *length = rv_failure_duration(failure->timeout_ns);
        rv_print_line(printer, 2, 2, RV_PLAIN, "needs %s of %s to expire while other threads could still run",
                      failure->timeouts == 1 ? "a time-out" : "time-outs, the longest", length);
        free(length);
    }
    fputc('\n', printer->out);
}

/* --- deadlocks --- */

static void print_wait(struct rv_printer *printer, const struct rv_failure *failure,
                       const struct rv_thread_text *thread) {
    const struct rv_location *at = rv_stack_place(&thread->stack);
    char *name = rv_describe_thread(failure, thread->id),
         *place = at ? rv_describe_location(at) : rv_text_copy("unknown code");
    rv_print_line(printer, 2, 4, RV_PLAIN, "%s waits in %s%s%s, %s", name, rv_op_names[thread->op],
                  *thread->object ? " of " : "", thread->object, place);
    free(place);
    free(name);
    if (thread->owner == RV_NO_THREAD) return;
    const struct rv_lock_text *lock = rv_failure_held(failure, thread->owner, thread->object);
    const struct rv_location *taken = lock ? rv_stack_place(&lock->acquired) : NULL;
    name = rv_describe_thread(failure, thread->owner);
    place = taken ? rv_describe_location(taken) : NULL;
    rv_print_line(printer, 4, 4, RV_PLAIN, "held by %s%s%s", name, place ? ", acquired in " : "",
                  place ? place : "");
    free(place);
    free(name);
}

static void print_deadlock(struct rv_printer *printer, const struct rv_failure *failure) {
    uint32_t cycle[CYCLE_MAX];
    unsigned count = rv_failure_cycle(failure, cycle, CYCLE_MAX);
    if (count) {
        rv_print_line(printer, 0, 2, RV_BOLD, "the cycle:");
        for (unsigned i = 0; i < count; i++)
            print_wait(printer, failure, rv_failure_thread(failure, cycle[i]));
    } else {
        rv_print_line(printer, 0, 2, RV_BOLD, "every thread waits, and none is left to wake it:");
        for (unsigned i = 0, shown = 0; i < failure->thread_count && shown < OTHERS_MAX; i++) {
            if (strncmp(failure->threads[i].state, "blocked", 7) != 0) continue;
            print_wait(printer, failure, &failure->threads[i]);
            shown++;
        }
    }
    fputc('\n', printer->out);
}

/* --- memory --- */

static void print_block(struct rv_printer *printer, const struct rv_failure *failure) {
    const struct rv_block_text *block = failure->block;
    char *allocator = rv_describe_thread(failure, block->alloc_thread),
         *releaser = rv_describe_thread(failure, block->free_thread);
    rv_print_line(printer, 0, 2, RV_BOLD, "the memory: %s, byte %u of %llu", block->description,
                  block->offset, (unsigned long long)block->size);
    rv_print_line(printer, 2, 2, RV_PLAIN, "allocated by %s:", allocator);
    print_stack(printer, 4, &block->allocated, 6);
    if (block->freed) {
        rv_print_line(printer, 2, 2, RV_PLAIN, "freed by %s:", releaser);
        print_stack(printer, 4, &block->released, 6);
    }
    free(allocator);
    free(releaser);
    fputc('\n', printer->out);
}

/* --- threads --- */

static void print_threads(struct rv_printer *printer, const struct rv_failure *failure) {
    const struct rv_thread_text *failed = rv_failure_thread(failure, failure->thread);
    unsigned shown = 0;
    if (failed) {
        char *name = rv_describe_thread(failure, failed->id);
        rv_print_line(printer, 0, 2, RV_BOLD, "stack of %s:", name);
        print_stack(printer, 2, &failed->stack, STACK_MAX);
        free(name);
    }
    bool heading = false;
    for (unsigned i = 0; i < failure->thread_count; i++) {
        const struct rv_thread_text *thread = &failure->threads[i];
        if (thread == failed || (failure->kind == RV_KIND_DEADLOCK &&
                                 strncmp(thread->state, "blocked", 7) == 0 && thread->op != RV_OP_JOIN))
            continue;
        if (shown++ >= OTHERS_MAX) continue;
        if (!heading) rv_print_line(printer, 0, 2, RV_BOLD, "other threads:");
        heading = true;
        const struct rv_location *at = rv_stack_place(&thread->stack);
        char *name = rv_describe_thread(failure, thread->id), *place = at ? rv_describe_location(at) : NULL;
        const struct rv_lock_text *lock =
            thread->owner == RV_NO_THREAD ? NULL : rv_failure_held(failure, thread->owner, thread->object);
        const struct rv_location *taken = lock ? rv_stack_place(&lock->acquired) : NULL;
        char *acquired = taken ? rv_describe_location(taken) : NULL;
        rv_print_line(printer, 2, 4, RV_PLAIN, "%s: %s%s%s%s%s", name, thread->state,
                      acquired ? ", acquired in " : "", acquired ? acquired : "", place ? ", in " : "",
                      place ? place : "");
        free(name);
        free(place);
        free(acquired);
    }
    if (shown > OTHERS_MAX) rv_print_line(printer, 2, 0, RV_DIM, "... and %u more", shown - OTHERS_MAX);
    if (failed || heading) fputc('\n', printer->out);
}

static void print_output(struct rv_printer *printer, const struct rv_failure *failure) {
    const char *end = failure->output + strlen(failure->output), *start = end;
    if (start == failure->output) return;
    if (start[-1] == '\n') start--;
    for (int lines = 0; start > failure->output; start--) {
        if (start[-1] == '\n' && ++lines == OUTPUT_LINES) break;
    }
    rv_print_line(printer, 0, 0, RV_BOLD, "the program printed:");
    while (start < end) {
        size_t size = strcspn(start, "\n");
        rv_print_line(printer, 2, 0, RV_PLAIN, "%.*s", (int)(size < 4096 ? size : 4096), start);
        start += size + (start[size] == '\n');
    }
    fputc('\n', printer->out);
}

void rv_failure_print(const struct rv_failure *failure, FILE *out, const struct rv_print_options *options) {
    struct rv_printer printer = {.out = out, .colour = options->colour, .utf8 = rv_text_utf8_locale()};
    printer.width = options->width ? options->width : 100;
    if (printer.width < WIDTH_MIN) printer.width = WIDTH_MIN;
    print_head(&printer, failure);
    rv_print_lanes(&printer, failure);
    if (failure->kind == RV_KIND_DEADLOCK) print_deadlock(&printer, failure);
    if (failure->block) print_block(&printer, failure);
    print_threads(&printer, failure);
    print_output(&printer, failure);
    if (*failure->file)
        rv_print_line(&printer, 0, 2, RV_PLAIN, "to see it again: ravel replay %s", failure->file);
}
