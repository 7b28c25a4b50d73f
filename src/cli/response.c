#include "cli/response.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 }; /* files that name files; a file that names itself ends here */

void rv_response_split(struct rv_words *list, char *text) {
    char *in = text;
    for (;;) {
        while (isspace((unsigned char)*in)) in++;
        if (*in == '\0') return;
        char *word = in, *out = in, quote = '\0';
        for (; *in != '\0' && (quote || !isspace((unsigned char)*in)); in++) {
            if (*in == '\\' && in[1] != '\0' && quote != '\'')
                *out++ = *++in;
            else if (quote && *in == quote)
                quote = '\0';
            else if (!quote && (*in == '\'' || *in == '"'))
                quote = *in;
            else
                *out++ = *in;
        }
        bool last = *in == '\0';
        if (!last) in++;
        *out = '\0';
        rv_words_add(list, word);
        if (last) return;
    }
}

/* The whole file as text, malloc'ed; NULL if it cannot be read. */
static char *read_file(const char *path) {
    FILE *file = fopen(path, "re");
    if (!file) return NULL;
    char *text = NULL;
    size_t size = 0, used = 0;
    for (;;) {
        if (size - used < 4096) {
            size = size ? size * 2 : 16384;
            char *larger = realloc(text, size);
            if (!larger) break;
            text = larger;
        }
        size_t count = fread(text + used, 1, size - used - 1, file);
        used += count;
        if (count == 0) break;
    }
    bool failed = ferror(file) || !text;
    fclose(file);
    if (failed) {
        free(text);
        return NULL;
    }
    text[used] = '\0';
    return text;
}

static bool expand_word(struct rv_words *list, char *word, int depth) {
    char *text = word[0] == '@' && depth < DEEPEST ? read_file(word + 1) : NULL;
    if (!text) {
        rv_words_add(list, word);
        return false;
    }
    struct rv_words inner = {0};
    rv_response_split(&inner, text);
    for (size_t i = 0; i < inner.count; i++) expand_word(list, inner.words[i], depth + 1);
    free(inner.words);
    return true;
}

bool rv_response_expand(struct rv_words *list, int argc, char **argv) {
    bool any = false;
    for (int i = 1; i < argc; i++) any |= expand_word(list, argv[i], 0);
    return any;
}
