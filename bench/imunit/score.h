/* How well what `ravel migrate --json` inferred for one file agrees with its answer key. */
#ifndef SCORE_H
#define SCORE_H

#include <jansson.h>
#include <stdio.h>

#include "key.h"

struct hits {
    unsigned right, wrong, missed;
};

struct score {
    struct hits events, orderings;
    unsigned tests, absent; /* tests of the key; those that migrate says nothing about, or has left out */
    unsigned exact;         /* tests with all orderings right and none wrong */
    unsigned removed, kept; /* sleeps rightly */
    unsigned lost, left;    /* removed though they should stay; left though they should go */
    unsigned polling;       /* polling loops named */
};

/* Events and orderings below the confidence do not count as inferred. Differences are explained on `log`, which may be NULL. */
void score_file(struct score *score, const struct key *key, const json_t *result, double confidence,
                FILE *log);
void score_add(struct score *sum, const struct score *part);
/* 1 where there was nothing to find, or to say. */
double hits_precision(const struct hits *hits);
double hits_recall(const struct hits *hits);

#endif
