/* libFuzzer target for the reader of traces: what is accepted is bounded as promised, is written without complaint, and comes
 * back the same; and what was cut off anywhere gives a part of it. */
#include <stdlib.h>
#include <string.h>

#include "report/text.h"
#include "report/trace_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct rv_trace_execution *execution) {
    for (size_t i = 1; i < execution->node_count; i++)
        if (execution->nodes[i].parent >= i) abort();
    for (size_t i = 0; i < execution->record_count; i++) {
        const struct rv_record *record = &execution->records[i];
        if (record->step.kind >= RV_STEP_KINDS || record->step.thread >= RV_TRACE_FILE_THREADS) abort();
        if (record->stack >= execution->node_count || record->step.size > RV_TRACE_MEMORY) abort();
    }
}

/* The text once more, as the writer writes what was read of it; NULL: it is damaged. */
static char *rewritten(const char *text, size_t text_size, size_t *size, size_t *steps, bool *cut) {
    char *error = NULL;
    unsigned count;
    struct rv_trace_execution execution;
    struct rv_trace_writer *writer = NULL;
    enum rv_trace_next next = RV_TRACE_DAMAGED;
    struct rv_trace_reader *reader = rv_trace_open_text(text, text_size, "fuzz", &error);
    if (reader) writer = rv_trace_create_text(rv_trace_reader_program(reader));
    *steps = 0;
    while (reader && (next = rv_trace_next(reader, &execution, &error)) == RV_TRACE_EXECUTION) {
        const struct rv_module *modules = rv_trace_reader_modules(reader, &count);
        check(&execution);
        if (!rv_trace_modules(writer, modules, count, &error)) abort();
        if (!rv_trace_execution(writer, &execution, &error)) abort();
        *steps += execution.record_count;
        rv_trace_execution_free(&execution);
    }
    if ((next == RV_TRACE_DAMAGED) != (error != NULL)) abort();
    free(error);
    *cut = next == RV_TRACE_END && rv_trace_reader_cut(reader);
    rv_trace_reader_free(reader);
    if (next == RV_TRACE_END) return rv_trace_close_text(writer, size);
    rv_trace_discard(writer);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t once_size, twice_size, part_size, steps, steps_twice, steps_part;
    bool cut;
    char *once = rewritten((const char *)data, size, &once_size, &steps, &cut);
    if (!once) return 0;
    char *twice = rewritten(once, once_size, &twice_size, &steps_twice, &cut);
    if (!twice || cut || steps != steps_twice) abort();
    if (once_size != twice_size || memcmp(once, twice, once_size) != 0) abort();
    char *part = rewritten(once, size % once_size, &part_size, &steps_part, &cut);
    if (part && (!cut || steps_part > steps)) abort();
    free(part);
    free(twice);
    free(once);
    return 0;
}
