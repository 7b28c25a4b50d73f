/* From a worker's area to a failure: copy, clamp, name. The area is untrusted: every count is cut to its
 * array, every text to its field, every enum to its range; nothing in it is followed as a pointer. */
#include "report/failure.h"

#include <stdlib.h>
#include <string.h>

#include "report/owned.h"
#include "report/printer.h"
#include "report/race.h"
#include "report/relevant.h"
#include "report/symbolise.h"
#include "report/text.h"

enum { UNNAMED_MAX = 26, LEVELS_MAX = 16 };

/* Names things while one failure is built. Memory that is neither in a module nor on the heap is called
 * "variable A (on the stack of thread 0)", "memory B": its address would differ from run to run. */
struct namer {
    const struct rv_area *area;
    struct rv_symboliser *symbols;
    unsigned block_count;
    uint64_t unnamed[UNNAMED_MAX];
    unsigned unnamed_count;
};

static const struct rv_block_report *find_block(const struct namer *namer, uint32_t number,
                                                uint64_t address) {
    for (unsigned i = 0; i < namer->block_count; i++) {
        const struct rv_block_report *block = &namer->area->blocks[i];
        if (number ? block->number == number : address - block->address < block->size) return block;
    }
    return NULL;
}

static const struct rv_thread_report *stack_owner(const struct namer *namer, uint64_t address) {
    unsigned count = namer->area->outcome.thread_count;
    for (unsigned i = 0; i < count && i < RV_MAX_THREAD_REPORTS; i++) {
        const struct rv_thread_report *thread = &namer->area->thread_reports[i];
        if (address - thread->stack_low < thread->stack_size) return thread;
    }
    return NULL;
}

static char *name_unnamed(struct namer *namer, uint64_t address) {
    const struct rv_thread_report *owner = stack_owner(namer, address);
    unsigned i = 0;
    while (i < namer->unnamed_count && namer->unnamed[i] != address) i++;
    if (i == UNNAMED_MAX) return rv_text_copy("other memory");
    if (i == namer->unnamed_count) namer->unnamed[namer->unnamed_count++] = address;
    if (owner) return rv_text_format("variable %c (on the stack of thread %u)", 'A' + (int)i, owner->id);
    return rv_text_format("memory %c", 'A' + (int)i);
}

/* Blocks from one place look alike: "struct node.next #2 (heap block from ...)" is the second of them. */
static char *name_block(struct namer *namer, const struct rv_block_report *block, unsigned offset) {
    char *name = rv_symbolise_block(namer->symbols, block, offset);
    unsigned alike = 0, ordinal = 0;
    for (unsigned i = 0; i < namer->block_count; i++) {
        const struct rv_block_report *other = &namer->area->blocks[i];
        if (memcmp(other->alloc_frames, block->alloc_frames, sizeof block->alloc_frames) != 0) continue;
        alike++;
        if (other->number <= block->number) ordinal++;
    }
    static const char plain[] = "heap block";
    char *typed = strstr(name, " (heap block");
    if (alike > 1 && typed) {
        rv_text_set(&name, rv_text_format("%.*s #%u%s", (int)(typed - name), name, ordinal, typed));
    } else if (alike > 1 && strncmp(name, plain, strlen(plain)) == 0) {
        rv_text_set(&name, rv_text_format("%s #%u%s", plain, ordinal, name + strlen(plain)));
    }
    return name;
}

/* What an operation is about. block: number of the heap block if known, else 0. */
static char *name_object(struct namer *namer, unsigned op, uint64_t address, unsigned size, uint32_t block) {
    uint16_t flags = op < RV_OP_COUNT ? rv_op_flags[op] : 0;
    bool about_threads = op == RV_OP_CREATE || op == RV_OP_JOIN || op == RV_OP_START || op == RV_OP_EXIT ||
                         op == RV_OP_DETACH || op == RV_OP_CANCEL || op == RV_OP_KILL;
    if (flags & RV_OPF_IO) return rv_text_format("descriptor %llu", (unsigned long long)address);
    if (about_threads && address < 4096 && address > 0)
        return rv_text_format("thread %llu", (unsigned long long)address);
    if (address == 0 || about_threads || op == RV_OP_SLEEP || op == RV_OP_YIELD) return rv_text_copy("");
    const struct rv_block_report *found = find_block(namer, block, address);
    if (found && address - found->address <= UINT32_MAX) {
        return name_block(namer, found, (unsigned)(address - found->address));
    }
    char *name = rv_symbolise_data(namer->symbols, address, flags & RV_OPF_MEMORY ? size : 0);
    return name ? name : name_unnamed(namer, address);
}

/* "No thread" cannot have done anything: only a damaged area says so. */
static uint32_t sane_thread(uint32_t thread) { return thread == RV_NO_THREAD ? 0 : thread; }

/* --- stacks --- */

static void locate(struct namer *namer, rv_code code, bool is_return, struct rv_location *location) {
    if (code == 0 || code == RV_CODE_UNKNOWN)
        rv_location_blank(location);
    else
        rv_symbolise_code(namer->symbols, code, is_return, location, 1);
}

/* The same, for people: of functions inlined into each other, the innermost that is the program's own, so
 * that an access in a header of the C++ library is shown where the program asked for it. */
static void locate_own(struct namer *namer, rv_code code, struct rv_location *location) {
    struct rv_location levels[LEVELS_MAX];
    if (code == 0 || code == RV_CODE_UNKNOWN) {
        rv_location_blank(location);
        return;
    }
    unsigned count = rv_symbolise_code(namer->symbols, code, true, levels, LEVELS_MAX), own = 0;
    while (own < count && !rv_is_own_code(&levels[own])) own++;
    if (own == count) own = 0;
    for (unsigned i = 0; i < count; i++) {
        if (i != own) rv_location_free(&levels[i]);
    }
    *location = levels[own];
}

static void add_frames(struct rv_stack_text *stack, const struct rv_location *levels, unsigned count) {
    stack->frames = rv_text_realloc(stack->frames, stack->count + count, sizeof *stack->frames);
    memcpy(stack->frames + stack->count, levels, count * sizeof *levels);
    stack->count += count;
}

/* What the C library does before it calls main or a thread's function says nothing. */
static bool is_start_of_threads(const struct namer *namer, rv_code code) {
    return code == RV_CODE_UNKNOWN || rv_symbolise_is_runtime(namer->symbols, code) ||
           rv_symbolise_is_system(namer->symbols, code);
}

static struct rv_stack_text stack_of(struct namer *namer, const rv_code *frames, unsigned count,
                                     bool first_is_return) {
    struct rv_stack_text stack = {0};
    unsigned end = 0;
    while (end < count && frames[end] != 0) end++;
    while (end > 1 && is_start_of_threads(namer, frames[end - 1])) end--;
    for (unsigned i = 0; i < end; i++) {
        struct rv_location levels[LEVELS_MAX];
        if (frames[i] == RV_CODE_UNKNOWN || rv_symbolise_is_runtime(namer->symbols, frames[i])) continue;
        add_frames(
            &stack, levels,
            rv_symbolise_code(namer->symbols, frames[i], i > 0 || first_is_return, levels, LEVELS_MAX));
    }
    return stack;
}

/* --- threads --- */

/* At a fatal signal the innermost frame is the instruction itself, not a return address. */
static bool stops_at_instruction(uint32_t kind) {
    return kind == RV_KIND_SEGV || kind == RV_KIND_FPE || kind == RV_KIND_BUS || kind == RV_KIND_ILL ||
           kind == RV_KIND_TRAP;
}

char *rv_failure_duration(uint64_t ns) {
    double value = (double)ns;
    if (ns >= 1000000000u) return rv_text_format("%.6g s", value / 1e9);
    if (ns >= 1000000u) return rv_text_format("%.6g ms", value / 1e6);
    if (ns >= 1000u) return rv_text_format("%.6g us", value / 1e3);
    return rv_text_format("%llu ns", (unsigned long long)ns);
}

static char *describe_state(const struct rv_thread_report *report, const struct rv_thread_text *thread) {
    struct rv_text text = {0};
    const char *of = *thread->object ? " of " : "";
    switch (report->state) {
    case RV_THREAD_RUNNING: rv_text_add(&text, "running"); break;
    case RV_THREAD_BLOCKED:
        rv_text_addf(&text, "blocked in %s%s%s", rv_op_names[thread->op], of, thread->object);
        if (thread->owner != RV_NO_THREAD && thread->op != RV_OP_JOIN)
            rv_text_addf(&text, " held by thread %u", thread->owner);
        break;
    case RV_THREAD_SLEEPING: rv_text_addf(&text, "waiting for time in %s", rv_op_names[thread->op]); break;
    case RV_THREAD_SPINNING:
        rv_text_addf(&text, "spinning in %s%s%s", rv_op_names[thread->op], of, thread->object);
        break;
    case RV_THREAD_EXITED: rv_text_add(&text, "exited"); break;
    case RV_THREAD_RUNNABLE:
        rv_text_addf(&text, "could go on with %s%s%s", rv_op_names[thread->op], of, thread->object);
        break;
    default: rv_text_add(&text, "unknown"); break;
    }
    if (report->timeout_ns > 0 &&
        (report->state == RV_THREAD_SLEEPING || report->state == RV_THREAD_BLOCKED)) {
        char *duration = rv_failure_duration((uint64_t)report->timeout_ns);
        rv_text_addf(&text, " (for %s)", duration);
        free(duration);
    }
    return rv_text_take(&text);
}

/* The function of a thread that is over: its exit is recorded there. */
static char *exited_name(struct namer *namer, uint32_t thread) {
    char *name = NULL;
    for (uint64_t i = rv_relevant_event_count(namer->area); i-- > 0 && !name;) {
        const struct rv_event *event = &namer->area->events[i];
        if (event->thread != thread || event->op != RV_OP_EXIT) continue;
        struct rv_location at;
        locate(namer, event->site, false, &at);
        name = rv_text_copy(at.line ? at.function : "");
        rv_location_free(&at);
    }
    return name ? name : rv_text_copy("");
}

/* Its own name, else that of the function it runs. */
static char *thread_name(struct namer *namer, const struct rv_thread_report *report,
                         const struct rv_stack_text *stack) {
    if (report->id == 0) return rv_text_copy("main");
    if (report->name[0]) return rv_text_copy_n(report->name, sizeof report->name);
    for (unsigned i = stack->count; i-- > 0;) { /* past the libraries' own start of threads */
        if (*stack->frames[i].function && rv_is_own_code(&stack->frames[i]))
            return rv_text_copy(stack->frames[i].function);
    }
    return exited_name(namer, report->id);
}

static void fill_thread(struct namer *namer, const struct rv_thread_report *report,
                        struct rv_thread_text *thread) {
    const struct rv_outcome *outcome = &namer->area->outcome;
    bool signal = stops_at_instruction(outcome->kind) && report->id == outcome->thread;
    unsigned frames = report->frame_count < RV_MAX_FRAMES ? report->frame_count : RV_MAX_FRAMES;
    unsigned held = report->held_count < RV_MAX_HELD ? report->held_count : RV_MAX_HELD;
    thread->id = sane_thread(report->id);
    thread->op = report->op < RV_OP_COUNT ? (enum rv_op)report->op : RV_OP_NONE;
    thread->owner = report->owner;
    thread->object = name_object(namer, thread->op, report->object, 0, 0);
    thread->stack = stack_of(namer, report->frames, frames, !signal);
    thread->name = thread_name(namer, report, &thread->stack);
    thread->state = describe_state(report, thread);
    locate(namer, report->created_at, true, &thread->created_at);
    thread->held = rv_text_alloc(held, sizeof *thread->held);
    thread->held_count = held;
    for (unsigned i = 0; i < held; i++) {
        thread->held[i].object = name_object(namer, RV_OP_LOCK, report->held[i].address, 0, 0);
        thread->held[i].acquired = stack_of(namer, report->held[i].frames, 8, true);
    }
}

/* --- events, block --- */

static void fill_events(struct rv_failure *failure, struct namer *namer) {
    struct rv_relevant chosen[RV_RELEVANT_MAX];
    failure->event_count = rv_relevant_select(namer->area, chosen);
    failure->events = rv_text_alloc(failure->event_count, sizeof *failure->events);
    for (unsigned i = 0; i < failure->event_count; i++) {
        const struct rv_event *from = &namer->area->events[chosen[i].index];
        struct rv_trace_event *to = &failure->events[i];
        to->thread = sane_thread(from->thread);
        to->op = from->op < RV_OP_COUNT ? (enum rv_op)from->op : RV_OP_NONE;
        to->value = from->value;
        to->step = from->step;
        to->size = from->size;
        to->flags = from->flags;
        to->decisive = chosen[i].note != NULL;
        to->weight = chosen[i].weight;
        to->note = rv_text_copy(chosen[i].note);
        to->object = name_object(namer, to->op, from->address, from->size, from->block);
        locate_own(namer, from->site, &to->at);
        locate_own(namer, from->caller, &to->caller);
    }
}

static void fill_block(struct rv_failure *failure, struct namer *namer) {
    const struct rv_outcome *outcome = &namer->area->outcome;
    const struct rv_block_report *from = outcome->block ? find_block(namer, outcome->block, 0) : NULL;
    if (!from) return;
    struct rv_block_text *block = failure->block = rv_text_alloc(1, sizeof *block);
    block->description = rv_symbolise_block(namer->symbols, from, outcome->block_offset);
    block->size = from->size;
    block->offset = outcome->block_offset;
    block->alloc_thread = from->alloc_thread;
    block->free_thread = from->free_thread;
    block->freed = from->freed != 0;
    block->allocated = stack_of(namer, from->alloc_frames, 12, true);
    if (block->freed) block->released = stack_of(namer, from->free_frames, 12, true);
}

/* --- the whole --- */

static void fill_schedule(struct rv_failure *failure, const struct rv_area *area) {
    uint64_t runs = area->outcome.run_count < RV_MAX_RUNS ? area->outcome.run_count : RV_MAX_RUNS;
    uint64_t choices =
        area->outcome.choice_count < RV_MAX_CHOICES ? area->outcome.choice_count : RV_MAX_CHOICES;
    failure->runs = rv_text_alloc(runs, sizeof *failure->runs);
    for (uint64_t i = 0; i < runs; i++) {
        failure->runs[i] = area->log_runs[i];
        failure->runs[i].thread = sane_thread(failure->runs[i].thread);
        failure->runs[i].flags &= RV_RUN_TIMEOUT;
    }
    failure->run_count = runs;
    failure->choices = rv_text_alloc(choices, 1);
    memcpy(failure->choices, area->log_choices, choices);
    failure->choice_count = choices;
}

static char *build_id_of(const struct rv_area *area) {
    struct rv_text text = {0};
    uint32_t size = area->module_count ? area->modules[0].build_id_size : 0;
    if (size > sizeof area->modules[0].build_id) size = 0;
    for (uint32_t i = 0; i < size; i++) rv_text_addf(&text, "%02x", area->modules[0].build_id[i]);
    return rv_text_take(&text);
}

void rv_failure_complete(struct rv_failure *failure) {
    char **texts[] = {&failure->program, &failure->cwd,    &failure->build_id, &failure->isolation,
                      &failure->message, &failure->output, &failure->file};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        rv_text_complete(texts[i]);
    }
    if (!failure->args) failure->args = rv_text_alloc(1, sizeof *failure->args);
    if (!failure->env) failure->env = rv_text_alloc(1, sizeof *failure->env);
}

void rv_failure_from_area(struct rv_failure *failure, const struct rv_area *area,
                          struct rv_symboliser *symbols) {
    const struct rv_outcome *outcome = &area->outcome;
    struct namer namer = {.area = area, .symbols = symbols};
    namer.block_count = outcome->block_count < RV_MAX_BLOCKS ? outcome->block_count : RV_MAX_BLOCKS;
    if (!failure->build_id) failure->build_id = build_id_of(area);
    if (!failure->isolation) {
        failure->isolation = rv_text_copy(area->control.isolation == RV_ISOLATION_FORK ? "fork" : "memory");
    }
    failure->signature = outcome->signature;
    failure->kind = outcome->kind < RV_KIND_COUNT ? (enum rv_kind)outcome->kind : RV_KIND_NONE;
    rv_text_set(&failure->message, rv_text_copy_n(outcome->message, sizeof outcome->message));
    failure->thread = outcome->thread;
    failure->preemptions = outcome->preemptions;
    failure->switches = outcome->switches;
    failure->timeouts = outcome->timeouts;
    failure->timeout_ns = outcome->timeout_ns;
    failure->event_hash = outcome->event_hash;
    failure->exit_status = outcome->exit_status;
    fill_schedule(failure, area);
    failure->events_total = outcome->event_count;
    fill_events(failure, &namer);
    failure->thread_count =
        outcome->thread_count < RV_MAX_THREAD_REPORTS ? outcome->thread_count : RV_MAX_THREAD_REPORTS;
    failure->threads = rv_text_alloc(failure->thread_count, sizeof *failure->threads);
    for (unsigned i = 0; i < failure->thread_count; i++) {
        fill_thread(&namer, &area->thread_reports[i], &failure->threads[i]);
    }
    fill_block(failure, &namer);
    rv_failure_complete(failure);
}

static void free_list(char **list) {
    for (char **text = list; text && *text; text++) free(*text);
    free(list);
}

static void free_thread(struct rv_thread_text *thread) {
    free(thread->name);
    free(thread->state);
    free(thread->object);
    rv_stack_free(&thread->stack);
    rv_location_free(&thread->created_at);
    rv_locks_free(thread->held, thread->held_count);
}

void rv_failure_free(struct rv_failure *failure) {
    free_list(failure->args);
    free_list(failure->env);
    free(failure->program);
    free(failure->cwd);
    free(failure->build_id);
    free(failure->isolation);
    free(failure->message);
    free(failure->output);
    free(failure->file);
    free(failure->runs);
    free(failure->choices);
    for (unsigned i = 0; i < failure->thread_count; i++) free_thread(&failure->threads[i]);
    free(failure->threads);
    for (unsigned i = 0; i < failure->event_count; i++) {
        free(failure->events[i].object);
        free(failure->events[i].note);
        rv_location_free(&failure->events[i].at);
        rv_location_free(&failure->events[i].caller);
    }
    free(failure->events);
    rv_block_free(failure->block);
    if (failure->race) rv_race_free(failure->race);
    free(failure->race);
    *failure = (struct rv_failure){0};
}
