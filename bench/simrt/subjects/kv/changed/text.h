/* Texts of requests and replies. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { TEXT_WORDS = 8, TEXT_LINE = 120 };

/* A line cut into words. */
typedef struct words {
    int count;
    char *word[TEXT_WORDS];
    char line[TEXT_LINE];
} words;

/* False if there are too many words, or the line is too long. */
bool words_split(words *words_, const char *line);

/* A reply that is put together; what does not fit is left out. */
typedef struct reply {
    size_t length;
    char text[TEXT_LINE];
} reply;

void reply_set(reply *out, const char *text);
void reply_add(reply *out, const char *text);
void reply_number(reply *out, long number);
void reply_error(reply *out, const char *what, const char *about);

/* The whole of text is a number. */
bool text_number(const char *text, long *number);
unsigned text_hash(const char *text);
/* With * for any characters, and ? for one. */
bool text_matches(const char *pattern, const char *text);
bool text_same_word(const char *one, const char *other); /* A and a are the same */

#endif
