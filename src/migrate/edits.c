#include "migrate/edits.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

void rv_edit_add(struct rv_edits *edits, size_t at, size_t remove, char *text) {
    edits->items = rv_text_realloc(edits->items, edits->count + 1, sizeof *edits->items);
    size_t i = edits->count++;
    for (; i > 0 && edits->items[i - 1].at > at; i--) edits->items[i] = edits->items[i - 1];
    edits->items[i] = (struct rv_edit){.at = at, .remove = remove, .text = text};
}

char *rv_edits_apply(struct rv_edits *edits, const char *text, size_t size) {
    struct rv_text result = {0};
    size_t done = 0;
    for (size_t i = 0; i < edits->count; i++) {
        const struct rv_edit *edit = &edits->items[i];
        if (edit->at > done) {
            rv_text_add_n(&result, text + done, edit->at - done);
            done = edit->at;
        }
        rv_text_add(&result, edit->text);
        if (edit->at + edit->remove > done) done = edit->at + edit->remove;
    }
    rv_text_add_n(&result, text + done, size - done);
    return rv_text_take(&result);
}

void rv_edits_free(struct rv_edits *edits) {
    for (size_t i = 0; i < edits->count; i++) free(edits->items[i].text);
    free(edits->items);
    *edits = (struct rv_edits){0};
}
