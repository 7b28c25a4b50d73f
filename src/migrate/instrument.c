/* The test file with calls into libravel before each statement of the functions that are followed. Line numbers stay: everything is
 * put into the lines that are there. A statement is announced; that it is over shows by the next one of its function, or by the
 * end of the function. */
#include <stdlib.h>
#include <string.h>

#include "migrate/edits.h"
#include "migrate/source.h"
#include "report/text.h"

static void add_entry(struct rv_edits *edits, const struct rv_source *source, uint32_t index) {
    const struct rv_function *function = &source->functions[index];
    struct rv_text text = {0};
    if (function->is_test) {
        if (function->is_void || function->result)
            rv_text_addf(&text, " if (ravel_migrate_test(%u)) return %s;", index,
                         function->is_void ? "" : function->result);
        else
            rv_text_addf(&text, " (void)ravel_migrate_test(%u);", index);
        rv_text_addf(&text, " int ravel_migrate_t __attribute__((cleanup(ravel_migrate_end), unused)) = %u;",
                     index);
    }
    rv_text_addf(&text,
                 " int ravel_migrate_f __attribute__((cleanup(ravel_migrate_leave), unused)) = "
                 "ravel_migrate_enter(%u);",
                 index);
    rv_edit_add(edits, function->open + 1, 0, rv_text_take(&text));
}

static void add_step(struct rv_edits *edits, const struct rv_place *place, uint32_t index) {
    if (place->declaration) {
        rv_edit_add(edits, place->begin, 0,
                    rv_text_format("int ravel_migrate_%u __attribute__((unused)) = ravel_migrate_step(%u); ",
                                   index, index));
        return;
    }
    rv_edit_add(edits, place->begin, 0,
                rv_text_format("%sravel_migrate_step(%u); ", place->bare ? "{ " : "", index));
    if (place->bare) rv_edit_add(edits, place->end, 0, rv_text_copy(" }"));
}

char *rv_source_instrument(const struct rv_source *source, const char *shown) {
    struct rv_edits edits = {0};
    struct rv_text line = {0};
    rv_text_add(
        &line,
        "int ravel_migrate_step(int); int ravel_migrate_enter(int); void ravel_migrate_leave(const int *); "
        "int ravel_migrate_test(int); void ravel_migrate_end(const int *);\n#line 1 ");
    rv_text_add_quoted(&line, shown, strlen(shown));
    rv_text_add(&line, "\n");
    rv_edit_add(&edits, 0, 0, rv_text_take(&line));
    for (uint32_t i = 0; i < source->function_count; i++)
        if (source->functions[i].followed) add_entry(&edits, source, i);
    for (uint32_t i = 0; i < source->place_count; i++)
        if (source->functions[source->places[i].function].followed) add_step(&edits, &source->places[i], i);
    char *text = rv_edits_apply(&edits, source->text, source->size);
    rv_edits_free(&edits);
    return text;
}
