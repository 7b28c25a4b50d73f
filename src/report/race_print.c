/* A race for people, in about a screenful:
 *
 *     data race (harmful): counter.value
 *       thread 2 (worker) writes 4 bytes in worker() at counter.c:18
 *             counter.value++;
 *         #0 ...
 *         holds counter.lock, acquired: add() counter.c:11 < worker() :17
 *         created by thread 0 (main): main() counter.c:30
 *       thread 1 (worker) reads 4 bytes in ...
 *
 *     why: no lock is held by both, and nothing orders the two
 *     the memory: ...
 *     seen 12 times; verified in 1 try
 *     harm: assert: balance is 90, not 100
 *
 * A side's stack is left out where it says no more than the row above it. */
#include "report/race_print.h"

#include <stdlib.h>

#include "report/places.h"
#include "report/text.h"

enum { FRAMES_MAX = 6, LOCKS_MAX = 4, SIDES = 2 };

/* --- what races and deadlocks share --- */

char *rv_race_thread_words(uint32_t id, const struct rv_race_thread *const *known, unsigned known_count) {
    for (unsigned i = 0; i < known_count; i++) {
        if (known[i]->id == id && *known[i]->name)
            return rv_text_format("thread %u (%s)", id, known[i]->name);
    }
    if (id == RV_NO_THREAD) return rv_text_copy("an unknown thread");
    return rv_text_format(id == 0 ? "thread %u (main)" : "thread %u", id);
}

void rv_print_creation(struct rv_printer *printer, const struct rv_race_thread *thread,
                       const struct rv_race_thread *const *known, unsigned known_count) {
    if (thread->creator == RV_NO_THREAD && thread->created.count == 0) return;
    char *creator = rv_race_thread_words(thread->creator, known, known_count),
         *words = rv_text_format("created by %s", creator);
    rv_print_calls(printer, 4, words, &thread->created);
    free(words);
    free(creator);
}

static const char *plural(uint64_t count, const char *one, const char *several) {
    return count == 1 ? one : several;
}

static void print_missing(struct rv_printer *printer, const struct rv_evidence *evidence) {
    const char *how = evidence->predicted ? "predicted" : "suspected";
    rv_print_line(printer, 0, 2, RV_PLAIN, "%s %llu %s, not seen to happen", how,
                  (unsigned long long)evidence->count, plural(evidence->count, "time", "times"));
    if (evidence->tries == 0)
        rv_print_line(printer, 0, 2, RV_PLAIN, "not verified: no execution has tried to get %s",
                      evidence->there);
    else
        rv_print_line(printer, 0, 2, RV_PLAIN, "verification did not get %s in %u %s", evidence->there,
                      evidence->tries, plural(evidence->tries, "try", "tries"));
    if (evidence->predicted)
        rv_print_line(printer, 0, 2, RV_PLAIN,
                      "it can happen all the same: what was executed, in another order that its locks allow, "
                      "gets %s",
                      evidence->there);
    else
        rv_print_line(printer, 0, 2, RV_PLAIN, "what to do: %s", evidence->advice);
}

void rv_print_evidence(struct rv_printer *printer, const struct rv_evidence *evidence) {
    struct rv_text text = {0};
    if (evidence->status == RV_RACE_POTENTIAL) {
        print_missing(printer, evidence);
        return;
    }
    if (evidence->count)
        rv_text_addf(&text, "seen %llu %s", (unsigned long long)evidence->count,
                     plural(evidence->count, "time", "times"));
    if (evidence->tries)
        rv_text_addf(&text, "%sverified in %u %s", evidence->count ? "; " : "", evidence->tries,
                     plural(evidence->tries, "try", "tries"));
    if (text.data) rv_print_line(printer, 0, 2, RV_PLAIN, "%s", text.data);
    free(text.data);
}

char *rv_race_title(enum rv_race_status status, bool predicted, const char *what) {
    if (status == RV_RACE_POTENTIAL)
        return rv_text_format("%s %s", predicted ? "predicted" : "potential", what);
    return rv_text_format("%s%s", what, status == RV_RACE_HARMFUL ? " (harmful)" : "");
}

void rv_print_again(struct rv_printer *printer, const char *file) {
    if (*file) rv_print_line(printer, 0, 2, RV_PLAIN, "to see it again: ravel replay %s", file);
}

/* --- a race --- */

/* "atomically reads 8 bytes (relaxed)" */
static char *verb_of(const struct rv_race_side *side) {
    static const char *const verbs[RV_RACE_KINDS] = {
        "reads", "writes", "atomically reads", "atomically writes", "atomically updates", "frees the memory"};
    struct rv_text text = {0};
    rv_text_add(&text, verbs[side->kind]);
    if (side->kind != RV_STEP_FREE && side->size)
        rv_text_addf(&text, " %llu %s", (unsigned long long)side->size, plural(side->size, "byte", "bytes"));
    else if (side->kind != RV_STEP_FREE)
        rv_text_add(&text, " it");
    if (rv_step_is_atomic(side->kind)) rv_text_addf(&text, " (%s)", rv_race_order_name(side));
    return rv_text_take(&text);
}

static void print_locks(struct rv_printer *printer, const struct rv_race_side *side) {
    if (side->held_count == 0) rv_print_row(printer, 4, RV_PLAIN, "holds no lock");
    for (unsigned i = 0; i < side->held_count && i < LOCKS_MAX; i++) {
        const struct rv_lock_text *lock = &side->held[i];
        char *words = rv_text_format("%s %s%s", i == 0 ? "holds" : "and", lock->object,
                                     lock->acquired.count ? ", acquired" : "");
        rv_print_calls(printer, 4, words, &lock->acquired);
        free(words);
    }
    if (side->held_count > LOCKS_MAX)
        rv_print_row(printer, 4, RV_DIM, "and %u more", side->held_count - LOCKS_MAX);
}

static void print_side(struct rv_printer *printer, const struct rv_race_side *side,
                       const struct rv_race_thread *const *known) {
    const struct rv_location *at = rv_stack_place(&side->stack);
    char *thread = rv_race_thread_words(side->thread.id, known, SIDES), *verb = verb_of(side),
         *words = rv_text_format("%s %s%s", thread, verb, at ? " in " : "");
    if (at)
        rv_print_place(printer, 2, words, at, side->stack.count == 1);
    else
        rv_print_line(printer, 2, 2, RV_PLAIN, "%s", words);
    if (at && *at->source) rv_print_row(printer, 8, RV_MARK, "%s", at->source);
    if (side->stack.count != 1) rv_print_stack(printer, 4, &side->stack, FRAMES_MAX);
    print_locks(printer, side);
    rv_print_creation(printer, &side->thread, known, SIDES);
    free(thread);
    free(verb);
    free(words);
}

static void print_memory(struct rv_printer *printer, const struct rv_block_text *block,
                         const struct rv_race_thread *const *known) {
    char *allocator = rv_race_thread_words(block->alloc_thread, known, SIDES),
         *freer = rv_race_thread_words(block->free_thread, known, SIDES);
    rv_print_block(printer, block, allocator, freer);
    free(allocator);
    free(freer);
}

static void print_harm(struct rv_printer *printer, const struct rv_race_text *race) {
    if (race->status == RV_RACE_HARMFUL)
        rv_print_line(printer, 0, 2, RV_ALARM, "harm: %s", *race->harm ? race->harm : "something went wrong");
    else if (race->status == RV_RACE_REAL)
        rv_print_line(printer, 0, 2, RV_PLAIN,
                      "harm: none seen; but the language says nothing about what such a program does");
    if (*race->harm_file)
        rv_print_line(printer, 2, 2, RV_PLAIN, "to see the harm: ravel replay %s", race->harm_file);
}

void rv_print_race(struct rv_printer *printer, const struct rv_race_text *race) {
    const struct rv_race_thread *const known[SIDES] = {&race->first.thread, &race->second.thread};
    struct rv_evidence evidence = {
        .status = race->status,
        .predicted = race->predicted,
        .count = race->count,
        .tries = race->tries,
        .there = "both threads to these accesses",
        .advice = "look for what orders the two accesses; if there is nothing, they race"};
    char *title = rv_race_title(race->status, race->predicted, "data race");
    rv_print_line(printer, 0, 2, race->status == RV_RACE_POTENTIAL ? RV_BOLD : RV_ALARM, "%s: %s", title,
                  *race->variable ? race->variable : "memory without a name");
    print_side(printer, &race->first, known);
    print_side(printer, &race->second, known);
    fputc('\n', printer->out);
    if (*race->why) rv_print_line(printer, 0, 2, RV_PLAIN, "why: %s", race->why);
    if (race->block) print_memory(printer, race->block, known);
    rv_print_evidence(printer, &evidence);
    print_harm(printer, race);
    free(title);
}

void rv_race_print(const struct rv_race_text *race, FILE *out, const struct rv_print_options *options) {
    struct rv_printer printer = rv_printer_for(out, options);
    rv_print_race(&printer, race);
    rv_print_again(&printer, race->file);
}
