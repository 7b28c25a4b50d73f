/* Locks that are certainly held. Only locks count that are one place in memory as long as the program runs, and whose address at
 * the call is known to be just that; a lock that may be one of several protects nothing for certain. Unlocking what
 * may be one of several may unlock each.
 *
 * For each function: what it has certainly locked more when it returns, and what it may have unlocked. Then from the roots of threads
 * downwards: what is held whenever the function is entered. Both by iteration, beginning with the optimistic answer;
 * waiting for a condition gives the lock back, and has it again after. Read locks exclude no readers: not counted. */
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

static const char *sync_of(LLVMValueRef instruction, int *object) {
    LLVMValueRef callee = rm_callee(instruction);
    return LLVMIsAFunction(callee) && LLVMCountBasicBlocks(callee) == 0
               ? rm_foreign_sync(LLVMGetValueName(callee), object)
               : NULL;
}

/* What an instruction does to what is held, and to what may have been unlocked since the entry (NULL: nobody asks). */
static void step(struct rm *rm, LLVMValueRef instruction, struct rm_bits *held, struct rm_bits *unlocked) {
    int object = -1;
    if (!rm_is_call(instruction)) return;
    const char *word = sync_of(instruction, &object);
    if (word && object >= 0 && (unsigned)object < LLVMGetNumArgOperands(instruction)) {
        LLVMValueRef address = LLVMGetOperand(instruction, (unsigned)object);
        if (strcmp(word, "lock") == 0 || strcmp(word, "wrlock") == 0) {
            uint32_t lock = certain(rm, address);
            if (lock != RM_NONE) rm_bits_add(held, lock);
        } else if (strcmp(word, "unlock") == 0) {
            const struct rm_bits *points = rm_points(rm, rm_value(rm, address));
            const struct rm_bits *gone = points->count ? points : &every;
            subtract(held, gone);
            if (unlocked) rm_bits_or(unlocked, gone);
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
        subtract(held, &effect->unlocks);
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
            if (call != RM_NONE) RM_EACH(callee, &rm->calls[call].callees)
            if (rm->functions[callee].defined) changed |= enter(callee, &held);
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
    for (bool changed = every.count > 0; changed;) {
        changed = false;
        for (uint32_t f = 0; f < rm->function_count; f++)
            if (rm->functions[f].defined && entries[f].known) changed |= enter_callees(rm, f);
    }
    for (uint32_t f = 0; every.count && f < rm->function_count; f++)
        if (rm->functions[f].defined && entries[f].known) flow_through(rm, f, &entries[f].locks, NULL);
    free(relevant);
}

void rm_locks_at(struct rm *rm, LLVMValueRef instruction, uint32_t function, struct rm_bits *held) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
    held->count = 0;
    if (!every.count || !entries[function].known || !blocks[block_of(rm, block)].known) return;
    rm_bits_or(held, &blocks[block_of(rm, block)].locks);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && i != instruction;
         i = LLVMGetNextInstruction(i))
        step(rm, i, held, NULL);
}
