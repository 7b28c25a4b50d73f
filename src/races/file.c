#include "races/file.h"

#include <stdlib.h>

#include "report/text.h"
#include "report/trace_file.h"
#include "supervisor/util.h"

static void add_note(struct rv_finds *finds, char *text) {
    finds->notes = rv_text_realloc(finds->notes, finds->note_count + 1, sizeof *finds->notes);
    finds->notes[finds->note_count++] = text;
}

static void look(struct rv_finder *finder, struct rv_finds *finds, const struct rv_trace_reader *reader,
                 const struct rv_trace_execution *execution) {
    unsigned module_count;
    const struct rv_module *modules = rv_trace_reader_modules(reader, &module_count);
    struct rv_trace trace = rv_trace_copy(modules, module_count, execution->records, execution->record_count,
                                          execution->nodes, execution->node_count, execution->no_room);
    rv_finder_look(finder, &trace, finds);
    rv_trace_free(&trace);
}

static bool look_at_all(struct rv_finds *finds, struct rv_finder *finder, struct rv_trace_reader *reader,
                        const char *path, char **error) {
    struct rv_trace_execution execution;
    enum rv_trace_next next;
    uint64_t number = 0;
    size_t records = 0;
    while ((next = rv_trace_next(reader, &execution, error)) == RV_TRACE_EXECUTION) {
        number = execution.number;
        records = execution.record_count;
        look(finder, finds, reader, &execution);
        rv_trace_execution_free(&execution);
    }
    if (next == RV_TRACE_END && rv_trace_reader_cut(reader)) {
        char steps[32];
        add_note(finds, rv_text_format(
                            "%s ends in the middle of execution %llu, after %s steps: analysed up to there",
                            path, (unsigned long long)number, rv_grouped(records, steps)));
    }
    return next == RV_TRACE_END;
}

bool rv_find_in_file(struct rv_finds *finds, const char *path, char **error) {
    struct rv_trace_reader *reader = rv_trace_open(path, error);
    struct rv_find_options options = rv_find_defaults;
    options.directory = ".";
    struct rv_finder *finder = reader ? rv_finder_open(&options, error) : NULL;
    bool good = finder && look_at_all(finds, finder, reader, path, error);
    rv_finder_close(finder);
    rv_trace_reader_free(reader);
    return good;
}
