/* From a worker's area to a failure: copy, clamp, name. The area is untrusted: every count is cut to its
 * array, every text to its field, every enum to its range; nothing in it is followed as a pointer. */
#include "report/failure.h"

#include <stdlib.h>
#include <string.h>

#include "report/owned.h"
#include "report/naming.h"
#include "report/printer.h"
#include "report/race.h"
#include "report/relevant.h"
#include "report/stacks.h"
#include "report/symbolise.h"
#include "report/text.h"

/* Names things while one failure is built. */
struct namer {
    const struct rv_area *area;
    struct rv_symboliser *symbols;
    unsigned block_count;
    struct rv_unnamed unnamed;
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
    char *thread = owner ? rv_text_format("thread %u", owner->id) : NULL;
    char *name = rv_name_unnamed(&namer->unnamed, address, thread);
    free(thread);
    return name;
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
    if (alike > 1) rv_name_ordinal(&name, ordinal);
    return name;
}

/* What the program calls it, of those that only have a number. */
static char *event_name(const struct rv_area *area, uint64_t number) {
    if (number == 0 || number > RV_MAX_EVENT_NAMES || number > area->event_name_count)
        return rv_text_copy("");
    return rv_text_copy_n(area->event_names[number - 1], RV_EVENT_NAME);
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
    const char *of = !*thread->object ? "" : thread->op == RV_OP_EVENT ? " " : " of ";
    switch (report->state) {
    case RV_THREAD_RUNNING: rv_text_add(&text, "running"); break;
    case RV_THREAD_BLOCKED:
        if (thread->op == RV_OP_EVENT) {
            rv_text_addf(&text, "held by the schedule before %s", thread->object);
            break;
        }
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
    thread->object = thread->op == RV_OP_EVENT ? event_name(namer->area, report->object)
                                               : name_object(namer, thread->op, report->object, 0, 0);
    thread->stack = rv_stack_of(namer->symbols, report->frames, frames, !signal);
    thread->name = thread_name(namer, report, &thread->stack);
    thread->state = describe_state(report, thread);
    locate(namer, report->created_at, true, &thread->created_at);
    thread->held = rv_text_alloc(held, sizeof *thread->held);
    thread->held_count = held;
    for (unsigned i = 0; i < held; i++) {
        thread->held[i].object = name_object(namer, RV_OP_LOCK, report->held[i].address, 0, 0);
        thread->held[i].acquired = rv_stack_of(namer->symbols, report->held[i].frames, 8, true);
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
        to->object = to->op == RV_OP_EVENT
                         ? event_name(namer->area, from->value)
                         : name_object(namer, to->op, from->address, from->size, from->block);
        rv_locate_own(namer->symbols, from->site, &to->at);
        rv_locate_own(namer->symbols, from->caller, &to->caller);
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
    block->allocated = rv_stack_of(namer->symbols, from->alloc_frames, 12, true);
    if (block->freed) block->released = rv_stack_of(namer->symbols, from->free_frames, 12, true);
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
