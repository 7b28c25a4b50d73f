#include <stdlib.h>

#include "regress/match_private.h"
#include "report/text.h"

enum { TABLE_MAX = 1 << 24 /* cells; beyond, the first that fits is taken */ };

struct rows {
    struct rv_match *match;
    const uint32_t *old, *new;
    uint32_t old_count, new_count;
};

static bool same(const struct rows *rows, uint32_t i, uint32_t k) {
    return rv_do_the_same(rows->match, rows->old[i], rows->new[k]);
}

static void pair(struct rows *rows, uint32_t i, uint32_t k) {
    rows->match->statement_to[rows->old[i]] = rows->new[k];
    rows->match->statement_of[rows->new[k]] = rows->old[i];
}

static void by_table(struct rows *rows) {
    uint32_t width = rows->new_count + 1;
    uint32_t *best = rv_text_alloc((size_t)(rows->old_count + 1) * width, sizeof *best);
    for (uint32_t i = rows->old_count; i-- > 0;) {
        for (uint32_t k = rows->new_count; k-- > 0;) {
            uint32_t down = best[(size_t)(i + 1) * width + k], right = best[(size_t)i * width + k + 1];
            best[(size_t)i * width + k] = same(rows, i, k) ? best[(size_t)(i + 1) * width + k + 1] + 1
                                          : down > right   ? down
                                                           : right;
        }
    }
    for (uint32_t i = 0, k = 0; i < rows->old_count && k < rows->new_count;) {
        if (same(rows, i, k))
            pair(rows, i++, k++);
        else if (best[(size_t)(i + 1) * width + k] >= best[(size_t)i * width + k + 1])
            i++;
        else
            k++;
    }
    free(best);
}

static void greedily(struct rows *rows) {
    uint32_t from = 0;
    for (uint32_t i = 0; i < rows->old_count; i++) {
        for (uint32_t k = from; k < rows->new_count; k++) {
            if (!same(rows, i, k)) continue;
            pair(rows, i, k);
            from = k + 1;
            break;
        }
    }
}

static uint32_t unmatched(const uint32_t *from, uint32_t count, const uint32_t *matched, uint32_t *to) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (matched[from[i]] == RV_NONE) to[kept++] = from[i];
    return kept;
}

void rv_match_in_order(struct rv_match *match, const uint32_t *old, uint32_t old_count, const uint32_t *new,
                       uint32_t new_count) {
    uint32_t *olds = rv_text_alloc(old_count, sizeof *olds), *news = rv_text_alloc(new_count, sizeof *news);
    struct rows rows = {.match = match, .old = olds, .new = news};
    rows.old_count = unmatched(old, old_count, match->statement_to, olds);
    rows.new_count = unmatched(new, new_count, match->statement_of, news);
    while (rows.old_count && rows.new_count && same(&rows, 0, 0)) {
        pair(&rows, 0, 0);
        rows.old++, rows.new ++, rows.old_count--, rows.new_count--;
    }
    while (rows.old_count && rows.new_count && same(&rows, rows.old_count - 1, rows.new_count - 1)) {
        pair(&rows, rows.old_count - 1, rows.new_count - 1);
        rows.old_count--, rows.new_count--;
    }
    if ((uint64_t)rows.old_count * rows.new_count > TABLE_MAX)
        greedily(&rows);
    else
        by_table(&rows);
    free(olds);
    free(news);
}
