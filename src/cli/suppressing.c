#include "cli/suppressing.h"

#include <stdlib.h>

#include "report/text.h"

struct rv_suppressions *rv_suppressing_open(const struct rv_command *command, const char *path) {
    struct rv_suppressions *list = rv_suppressions_new();
    char *error = NULL;
    if (!path || rv_suppressions_read(list, path, &error)) return list;
    (void)rv_usage_error(command, "%s", error);
    free(error);
    rv_suppressions_free(list);
    return NULL;
}

void rv_suppressing_note(const struct rv_suppressions *list, struct rv_notes *notes) {
    const struct rv_suppression *unused;
    size_t cursor = 0;
    while ((unused = rv_suppressions_unused(list, &cursor)))
        rv_notes_add(notes, rv_text_format("%s:%u: %s:%s matched nothing", unused->file, unused->line,
                                           rv_suppression_names[unused->type], unused->pattern));
}
