#include "migrate/note.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"
#include "report/whole_file.h"

enum { LIMIT = 16 << 20 };

static void add_word(struct rv_note *note, size_t *count, const char *word) {
    note->arguments = rv_text_realloc(note->arguments, *count + 2, sizeof *note->arguments);
    note->arguments[(*count)++] = rv_text_copy(word);
    note->arguments[*count] = NULL;
}

bool rv_note_read(struct rv_note *note, const char *path) {
    size_t size, count = 0, words = 0;
    char *error = NULL, *data = rv_whole_file(path, LIMIT, "note", &size, &error);
    bool kept = note->arguments != NULL;
    free(error);
    for (char *at = data; data && at < data + size && (*at || words < 2); at += strlen(at) + 1, words++) {
        if (kept) continue;
        if (words == 0)
            note->directory = rv_text_copy(at);
        else if (words == 1)
            note->shown = rv_text_copy(at);
        else
            add_word(note, &count, at);
    }
    free(data);
    return words > 2;
}

/* "gcc -I'a b' -c x.c": words as a shell would have them, as far as quotes and backslashes go. */
static void split(struct rv_note *note, const char *command) {
    size_t count = 0;
    while (*command) {
        struct rv_text word = {0};
        char quote = 0;
        command += strspn(command, " \t\n");
        if (!*command) break;
        for (; *command && (quote || !strchr(" \t\n", *command)); command++) {
            if (quote ? *command == quote : *command == '"' || *command == '\'') {
                quote = quote ? 0 : *command;
                continue;
            }
            if (*command == '\\' && quote != '\'' && command[1]) command++;
            rv_text_add_n(&word, command, 1);
        }
        char *text = rv_text_take(&word);
        add_word(note, &count, text);
        free(text);
    }
}

static bool is_about(const json_t *entry, const char *file) {
    const char *directory = json_string_value(json_object_get(entry, "directory"));
    const char *name = json_string_value(json_object_get(entry, "file"));
    char real[PATH_MAX];
    if (!name) return false;
    char *joined =
        name[0] == '/' || !directory ? rv_text_copy(name) : rv_text_format("%s/%s", directory, name);
    bool same = realpath(joined, real) && strcmp(real, file) == 0;
    free(joined);
    return same;
}

static void take(struct rv_note *note, const json_t *entry) {
    const char *directory = json_string_value(json_object_get(entry, "directory"));
    const char *command = json_string_value(json_object_get(entry, "command"));
    json_t *arguments = json_object_get(entry, "arguments"), *word;
    size_t i, count = 0;
    note->directory = rv_text_copy(directory ? directory : ".");
    note->shown = rv_text_copy(json_string_value(json_object_get(entry, "file")));
    json_array_foreach(arguments, i, word)
        add_word(note, &count, json_string_value(word) ? json_string_value(word) : "");
    if (!count && command) split(note, command);
}

bool rv_note_from_database(struct rv_note *note, const char *path, const char *file, char **message) {
    json_error_t error;
    json_t *all = json_load_file(path, 0, &error), *entry;
    size_t i;
    if (!json_is_array(all))
        *message = rv_text_format("--compile-commands: %s: %s", path, all ? "expected an array" : error.text);
    json_array_foreach(all, i, entry) if (!note->arguments && is_about(entry, file)) take(note, entry);
    json_decref(all);
    if (!note->arguments && !*message)
        *message = rv_text_format("--compile-commands: %s has no entry for %s", path, file);
    return note->arguments != NULL;
}

void rv_note_free(struct rv_note *note) {
    for (size_t i = 0; note->arguments && note->arguments[i]; i++) free(note->arguments[i]);
    free(note->arguments);
    free(note->directory);
    free(note->shown);
}
