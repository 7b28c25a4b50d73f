#include "apfd.h"

double apfd(const bool *finds, size_t races, const size_t *order, size_t n) {
    size_t sum = 0;
    if (n == 0 || races == 0) return 1;
    for (size_t race = 0; race < races; race++) {
        size_t place = 0;
        while (place < n && !finds[order[place] * races + race]) place++;
        sum += place + 1;
    }
    return 1 - (double)sum / ((double)n * (double)races) + 1 / (2 * (double)n);
}
