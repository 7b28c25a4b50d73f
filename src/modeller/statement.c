/* Statements: what a block does of one line of the source, for the comparison of two versions (src/regress), and what flows between
 * them. Taken while the code is as clang writes it, with locals in memory: a local that is changed to another constant would
 * be in no instruction later.
 *
 *   registers   an operand that another statement computes
 *   locals      a store reaches the loads that may come after it without another store in between. Of a local whose address is used
 *               otherwise (arrays, structs, &x), everything that may store affects everything that may load
 *   parameters  a call affects the statements of the function that use a parameter
 *   results     what returns affects the calls
 *
 * A flow *aims* if an address depends on it, at which the other statement accesses memory: that is what can bring two accesses
 * together that never met. What goes through variables of the model is not told here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "modeller/modeller.h"

struct statement {
    uint32_t block, line;
    uint64_t hash, loose; /* loose: without the names of locals, which are in `locals` */
    struct rm_list locals, flows, aims, sites, syncs, pointers;
};

/* Of a function: its statements that use a parameter, and that return something. */
struct ends {
    struct rm_list parameters, aimed, results; /* aimed: as parameters, those that aim */
};

static struct {
    struct statement *list;
    uint32_t count, capacity;
    struct rm_map of;      /* instruction to statement */
    struct rm_map ends_of; /* function to ends */
    struct ends *ends;
    uint32_t ends_count;
    struct rm_map used; /* calls whose result is used */
    uint32_t first;     /* of the block that is being taken */
    uint32_t block;
    struct rm_map known; /* flows, so that none is there twice: RM_NONE, 1, or 2: it aims */
} all;

static uint64_t key(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

/* --- taking --- */

static uint32_t statement_at(uint32_t block, uint32_t line) {
    for (uint32_t i = all.count; i > all.first; i--)
        if (all.list[i - 1].line == line) return i - 1;
    if (all.count == all.capacity) {
        all.capacity = all.capacity ? all.capacity * 2 : 256;
        all.list = rv_text_realloc(all.list, all.capacity, sizeof *all.list);
    }
    all.list[all.count] = (struct statement){.block = block, .line = line};
    return all.count++;
}

void rm_statement_take(struct rm *rm, LLVMValueRef instruction, uint64_t hash, uint64_t loose,
                       const struct rm_list *locals) {
    uint32_t block = rm->block_count, line = LLVMGetDebugLocLine(instruction);
    if (LLVMIsAAllocaInst(instruction)) return; /* that there is a local does nothing */
    if (all.count == 0 || block != all.block) all.first = all.count;
    all.block = block;
    /* What has no line belongs to what was before it. */
    if (!line && all.count > all.first) line = all.list[all.count - 1].line;
    uint32_t statement = statement_at(block, line);
    all.list[statement].hash = rm_mix(all.list[statement].hash, hash + 0x51ed27);
    all.list[statement].loose = rm_mix(all.list[statement].loose, loose + 0x51ed27);
    for (uint32_t i = 0; i < locals->count; i++) rm_list_add(&all.list[statement].locals, locals->items[i]);
    *rm_map_at(&all.of, key(instruction), 0) = statement;
}

static uint32_t statement_of(LLVMValueRef instruction) { return rm_map_get(&all.of, key(instruction), 0); }

static void flow(uint32_t from, uint32_t to, bool aims) {
    if (from == RM_NONE || to == RM_NONE || from == to) return;
    uint32_t *known = rm_map_at(&all.known, from + 1, to + 1);
    if (*known == RM_NONE) {
        *known = 1;
        rm_list_add(&all.list[from].flows, to);
    }
    if (!aims || *known == 2) return;
    *known = 2;
    rm_list_add(&all.list[from].aims, to);
}

enum { FAR = 24 /* uses of uses, beyond which it is supposed to be so */ };

static bool aims(LLVMValueRef value, LLVMValueRef user, uint32_t statement, int depth);

/* Whether an access of the statement has an address that depends on the value, by instructions of the statement. */
static bool value_aims(LLVMValueRef value, uint32_t statement, int depth) {
    if (depth > FAR) return true;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user) && statement_of(user) == statement &&
            aims(value, user, statement, depth))
            return true;
    }
    return false;
}

static bool aims(LLVMValueRef value, LLVMValueRef user, uint32_t statement, int depth) {
    if (LLVMIsALoadInst(user)) return true;
    if (LLVMIsAStoreInst(user)) return LLVMGetOperand(user, 1) == value;
    if (LLVMIsAAtomicRMWInst(user) || LLVMIsAAtomicCmpXchgInst(user)) return LLVMGetOperand(user, 0) == value;
    if (rm_is_call(user)) {
        LLVMValueRef callee = rm_callee(user);
        bool defined = LLVMIsAFunction(callee) && LLVMCountBasicBlocks(callee) > 0;
        return !defined ||
               value_aims(user, statement, depth + 1); /* into a function: parameters are followed there */
    }
    if (LLVMIsABranchInst(user) || LLVMIsASwitchInst(user) || LLVMIsAReturnInst(user)) return false;
    return value_aims(user, statement, depth + 1);
}

static struct ends *ends_of(LLVMValueRef function) {
    uint32_t *number = rm_map_at(&all.ends_of, key(function), 0);
    if (*number == RM_NONE) {
        *number = all.ends_count++;
        all.ends = rv_text_realloc(all.ends, all.ends_count, sizeof *all.ends);
        all.ends[*number] = (struct ends){0};
    }
    return &all.ends[*number];
}

/* --- locals --- */

struct use {
    uint32_t block, at; /* order in the function */
    uint32_t statement;
    bool store, aims; /* aims: what is loaded does */
};

struct uses {
    struct use *list;
    uint32_t count, capacity;
    bool simple;
};

static struct {
    struct rm_map order;             /* instruction to its place in the function */
    uint32_t *stamps, stamp, *queue; /* by block */
} within;

static void add_use(struct uses *uses, struct rm *rm, LLVMValueRef instruction, bool store) {
    bool aim =
        !store && (!LLVMIsALoadInst(instruction) || value_aims(instruction, statement_of(instruction), 0));
    uint32_t statement = statement_of(instruction);
    if (statement == RM_NONE) return;
    if (uses->count == uses->capacity) {
        uses->capacity = uses->capacity ? uses->capacity * 2 : 16;
        uses->list = rv_text_realloc(uses->list, uses->capacity, sizeof *uses->list);
    }
    uses->list[uses->count++] =
        (struct use){rm_map_get(&rm->blocks_of, key(LLVMGetInstructionParent(instruction)), 0),
                     rm_map_get(&within.order, key(instruction), 0), statement, store, aim};
}

/* Everything that is done to the memory that the value points into. */
static void find_uses(struct uses *uses, struct rm *rm, LLVMValueRef pointer, int depth) {
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAInstruction(user)) continue;
        if (LLVMIsALoadInst(user)) {
            add_use(uses, rm, user, false);
        } else if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == pointer &&
                   LLVMGetOperand(user, 0) != pointer) {
            add_use(uses, rm, user, true);
        } else if (rm_is_call(user)) {
            uses->simple = false;
            add_use(uses, rm, user, false);
            add_use(uses, rm, user, true);
        } else {
            uses->simple = false;
            if (depth < 16 && (LLVMIsAGetElementPtrInst(user) || LLVMIsACastInst(user) ||
                               LLVMIsAPHINode(user) || LLVMIsASelectInst(user)))
                find_uses(uses, rm, user, depth + 1);
            else
                add_use(uses, rm, user, true);
        }
    }
}

static int in_order(const void *a, const void *b) {
    const struct use *first = a, *second = b;
    if (first->block != second->block) return first->block < second->block ? -1 : 1;
    return first->at < second->at ? -1 : first->at > second->at;
}

/* The first use in a block; uses->count: none. */
static uint32_t first_in(const struct uses *uses, uint32_t block) {
    uint32_t low = 0, high = uses->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (uses->list[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low < uses->count && uses->list[low].block == block ? low : uses->count;
}

/* From use `at` on in its block; true: nothing stores there, what was stored before goes on to the next blocks. */
static bool reach_in_block(const struct uses *uses, uint32_t at, uint32_t block, uint32_t from) {
    for (; at < uses->count && uses->list[at].block == block; at++) {
        if (uses->list[at].store) return false;
        flow(from, uses->list[at].statement, uses->list[at].aims);
    }
    return true;
}

static void reach_from(struct rm *rm, const struct uses *uses, uint32_t store) {
    const struct use *from = &uses->list[store];
    uint32_t queued = 0, block = from->block;
    within.stamp++;
    bool on = reach_in_block(uses, store + 1, block, from->statement);
    for (;;) {
        LLVMValueRef last = on ? LLVMGetBasicBlockTerminator(rm->blocks[block].block) : NULL;
        for (unsigned i = 0; last && i < LLVMGetNumSuccessors(last); i++) {
            uint32_t next = rm_map_get(&rm->blocks_of, key(LLVMGetSuccessor(last, i)), 0);
            if (within.stamps[next] == within.stamp) continue;
            within.stamps[next] = within.stamp;
            within.queue[queued++] = next;
        }
        if (!queued) return;
        block = within.queue[--queued];
        on = reach_in_block(uses, first_in(uses, block), block, from->statement);
    }
}

static void connect_local(struct rm *rm, LLVMValueRef local) {
    struct uses uses = {.simple = true};
    find_uses(&uses, rm, local, 0);
    if (uses.count) qsort(uses.list, uses.count, sizeof *uses.list, in_order);
    for (uint32_t i = 0; i < uses.count; i++) {
        if (!uses.list[i].store) continue;
        if (uses.simple) {
            reach_from(rm, &uses, i);
            continue;
        }
        for (uint32_t k = 0; k < uses.count; k++)
            if (!uses.list[k].store) flow(uses.list[i].statement, uses.list[k].statement, uses.list[k].aims);
    }
    free(uses.list);
}

/* --- functions --- */

static void connect_instruction(LLVMValueRef function, LLVMValueRef instruction) {
    uint32_t statement = statement_of(instruction);
    if (statement == RM_NONE) return;
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
        bool aim = aims(operand, instruction, statement, 0);
        if (LLVMIsAArgument(operand)) rm_list_add(&ends_of(function)->parameters, statement);
        if (LLVMIsAArgument(operand) && aim) rm_list_add(&ends_of(function)->aimed, statement);
        if (LLVMIsAInstruction(operand) && !LLVMIsAAllocaInst(operand))
            flow(statement_of(operand), statement, aim);
    }
    if (LLVMIsAReturnInst(instruction) && LLVMGetNumOperands(instruction) > 0)
        rm_list_add(&ends_of(function)->results, statement);
    if (rm_is_call(instruction) && LLVMGetFirstUse(instruction))
        *rm_map_at(&all.used, key(instruction), 0) = 1;
}

static void connect_function(struct rm *rm, LLVMValueRef function) {
    uint32_t at = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            *rm_map_at(&within.order, key(i), 0) = at++;
            connect_instruction(function, i);
        }
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsAAllocaInst(i)) connect_local(rm, i);
    free(within.order.entries);
    within.order = (struct rm_map){0};
}

void rm_statements_connect(struct rm *rm) {
    within.stamps = rv_text_alloc(rm->block_count, sizeof *within.stamps);
    within.queue = rv_text_alloc(rm->block_count, sizeof *within.queue);
    for (LLVMValueRef f = LLVMGetFirstFunction(rm->module); f; f = LLVMGetNextFunction(f))
        if (LLVMCountBasicBlocks(f)) connect_function(rm, f);
    free(within.stamps);
    free(within.queue);
}

/* --- writing --- */

void rm_statement_site(LLVMValueRef instruction, uint32_t site) {
    uint32_t statement = statement_of(instruction);
    if (statement == RM_NONE) return;
    rm_list_add(&all.list[statement].sites, site);
    if (value_aims(instruction, statement, 0)) rm_list_add(&all.list[statement].pointers, site);
}

void rm_statement_sync(LLVMValueRef instruction, uint32_t sync) {
    uint32_t statement = statement_of(instruction);
    if (statement != RM_NONE) rm_list_add(&all.list[statement].syncs, sync);
}

static void connect_call(const struct rm_call *call, uint32_t statement, LLVMValueRef callee) {
    const struct ends *ends = ends_of(callee);
    bool given = LLVMGetNumArgOperands(call->instruction) > 0;
    bool used = rm_map_get(&all.used, key(call->instruction), 0) != RM_NONE;
    bool aim = used && value_aims(call->instruction, statement, 0);
    for (uint32_t i = 0; i < ends->parameters.count && given; i++)
        flow(statement, ends->parameters.items[i], false);
    for (uint32_t i = 0; i < ends->aimed.count && given; i++) flow(statement, ends->aimed.items[i], true);
    for (uint32_t i = 0; i < ends->results.count && used; i++) flow(ends->results.items[i], statement, aim);
}

static void write_invokes(struct rm *rm, FILE *output) {
    uint32_t callee;
    for (uint32_t i = 0; i < rm->call_count; i++) {
        const struct rm_call *call = &rm->calls[i];
        uint32_t statement = statement_of(call->instruction);
        if (statement == RM_NONE) continue;
        RM_EACH(callee, &call->callees) {
            const struct rm_function *function = &rm->functions[callee];
            if (!function->defined) continue;
            connect_call(call, statement, function->value);
            fprintf(output, "invoke\t%u\t%u\t%s\n", statement, function->number,
                    call->kind == RM_THREAD ? "start" : "call");
        }
    }
}

static void put_list(FILE *output, const struct rm_list *list) {
    for (uint32_t i = 0; i < list->count; i++) fprintf(output, "%s%u", i ? "," : "", list->items[i]);
    if (!list->count) fputc('-', output);
}

static void write_initials(struct rm *rm, FILE *output) {
    for (LLVMValueRef g = LLVMGetFirstGlobal(rm->module); g; g = LLVMGetNextGlobal(g)) {
        const char *name = NULL;
        if (!LLVMGetInitializer(g) || LLVMGetLinkage(g) == LLVMPrivateLinkage) continue;
        if (!rm_debug_of_global(g, &name) || !name) name = LLVMGetValueName(g);
        if (!*name || strpbrk(name, "\t\n\\")) continue;
        fprintf(output, "initial\t%s\t%016llx\n", name, (unsigned long long)rm_hash_initial(g));
    }
}

void rm_write_statements(struct rm *rm, FILE *output) {
    write_invokes(rm, output);
    for (uint32_t i = 0; i < all.count; i++) {
        const struct statement *statement = &all.list[i];
        fprintf(output, "statement\t%u\t%u\t%016llx\t%u\t", i, statement->block,
                (unsigned long long)statement->hash, statement->line);
        put_list(output, &statement->sites);
        fputc('\t', output);
        put_list(output, &statement->syncs);
        fputc('\t', output);
        put_list(output, &statement->flows);
        fputc('\t', output);
        put_list(output, &statement->aims);
        fputc('\t', output);
        put_list(output, &statement->pointers);
        fprintf(output, "\t%016llx\t", (unsigned long long)statement->loose);
        put_list(output, &statement->locals);
        fputc('\n', output);
    }
    write_initials(rm, output);
    if (rm->missing) fputs("unsure\t" RV_MODEL_PARTLY "\n", output);
}
