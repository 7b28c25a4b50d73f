/* The model as text; model/model.h has the format. */
#include "model/model.h"
#include "modeller/modeller.h"

struct writer {
    struct rm *rm;
    FILE *output;
    struct rm_map files, names, function_numbers;
    uint32_t file_count, function_count, variable_count, site_count, sync_count;
};

static uint64_t key(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

static void put_text(FILE *output, const char *text) {
    for (; *text; text++) {
        if (*text == '\t')
            fputs("\\t", output);
        else if (*text == '\n')
            fputs("\\n", output);
        else if (*text == '\\')
            fputs("\\\\", output);
        else
            fputc(*text, output);
    }
}

static uint64_t hash_of(const char *text, uint64_t *second) {
    uint64_t hash = 14695981039346656037u;
    *second = 7;
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
        *second = *second * 31 + (unsigned char)*text;
    }
    return hash | 1;
}

/* The file's number; a new one gets its record at once. */
static uint32_t file_number(struct writer *writer, const char *path) {
    uint64_t second, first = hash_of(path, &second);
    uint32_t *slot = rm_map_at(&writer->files, first, second);
    if (*slot == RM_NONE) {
        *slot = writer->file_count++;
        fprintf(writer->output, "file\t%u\t", *slot);
        put_text(writer->output, path);
        fputc('\n', writer->output);
    }
    return *slot;
}

struct place {
    char file[16];
    uint32_t line, column;
};

static struct place place_of(struct writer *writer, LLVMValueRef value) {
    struct place place = {.file = "-"};
    char *path = rm_debug_place(value, &place.line, &place.column);
    if (path) snprintf(place.file, sizeof place.file, "%u", file_number(writer, path));
    free(path);
    return place;
}

static void put_list(FILE *output, const struct rm_bits *set) {
    const char *comma = "";
    uint32_t item;
    RM_EACH(item, set) {
        fprintf(output, "%s%u", comma, item);
        comma = ",";
    }
    if (!*comma) fputc('-', output);
}

static void write_functions(struct writer *writer) {
    struct rm *rm = writer->rm;
    for (uint32_t i = 0; i < rm->function_count; i++) {
        struct rm_function *function = &rm->functions[i];
        if (!function->defined) continue;
        struct place place = place_of(writer, function->value);
        char *name = rm_function_name(function->value);
        function->number = writer->function_count++;
        fprintf(writer->output, "function\t%u\t", function->number);
        put_text(writer->output, name);
        fprintf(writer->output, "\t%s\t%u\t", place.file, place.line);
        put_list(writer->output, &function->threads);
        fputc('\n', writer->output);
        free(name);
    }
    if (rm->main_function == RM_NONE)
        fprintf(writer->output, "function\t%u\tany caller\t-\t0\t0\n", writer->function_count);
}

static void write_threads_and_calls(struct writer *writer) {
    struct rm *rm = writer->rm;
    uint32_t callee;
    for (uint32_t i = 0; i < rm->thread_count; i++)
        fprintf(writer->output, "thread\t%u\t%u\t%d\n", i,
                rm->threads[i].function == RM_NONE ? writer->function_count
                                                   : rm->functions[rm->threads[i].function].number,
                rm->threads[i].many);
    for (uint32_t i = 0; i < rm->call_count; i++) {
        const struct rm_call *call = &rm->calls[i];
        if (call->kind != RM_CALL) continue;
        RM_EACH(callee, &call->callees) {
            if (!rm->functions[callee].defined) continue;
            struct place place = place_of(writer, call->instruction);
            fprintf(writer->output, "call\t%u\t%u\t%s\t%u\t%u\n", rm->functions[call->caller].number,
                    rm->functions[callee].number, place.file, place.line, place.column);
        }
    }
}

static bool has_edges(LLVMValueRef last) { return last && LLVMGetNumSuccessors(last) > 0; }

static void write_successors(struct writer *writer, LLVMBasicBlockRef block) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    FILE *output = writer->output;
    if (last && LLVMIsAUnreachableInst(last)) /* it does not return: no way out of the function */
        fprintf(output, ":%u", rm_map_get(&writer->rm->blocks_of, key(block), 0));
    else if (!has_edges(last))
        fputc('-', output);
    for (unsigned i = 0; last && i < LLVMGetNumSuccessors(last); i++) {
        if (i) fputc(',', output);
        if (LLVMIsASwitchInst(last) && i > 0) {
            LLVMValueRef value = LLVMGetOperand(last, i * 2);
            fprintf(output, "%lld",
                    LLVMIsAConstantInt(value) ? (long long)LLVMConstIntGetSExtValue(value) : 0);
        } else if (!LLVMIsASwitchInst(last) && LLVMGetNumSuccessors(last) > 1)
            fprintf(output, "%u", LLVMGetNumSuccessors(last) - 1 - i);
        fprintf(output, ":%u", rm_map_get(&writer->rm->blocks_of, key(LLVMGetSuccessor(last, i)), 0));
    }
}

static void write_blocks(struct writer *writer) {
    struct rm *rm = writer->rm;
    for (uint32_t i = 0; i < rm->block_count; i++) {
        const struct rm_block *block = &rm->blocks[i];
        uint32_t function = rm_map_get(&rm->functions_of, key(LLVMGetBasicBlockParent(block->block)), 0);
        fprintf(writer->output, "block\t%u\t%u\t%016llx\t", i, rm->functions[function].number,
                (unsigned long long)block->hash);
        for (uint32_t k = 0; k < block->line_count; k++)
            fprintf(writer->output, "%s%u", k ? "," : "", block->lines[k]);
        fputs(block->line_count ? "\t" : "-\t", writer->output);
        write_successors(writer, block->block);
        fputc('\n', writer->output);
    }
}

/* A variable gets its number and its record when it is first spoken of. */
static uint32_t variable_number(struct writer *writer, uint32_t index) {
    struct rm_variable *variable = &writer->rm->variables[index];
    if (variable->number != RM_NONE) return variable->number;
    variable->number = writer->variable_count++;
    char *name = rm_variable_name(writer->rm, variable);
    uint64_t second, first = hash_of(name, &second);
    uint32_t *same = rm_map_at(&writer->names, first, second);
    *same = *same == RM_NONE ? 1 : *same + 1;
    fprintf(writer->output, "variable\t%u\t", variable->number);
    put_text(writer->output, name);
    if (variable->others)
        fprintf(writer->output, " and %u other%s", variable->others, variable->others == 1 ? "" : "s");
    if (*same > 1) fprintf(writer->output, " (%u)", *same);
    fprintf(writer->output, "\t%d\n", variable->shared);
    free(name);
    return variable->number;
}

/* The variables at these locations, as numbers. */
static struct rm_bits numbers_at(struct writer *writer, const struct rm_bits *locations) {
    struct rm_bits numbers = {0};
    uint32_t location;
    RM_EACH(location, locations) {
        if (writer->rm->objects[writer->rm->nodes[location].object].kind == RM_FUNCTION) continue;
        uint32_t variable = rm_variable_at(writer->rm, location);
        if (variable != RM_NONE) rm_bits_add(&numbers, variable_number(writer, variable));
    }
    return numbers;
}

static uint32_t block_number(struct writer *writer, LLVMValueRef instruction) {
    return rm_map_get(&writer->rm->blocks_of, key(LLVMGetInstructionParent(instruction)), 0);
}

static void write_sites(struct writer *writer) {
    struct rm *rm = writer->rm;
    struct rm_bits held = {0}, places = {0};
    for (uint32_t i = 0; i < rm->use_count; i++) {
        struct rm_access *access = &rm->uses[i];
        uint32_t variable;
        char kind[8];
        if (!access->variables.count) continue;
        struct place place = place_of(writer, access->instruction);
        rm_locks_at(rm, access->instruction, access->function, &held);
        RM_EACH(variable, &access->variables) (void)variable_number(writer, variable);
        RM_EACH(variable, &access->variables) {
            rm_statement_site(access->instruction, writer->site_count);
            rm_locks_of(rm, &held, access, &rm->variables[variable], &places);
            struct rm_bits locks = numbers_at(writer, &places);
            fprintf(writer->output, "site\t%u\t%u\t%u\t%s\t%u\t%u\t%s\t%llu\t", writer->site_count++,
                    rm->variables[variable].number, rm->functions[access->function].number, place.file,
                    place.line, place.column, rv_model_kind_text(access->kind, kind),
                    (unsigned long long)access->size);
            put_list(writer->output, &locks);
            fprintf(writer->output, "\t%u\n", block_number(writer, access->instruction));
            rm_bits_free(&locks);
        }
    }
    rm_bits_free(&held);
    rm_bits_free(&places);
}

static void write_syncs(struct writer *writer) {
    struct rm *rm = writer->rm;
    for (uint32_t i = 0; i < rm->call_count; i++) {
        const struct rm_call *call = &rm->calls[i];
        LLVMValueRef callee = rm_callee(call->instruction);
        int object = -1;
        if (call->kind != RM_CALL || !LLVMIsAFunction(callee) || LLVMCountBasicBlocks(callee)) continue;
        const char *word = rm_foreign_sync(LLVMGetValueName(callee), &object);
        if (!word) continue;
        struct rm_bits locks = {0};
        if (object >= 0 && (unsigned)object < LLVMGetNumArgOperands(call->instruction))
            locks = numbers_at(
                writer, rm_points(rm, rm_value(rm, LLVMGetOperand(call->instruction, (unsigned)object))));
        struct place place = place_of(writer, call->instruction);
        rm_statement_sync(call->instruction, writer->sync_count);
        fprintf(writer->output, "sync\t%u\t%u\t%s\t%u\t%u\t%s\t", writer->sync_count++,
                rm->functions[call->caller].number, place.file, place.line, place.column, word);
        put_list(writer->output, &locks);
        fprintf(writer->output, "\t%u\n", block_number(writer, call->instruction));
        rm_bits_free(&locks);
    }
}

void rm_write(struct rm *rm, FILE *output) {
    struct writer writer = {.rm = rm, .output = output};
    fputs(RV_MODEL_HEADER "\n", output);
    write_functions(&writer);
    write_threads_and_calls(&writer);
    write_blocks(&writer);
    write_sites(&writer);
    write_syncs(&writer);
    rm_write_statements(rm, output);
    for (uint32_t i = 0; i < rm->unsure_count; i++) {
        fputs("unsure\t", output);
        put_text(output, rm->unsure[i]);
        fputc('\n', output);
    }
}
