/* Locks that are certainly held. Only locks count that are one place in memory as long as the program runs, and whose address at
 * the call is known to be just that; a lock that may be one of several protects nothing for certain. Unlocking what
 * may be one of several may unlock each.
 *
 * For each function: what it has certainly locked more when it returns, and what it may have unlocked. Then from the roots of threads
 * downwards: what is held whenever the function is entered. Both by iteration, beginning with the optimistic answer;
 * waiting for a condition gives the lock back, and has it again after. Read locks exclude no readers: not counted.
 *
 * A lock in an object of which there are several protects what is in the same object, for certain if the code reaches both from one
 * and the same address (lock(&q->lock); q->head): so an address and an offset is a lock, too, a token. It is good
 * until something unlocks what may be it, or the address is computed anew; a function has those of what it is given, if
 * all its callers have them. */
#include <stdio.h>
#include <string.h>

#include "modeller/modeller.h"

struct effect {
    struct rm_bits locks, unlocks; /* certain; possible. Locations */
    bool known;                    /* false: not computed yet: everything is locked */
};

static struct effect *effects; /* of functions */
static struct effect *entries; /* of functions: locks held when entered; of blocks in .locks */
static struct effect *blocks;
static struct rm_bits every; /* locations of all locks that count */

enum {
    FIRST_TOKEN = 1 << 30,
    ANYTHING = 1 << 29
}; /* in sets of locks; in sets of what was unlocked: one not known */

static struct token {
    LLVMValueRef base;
    int64_t offset;
    struct rm_bits locations; /* that it may be */
} * tokens;
static uint32_t token_count, token_capacity;
static struct rm_map known_tokens, token_bases;
static bool any_lock;

static uint64_t key(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

/* The lock, if there is just one: RM_NONE otherwise. */
static uint32_t certain(struct rm *rm, LLVMValueRef address) {
    const struct rm_bits *points = rm_points(rm, rm_value(rm, address));
    uint32_t location = RM_NONE;
    if (rm_bits_size(points) != 1) return RM_NONE;
    RM_EACH(location, points) {}
    return rm_location_is_single(rm, location) ? location : RM_NONE;
}

static void subtract(struct rm_bits *set, const struct rm_bits *without) {
    struct rm_bits left = {0};
    rm_bits_minus(&left, set, without);
    rm_bits_free(set);
    *set = left;
}

static uint32_t token(struct rm *rm, LLVMValueRef base, int64_t offset) {
    uint32_t location, *known = rm_map_at(&known_tokens, key(base), (uint64_t)offset);
    if (*known != RM_NONE) return *known;
    if (token_count == token_capacity) {
        token_capacity = token_capacity ? token_capacity * 2 : 64;
        tokens = rv_text_realloc(tokens, token_capacity, sizeof *tokens);
    }
    struct token *fresh = &tokens[token_count];
    struct rm_bits points = {0}; /* a copy: fields may be new */
    *fresh = (struct token){.base = base, .offset = offset};
    rm_bits_or(&points, rm_points(rm, rm_value(rm, base)));
    RM_EACH(location, &points) {
        uint64_t before = rm->nodes[location].offset;
        rm_bits_add(&fresh->locations, rm_field(rm, rm->nodes[location].object, (int64_t)before + offset));
    }
    rm_bits_free(&points);
    *rm_map_at(&token_bases, key(base), 0) = 0;
    *rm_map_at(&known_tokens, key(base), (uint64_t)offset) = FIRST_TOKEN + token_count;
    return FIRST_TOKEN + token_count++;
}

/* Without the tokens that may have been unlocked, or whose base is computed here. */
static void drop_tokens(struct rm_bits *held, const struct rm_bits *gone, LLVMValueRef defined) {
    struct rm_bits dropped = {0};
    uint32_t lock;
    bool all = gone && rm_bits_has(gone, ANYTHING);
    RM_EACH(lock, held) {
        if (lock < FIRST_TOKEN) continue;
        const struct token *at = &tokens[lock - FIRST_TOKEN];
        if (all || at->base == defined || (gone && rm_bits_meet(&at->locations, gone)))
            rm_bits_add(&dropped, lock);
    }
    if (dropped.count) subtract(held, &dropped);
    rm_bits_free(&dropped);
}

static void only_places(struct rm_bits *held) {
    while (held->count && held->words[held->count - 1].index >= FIRST_TOKEN / 64) held->count--;
}

static const char *sync_of(LLVMValueRef instruction, int *object) {
    LLVMValueRef callee = rm_callee(instruction);
    return LLVMIsAFunction(callee) && LLVMCountBasicBlocks(callee) == 0
               ? rm_foreign_sync(LLVMGetValueName(callee), object)
               : NULL;
}

/* What an instruction does to what is held, and to what may have been unlocked since the entry (NULL: nobody asks). */
static void step(struct rm *rm, LLVMValueRef instruction, struct rm_bits *held, struct rm_bits *unlocked) {
    int object = -1;
    if (rm_map_get(&token_bases, key(instruction), 0) != RM_NONE) drop_tokens(held, NULL, instruction);
    if (!rm_is_call(instruction)) return;
    const char *word = sync_of(instruction, &object);
    if (word && object >= 0 && (unsigned)object < LLVMGetNumArgOperands(instruction)) {
        LLVMValueRef address = LLVMGetOperand(instruction, (unsigned)object);
        if (strcmp(word, "lock") == 0 || strcmp(word, "wrlock") == 0) {
            uint32_t lock = certain(rm, address);
            int64_t offset;
            LLVMValueRef base = rm_strip(rm, address, &offset);
            if (lock != RM_NONE)
                rm_bits_add(held, lock);
            else if (LLVMIsAInstruction(base) || LLVMIsAArgument(base))
                rm_bits_add(held, token(rm, base, offset));
        } else if (strcmp(word, "unlock") == 0) {
            const struct rm_bits *points = rm_points(rm, rm_value(rm, address));
            struct rm_bits gone = {0};
            rm_bits_or(&gone, points->count ? points : &every);
            if (!points->count) rm_bits_add(&gone, ANYTHING);
            subtract(held, &gone);
            drop_tokens(held, &gone, NULL);
            if (unlocked) rm_bits_or(unlocked, &gone);
            rm_bits_free(&gone);
        }
        return;
    }
    uint32_t index = rm_map_get(&rm->call_of, key(instruction), 0), callee;
    if (index == RM_NONE || !rm->calls[index].callees.count) return;
    struct rm_bits locks = {0};
    bool first = true;
    RM_EACH(callee, &rm->calls[index].callees) {
        if (!rm->functions[callee].defined) {
            locks.count = 0;
            first = false;
            continue;
        }
        const struct effect *effect = &effects[callee];
        if (effect->unlocks.count) {
            subtract(held, &effect->unlocks);
            drop_tokens(held, &effect->unlocks, NULL);
        }
        if (unlocked) rm_bits_or(unlocked, &effect->unlocks);
        if (first)
            rm_bits_or(&locks, effect->known ? &effect->locks : &every);
        else if (effect->known)
            rm_bits_and(&locks, &effect->locks);
        first = false;
    }
    rm_bits_or(held, &locks);
    rm_bits_free(&locks);
}

/* --- within a function --- */

static uint32_t block_of(struct rm *rm, LLVMBasicBlockRef block) {
    return rm_map_get(&rm->blocks_of, key(block), 0);
}

static bool flow_into(uint32_t block, const struct rm_bits *held) {
    struct effect *to = &blocks[block];
    if (!to->known) {
        to->known = true;
        rm_bits_or(&to->locks, held);
        return true;
    }
    uint32_t before = rm_bits_size(&to->locks);
    rm_bits_and(&to->locks, held);
    return rm_bits_size(&to->locks) != before;
}

/* What is held at each block's begin, beginning with `entry`. With `effect`: what is held at all returns, and unlocked anywhere. */
static void flow_through(struct rm *rm, uint32_t function, const struct rm_bits *entry,
                         struct effect *effect) {
    LLVMValueRef value = rm->functions[function].value;
    bool changed = true, returned = false;
    struct rm_bits at_return = {0};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(value); b; b = LLVMGetNextBasicBlock(b)) {
        struct effect *block = &blocks[block_of(rm, b)];
        block->locks.count = 0;
        block->known = false;
    }
    flow_into(block_of(rm, LLVMGetEntryBasicBlock(value)), entry);
    while (changed) {
        changed = returned = false;
        at_return.count = 0;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(value); b; b = LLVMGetNextBasicBlock(b)) {
            uint32_t index = block_of(rm, b);
            if (!blocks[index].known) continue;
            struct rm_bits held = {0};
            rm_bits_or(&held, &blocks[index].locks);
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                step(rm, i, &held, effect ? &effect->unlocks : NULL);
            LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
            for (unsigned i = 0; last && i < LLVMGetNumSuccessors(last); i++)
                changed |= flow_into(block_of(rm, LLVMGetSuccessor(last, i)), &held);
            if (last && (LLVMIsAReturnInst(last) || LLVMIsAResumeInst(last))) {
                if (returned)
                    rm_bits_and(&at_return, &held);
                else
                    rm_bits_or(&at_return, &held);
                returned = true;
            }
            rm_bits_free(&held);
        }
    }
    if (effect) {
        rm_bits_free(&effect->locks);
        only_places(&at_return);
        if (returned)
            effect->locks = at_return;
        else { /* it does not come back */
            rm_bits_free(&at_return);
            rm_bits_or(&effect->locks, &every);
        }
        effect->known = true;
    } else
        rm_bits_free(&at_return);
}

/* --- between functions --- */

/* Functions that may change what is held: only they, and those above them, are looked at again and again. */
static bool *find_relevant(struct rm *rm) {
    bool *relevant = rv_text_alloc(rm->function_count, sizeof *relevant), changed = true;
    for (uint32_t i = 0; i < rm->call_count; i++) {
        int object;
        const char *word = rm->calls[i].kind == RM_CALL ? sync_of(rm->calls[i].instruction, &object) : NULL;
        if (!word || object < 0) continue;
        any_lock = true;
        relevant[rm->calls[i].caller] = true;
        if ((strcmp(word, "lock") == 0 || strcmp(word, "wrlock") == 0) &&
            (unsigned)object < LLVMGetNumArgOperands(rm->calls[i].instruction)) {
            uint32_t lock = certain(rm, LLVMGetOperand(rm->calls[i].instruction, (unsigned)object));
            if (lock != RM_NONE) rm_bits_add(&every, lock);
        }
    }
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < rm->call_count; i++) {
            uint32_t callee;
            if (rm->calls[i].kind != RM_CALL || relevant[rm->calls[i].caller]) continue;
            RM_EACH(callee, &rm->calls[i].callees)
                if (relevant[callee]) changed = relevant[rm->calls[i].caller] = true;
        }
    }
    return relevant;
}

static bool same_effect(const struct effect *a, const struct effect *b) {
    return a->known == b->known && rm_bits_equal(&a->locks, &b->locks) &&
           rm_bits_equal(&a->unlocks, &b->unlocks);
}

static void find_effects(struct rm *rm, const bool *relevant) {
    static const struct rm_bits nothing;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t f = 0; f < rm->function_count; f++) {
            if (!rm->functions[f].defined) continue;
            if (!relevant[f]) {
                effects[f].known = true;
                continue;
            }
            struct effect fresh = {0};
            rm_bits_or(&fresh.unlocks, &effects[f].unlocks);
            flow_through(rm, f, &nothing, &fresh);
            changed |= !same_effect(&fresh, &effects[f]);
            rm_bits_free(&effects[f].locks);
            rm_bits_free(&effects[f].unlocks);
            effects[f] = fresh;
        }
    }
}

static bool enter(uint32_t function, const struct rm_bits *held) {
    struct effect *entry = &entries[function];
    if (!entry->known) {
        entry->known = true;
        rm_bits_or(&entry->locks, held);
        return true;
    }
    uint32_t before = rm_bits_size(&entry->locks);
    rm_bits_and(&entry->locks, held);
    return rm_bits_size(&entry->locks) != before;
}

/* What the caller holds, as the function that it calls knows it. */
static struct rm_bits handed_on(struct rm *rm, LLVMValueRef call, uint32_t function,
                                const struct rm_bits *held) {
    struct rm_bits result = {0};
    LLVMValueRef value = rm->functions[function].value;
    uint32_t lock, count = LLVMCountParams(value);
    RM_EACH(lock, held) {
        if (lock < FIRST_TOKEN) {
            rm_bits_add(&result, lock);
            continue;
        }
        for (unsigned i = 0; i < count && i < LLVMGetNumArgOperands(call); i++) {
            int64_t offset;
            LLVMValueRef base = rm_strip(rm, LLVMGetOperand(call, i), &offset);
            if (base == tokens[lock - FIRST_TOKEN].base)
                rm_bits_add(&result,
                            token(rm, LLVMGetParam(value, i), tokens[lock - FIRST_TOKEN].offset - offset));
        }
    }
    return result;
}

static bool enter_callees(struct rm *rm, uint32_t function) {
    bool changed = false;
    LLVMValueRef value = rm->functions[function].value;
    uint32_t call, callee;
    flow_through(rm, function, &entries[function].locks, NULL);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(value); b; b = LLVMGetNextBasicBlock(b)) {
        if (!blocks[block_of(rm, b)].known) continue;
        struct rm_bits held = {0};
        rm_bits_or(&held, &blocks[block_of(rm, b)].locks);
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            call = rm_is_call(i) ? rm_map_get(&rm->call_of, key(i), 0) : RM_NONE;
            if (call != RM_NONE) {
                RM_EACH(callee, &rm->calls[call].callees) {
                    if (!rm->functions[callee].defined) continue;
                    struct rm_bits handed = handed_on(rm, i, callee, &held);
                    changed |= enter(callee, &handed);
                    rm_bits_free(&handed);
                }
            }
            step(rm, i, &held, NULL);
        }
        rm_bits_free(&held);
    }
    /* Called back from a library, somewhere. */
    RM_EACH(call, &rm->functions[function].calls)
        if (rm_map_get(&rm->call_of, key(rm->calls[call].instruction), 0) != call &&
            rm->calls[call].kind == RM_CALL)
            RM_EACH(callee, &rm->calls[call].callees)
                if (rm->functions[callee].defined) changed |= enter(callee, &(struct rm_bits){0});
    return changed;
}

void rm_find_locks(struct rm *rm) {
    static const struct rm_bits nothing;
    bool *relevant = find_relevant(rm);
    effects = rv_text_alloc(rm->function_count, sizeof *effects);
    entries = rv_text_alloc(rm->function_count, sizeof *entries);
    blocks = rv_text_alloc(rm->block_count, sizeof *blocks);
    find_effects(rm, relevant);
    for (uint32_t i = 0; i < rm->function_count; i++)
        if (rm->functions[i].defined && !rm_bits_size(&rm->functions[i].callers)) enter(i, &nothing);
    for (uint32_t i = 0; i < rm->thread_count; i++)
        if (rm->threads[i].function != RM_NONE) enter(rm->threads[i].function, &nothing);
    if (rm->main_function == RM_NONE)
        for (uint32_t i = 0; i < rm->function_count; i++)
            if (rm->functions[i].defined && LLVMGetLinkage(rm->functions[i].value) != LLVMInternalLinkage)
                enter(i, &nothing);
    for (bool changed = any_lock; changed;) {
        changed = false;
        for (uint32_t f = 0; f < rm->function_count; f++)
            if (rm->functions[f].defined && entries[f].known) changed |= enter_callees(rm, f);
    }
    for (uint32_t f = 0; any_lock && f < rm->function_count; f++)
        if (rm->functions[f].defined && entries[f].known) flow_through(rm, f, &entries[f].locks, NULL);
    free(relevant);
}

void rm_locks_at(struct rm *rm, LLVMValueRef instruction, uint32_t function, struct rm_bits *held) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
    held->count = 0;
    if (!any_lock || !entries[function].known || !blocks[block_of(rm, block)].known) return;
    rm_bits_or(held, &blocks[block_of(rm, block)].locks);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && i != instruction;
         i = LLVMGetNextInstruction(i))
        step(rm, i, held, NULL);
}

/* The token's lock in the object that the variable is in, if both lie where they are said to, and not in some element of an array. */
static uint32_t lock_beside(struct rm *rm, const struct token *lock, int64_t offset,
                            const struct rm_variable *variable) {
    uint32_t location;
    int64_t base = -1;
    const struct rm_object *object = &rm->objects[variable->object];
    RM_EACH(location, rm_points(rm, rm_value(rm, lock->base))) {
        if (rm->nodes[location].object != variable->object) continue;
        if (object->collapsed || base >= 0) return RM_NONE;
        base = (int64_t)rm->nodes[location].offset;
    }
    int64_t there = base + lock->offset, here = base + offset;
    if (base < 0 || there < 0 || here < 0 || (uint64_t)here < variable->start ||
        (uint64_t)here >= variable->end || rm_normal_offset(rm, object, there) != (uint64_t)there ||
        rm_normal_offset(rm, object, here) != (uint64_t)here)
        return RM_NONE;
    return rm_field(rm, variable->object, there);
}

void rm_locks_of(struct rm *rm, const struct rm_bits *held, const struct rm_access *access,
                 const struct rm_variable *variable, struct rm_bits *locations) {
    uint32_t lock;
    int64_t offset = 0;
    LLVMValueRef base = access->place && !access->range ? rm_strip(rm, access->place, &offset) : NULL;
    locations->count = 0;
    RM_EACH(lock, held) {
        uint32_t location = lock;
        if (lock >= FIRST_TOKEN)
            location = base == tokens[lock - FIRST_TOKEN].base && !variable->others
                           ? lock_beside(rm, &tokens[lock - FIRST_TOKEN], offset, variable)
                           : RM_NONE;
        if (location != RM_NONE) rm_bits_add(locations, location);
    }
}
