#include "base/suggest.h"

#include <string.h>

enum { LONGEST = 64 }; /* no name of an option, command or event comes near; longer words are never close */

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

static bool same(char a, char b) { return lower(a) == lower(b); }

static bool begins(const char *word, const char *prefix) {
    while (*prefix && same(*word, *prefix)) word++, prefix++;
    return *prefix == 0;
}

static size_t smallest(size_t a, size_t b) { return a < b ? a : b; }

/* Optimal string alignment distance: three rows of the usual table, the third for swapped neighbours. */
static size_t edit_distance(const char *a, size_t a_size, const char *b, size_t b_size) {
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *previous = rows[1], *current = rows[2];
    for (size_t j = 0; j <= b_size; j++) previous[j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        current[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t cost = same(a[i - 1], b[j - 1]) ? 0 : 1;
            size_t best = smallest(smallest(previous[j] + 1, current[j - 1] + 1), previous[j - 1] + cost);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                best = smallest(best, before[j - 2] + 1);
            current[j] = best;
        }
        size_t *oldest = before;
        before = previous;
        previous = current;
        current = oldest;
    }
    return previous[b_size];
}

void rv_suggest_offer(struct rv_suggestion *suggestion, const char *word) {
    size_t typed_size = strlen(suggestion->typed), word_size = strlen(word);
    if (typed_size == 0 || typed_size > LONGEST || word_size > LONGEST) return;
    size_t distance = edit_distance(suggestion->typed, typed_size, word, word_size);
    size_t allowed = word_size / 3 > 1 ? word_size / 3 : 1;
    if (typed_size >= 2 && begins(word, suggestion->typed)) distance = smallest(distance, allowed);
    if (distance > allowed || distance >= word_size) return;
    if (!suggestion->best || distance < suggestion->distance) {
        suggestion->best = word;
        suggestion->distance = distance;
    }
}
