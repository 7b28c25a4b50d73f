/*
 * How early an order of tests finds races (average percentage of faults detected):
 *
 *     APFD = 1 - (TR1 + .. + TRm) / (n m) + 1 / (2n)
 *
 * n tests, m races; TRi is the place, from 1 on, of the first test in the order that finds race i. What no test of the order finds
 * counts as found by one more test than there are.
 */
#ifndef SIMRT_APFD_H
#define SIMRT_APFD_H

#include <stdbool.h>
#include <stddef.h>

/* finds[test * races + race]; order holds n numbers of tests. Without tests or without races: 1, for nothing comes late. */
double apfd(const bool *finds, size_t races, const size_t *order, size_t n);

#endif
