#include "report/race.h"

#include <stdlib.h>
#include <string.h>

#include "report/owned.h"
#include "report/text.h"

const char *const rv_race_status_names[RV_RACE_STATUS_COUNT] = {"potential", "real", "harmful"};
const char *const rv_race_kind_names[RV_RACE_KINDS] = {"read",         "write",      "atomic-read",
                                                       "atomic-write", "atomic-rmw", "free"};
const char *const rv_race_order_names[RV_RACE_ORDERS] = {"relaxed", "consume", "acquire",
                                                         "release", "acq_rel", "seq_cst"};

const char *rv_race_kind_name(const struct rv_race_side *side) { return rv_race_kind_names[side->kind]; }

const char *rv_race_order_name(const struct rv_race_side *side) {
    return rv_step_is_atomic(side->kind) ? rv_race_order_names[side->order] : "";
}

/* --- places --- */

static char *place_of(const struct rv_location *at) {
    return at->line ? rv_text_format("%s:%u", at->file, at->line)
                    : rv_text_format("%s+%llx", at->module, (unsigned long long)at->offset);
}

char *rv_race_lines(const struct rv_location *first, const struct rv_location *second) {
    char *a = place_of(first), *b = place_of(second);
    bool swap = strcmp(a, b) > 0;
    char *lines = rv_text_format("%s|%s", swap ? b : a, swap ? a : b);
    free(a);
    free(b);
    return lines;
}

const struct rv_location *rv_race_statement(const struct rv_race_side *side) {
    static const struct rv_location nowhere = {
        .function = (char *)"", .file = (char *)"", .source = (char *)"", .module = (char *)""};
    return side->stack.count ? &side->stack.frames[0] : &nowhere;
}

void rv_race_carry_over(struct rv_race_text *to, const struct rv_race_text *from) {
    if (from->status != RV_RACE_POTENTIAL) to->status = from->status;
    to->count = from->count;
    to->tries = from->tries;
    rv_text_set(&to->file, rv_text_copy(from->file));
    rv_text_set(&to->harm, rv_text_copy(from->harm));
    rv_text_set(&to->harm_file, rv_text_copy(from->harm_file));
}

/* --- owned memory --- */

static void free_thread(struct rv_race_thread *thread) {
    free(thread->name);
    rv_stack_free(&thread->created);
}

static void free_side(struct rv_race_side *side) {
    free_thread(&side->thread);
    rv_stack_free(&side->stack);
    rv_locks_free(side->held, side->held_count);
}

void rv_race_free(struct rv_race_text *race) {
    free(race->variable);
    rv_block_free(race->block);
    free_side(&race->first);
    free_side(&race->second);
    free(race->why);
    free(race->file);
    free(race->harm);
    free(race->harm_file);
    *race = (struct rv_race_text){0};
}

void rv_deadlock_free(struct rv_deadlock_text *deadlock) {
    for (unsigned i = 0; i < deadlock->wait_count; i++) {
        struct rv_deadlock_wait *wait = &deadlock->waits[i];
        free_thread(&wait->thread);
        free(wait->held);
        free(wait->wanted);
        rv_stack_free(&wait->held_at);
        rv_stack_free(&wait->wanted_at);
    }
    free(deadlock->waits);
    free(deadlock->file);
    *deadlock = (struct rv_deadlock_text){0};
}

/* --- what is not known --- */

static void complete_side(struct rv_race_side *side) {
    if (!rv_step_is_access(side->kind)) side->kind = RV_STEP_READ;
    if (!rv_step_is_atomic(side->kind) || side->order >= RV_RACE_ORDERS) side->order = RV_ORDER_RELAXED;
    rv_text_complete(&side->thread.name);
    for (unsigned i = 0; i < side->held_count; i++) rv_text_complete(&side->held[i].object);
}

void rv_race_complete(struct rv_race_text *race) {
    char **texts[] = {&race->variable, &race->why, &race->file, &race->harm, &race->harm_file};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) rv_text_complete(texts[i]);
    if (race->status >= RV_RACE_STATUS_COUNT) race->status = RV_RACE_POTENTIAL;
    if (race->block) rv_text_complete(&race->block->description);
    complete_side(&race->first);
    complete_side(&race->second);
}

void rv_deadlock_complete(struct rv_deadlock_text *deadlock) {
    rv_text_complete(&deadlock->file);
    if (deadlock->status >= RV_RACE_STATUS_COUNT) deadlock->status = RV_RACE_POTENTIAL;
    for (unsigned i = 0; i < deadlock->wait_count; i++) {
        rv_text_complete(&deadlock->waits[i].thread.name);
        rv_text_complete(&deadlock->waits[i].held);
        rv_text_complete(&deadlock->waits[i].wanted);
    }
}

/* --- words --- */

char *rv_race_access_words(const struct rv_race_side *side) {
    static const char *const nouns[RV_RACE_KINDS] = {
        "read", "write", "atomic read", "atomic write", "atomic read-modify-write", "free"};
    struct rv_text text = {0};
    rv_text_add(&text, nouns[side->kind]);
    if (side->size && side->kind != RV_STEP_FREE)
        rv_text_addf(&text, " of %llu byte%s", (unsigned long long)side->size, side->size == 1 ? "" : "s");
    if (rv_step_is_atomic(side->kind)) rv_text_addf(&text, " (%s)", rv_race_order_name(side));
    return rv_text_take(&text);
}
