/* Is what happens in what static analysis sees? sites MODEL TRACE
 *
 * Every access in the recorded executions (ravel races --record) that is shared, two threads touching a byte of it in one life
 * of that memory and one of them writing, must have a site in the model at the same file and line and of the same kind, of a variable
 * that is shared there. Prints those that have none; exit 1 then, 2 if an input is bad, 3 if nothing was shared at all.
 *
 * Left out: what a thread does on its own stack, where bytes are used again for something else and nobody says so, and code without
 * line numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "report/symbolise.h"
#include "report/trace_file.h"

enum { TABLE = 1 << 18, BYTES_MAX = 4096, THREADS = 64 };

struct byte {
    uint64_t address;
    uint32_t thread; /* + 1 of the first; 0: nobody yet */
    bool many, written;
};

struct place {
    uint64_t site;
    bool writes, checked, good;
};

struct check {
    const struct rv_model *model;
    struct rv_symboliser *symbols;
    struct byte *bytes;
    uint64_t stack[THREADS], stack_size[THREADS];
    struct place *places;
    unsigned shared, near, missing;
    uint64_t runtime_start, runtime_end; /* libravel's own memory */
};

static struct byte *byte_at(struct check *check, uint64_t address) {
    uint64_t at = address * UINT64_C(0x9e3779b97f4a7c15) >> 46;
    for (unsigned i = 0; i < TABLE; i++, at = (at + 1) % TABLE)
        if (check->bytes[at].address == address || !check->bytes[at].address) {
            check->bytes[at].address = address;
            return &check->bytes[at];
        }
    fprintf(stderr, "sites: an execution touches too much memory\n");
    exit(2);
}

static void forget(struct check *check, uint64_t address, uint64_t size) {
    for (unsigned i = 0; i < TABLE; i++)
        if (check->bytes[i].address - address < size)
            check->bytes[i].thread = 0, check->bytes[i].many = check->bytes[i].written = false;
}

static uint64_t bytes_of(const struct rv_step *step) {
    return step->size < BYTES_MAX ? step->size : BYTES_MAX;
}

static void touch(struct check *check, const struct rv_step *step) {
    for (uint64_t i = 0; i < bytes_of(step); i++) {
        struct byte *byte = byte_at(check, step->address + i);
        if (!byte->thread) byte->thread = step->thread + 1;
        byte->many |= byte->thread != step->thread + 1;
        byte->written |= rv_step_writes(step->kind);
    }
}

static bool is_shared(struct check *check, const struct rv_step *step) {
    for (uint64_t i = 0; i < bytes_of(step); i++) {
        struct byte *byte = byte_at(check, step->address + i);
        if (byte->many && byte->written) return true;
    }
    return false;
}

static bool has_site(struct check *check, const struct rv_location *at, bool writes) {
    uint32_t sites[4096];
    size_t count = rv_model_sites_near(check->model, at->file, at->line,
                                       writes ? RV_MODEL_WRITE : RV_MODEL_READ, sites, 4096);
    if (count && !rv_model_sites_at(check->model, at->file, at->line, writes ? RV_MODEL_WRITE : RV_MODEL_READ,
                                    sites, 0))
        check->near++;
    for (size_t i = 0; i < count && i < 4096; i++)
        if (check->model->variables[check->model->sites[sites[i]].variable].shared) return true;
    return false;
}

static struct place *place_of(struct check *check, uint64_t site, bool writes) {
    uint64_t at = (site * 2 + writes) * UINT64_C(0x9e3779b97f4a7c15) >> 52;
    while (check->places[at].checked &&
           (check->places[at].site != site || check->places[at].writes != writes))
        at = (at + 1) % 4096;
    check->places[at].site = site;
    check->places[at].writes = writes;
    return &check->places[at];
}

static void verify(struct check *check, const struct rv_step *step) {
    bool writes = rv_step_writes(step->kind);
    struct place *place = place_of(check, step->site, writes);
    if (place->checked) return;
    place->checked = true;
    struct rv_location at[8] = {0};
    unsigned count = rv_symbolise_code(check->symbols, step->site, true, at, 8);
    place->good = count == 0 || !at[0].line || rv_symbolise_is_system(check->symbols, step->site) ||
                  has_site(check, &at[0], writes);
    if (count && at[0].line) check->shared++;
    if (!place->good) {
        check->missing++;
        printf("%s:%u: %s in %s has no site: %s\n", at[0].file, at[0].line, writes ? "write" : "read",
               at[0].function, at[0].source ? at[0].source : "");
    }
    for (unsigned i = 0; i < count && i < 8; i++) rv_location_free(&at[i]);
}

static bool on_own_stack(const struct check *check, const struct rv_step *step) {
    return step->thread < THREADS &&
           step->address - check->stack[step->thread] < check->stack_size[step->thread];
}

/* What stands for things of the system, such as keys. */
static bool of_runtime(const struct check *check, const struct rv_step *step) {
    return step->address - check->runtime_start < check->runtime_end - check->runtime_start;
}

static void look_at(struct check *check, const struct rv_trace_execution *execution) {
    memset(check->bytes, 0, TABLE * sizeof *check->bytes);
    memset(check->stack_size, 0, sizeof check->stack_size);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < execution->record_count; i++) {
            const struct rv_step *step = &execution->records[i].step;
            if (step->kind == RV_STEP_START && step->thread < THREADS) {
                check->stack[step->thread] = step->address;
                check->stack_size[step->thread] = step->size;
            }
            /* What a block was in an earlier life does not count: in the first pass only what is never freed is kept whole. */
            if (pass == 0 && (step->kind == RV_STEP_ALLOC || step->kind == RV_STEP_START))
                forget(check, step->address, step->size);
            if (step->kind > RV_STEP_ATOMIC_RMW) continue;
            if (pass == 0)
                touch(check, step);
            else if (is_shared(check, step) && !on_own_stack(check, step) && !of_runtime(check, step))
                verify(check, step);
        }
}

int main(int argc, char **argv) {
    char *error = NULL;
    unsigned count;
    if (argc != 3) {
        fprintf(stderr, "usage: sites MODEL TRACE\n");
        return 2;
    }
    struct rv_model *model = rv_model_read_file(argv[1], &error);
    struct rv_trace_reader *reader = model ? rv_trace_open(argv[2], &error) : NULL;
    if (!reader) {
        fprintf(stderr, "%s\n", error);
        return 2;
    }
    struct check check = {.model = model,
                          .bytes = calloc(TABLE, sizeof *check.bytes),
                          .places = calloc(4096, sizeof *check.places)};
    struct rv_trace_execution execution;
    enum rv_trace_next next;
    while ((next = rv_trace_next(reader, &execution, &error)) == RV_TRACE_EXECUTION) {
        const struct rv_module *modules = rv_trace_reader_modules(reader, &count);
        for (unsigned i = 0; i < count; i++)
            if (strstr(modules[i].path, "libravel.so"))
                check.runtime_start = modules[i].start, check.runtime_end = modules[i].end;
        if (!check.symbols) check.symbols = rv_symboliser_open_modules(modules, count, "/");
        look_at(&check, &execution);
        rv_trace_execution_free(&execution);
    }
    if (next == RV_TRACE_DAMAGED) {
        fprintf(stderr, "%s\n", error);
        return 2;
    }
    printf("%u shared accesses, %u with a site some lines off, %u without a site\n", check.shared, check.near,
           check.missing);
    rv_symboliser_close(check.symbols);
    rv_trace_reader_free(reader);
    rv_model_free(model);
    free(check.bytes);
    free(check.places);
    return check.missing ? 1 : check.shared ? 0 : 3;
}
