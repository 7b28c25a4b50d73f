#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool words_split(words *out, const char *line) {
    size_t length = strlen(line);
    out->count = 0;
    if (length >= sizeof out->line) return false;
    memcpy(out->line, line, length + 1);
    for (char *at = out->line; *at;) {
        while (*at == ' ') at++;
        if (!*at) break;
        if (out->count == TEXT_WORDS) return false;
        out->word[out->count++] = at;
        while (*at && *at != ' ') at++;
        if (*at) *at++ = '\0';
    }
    return true;
}

void reply_set(reply *out, const char *text) {
    out->length = 0;
    out->text[0] = '\0';
    reply_add(out, text);
}

void reply_add(reply *out, const char *text) {
    size_t length = strlen(text), room = sizeof out->text - 1 - out->length;
    if (length > room) length = room;
    memcpy(out->text + out->length, text, length);
    out->length += length;
    out->text[out->length] = '\0';
}

void reply_number(reply *out, long number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%ld", number);
    reply_add(out, digits);
}

void reply_error(reply *out, const char *what, const char *about) {
    reply_set(out, "-ERR ");
    reply_add(out, what);
    if (about) {
        reply_add(out, ": ");
        reply_add(out, about);
    }
}

bool text_number(const char *text, long *number) {
    char *end = NULL;
    if (!*text || isspace((unsigned char)*text)) return false;
    errno = 0;
    long parsed = strtol(text, &end, 10);
    if (errno != 0 || *end) return false;
    *number = parsed;
    return true;
}

unsigned text_hash(const char *text) {
    unsigned hash = 5381;
    while (*text) hash = hash * 33 + (unsigned char)*text++;
    return hash;
}

bool text_matches(const char *pattern, const char *text) {
    const char *star = NULL, *retry = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            retry = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

bool text_same_word(const char *one, const char *other) {
    while (*one && tolower((unsigned char)*one) == tolower((unsigned char)*other)) {
        one++;
        other++;
    }
    return tolower((unsigned char)*one) == tolower((unsigned char)*other);
}
