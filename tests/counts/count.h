/* What the programs of known counts share: threads by number, and one line about the end. */
#ifndef COUNT_H
#define COUNT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 16 };

/* Runs body(0) .. body(n - 1) as threads; results[i] is what body(i) returned. */
static inline void together(int n, void *(*body)(void *), intptr_t *results) {
    pthread_t threads[MOST];
    for (int i = 0; i < n; i++) pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i);
    for (int i = 0; i < n; i++) {
        void *result;
        pthread_join(threads[i], &result);
        results[i] = (intptr_t)result;
    }
}

static inline void tell(const intptr_t *numbers, int n) {
    char line[512];
    int length = snprintf(line, sizeof line, "S");
    for (int i = 0; i < n; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, " %ld", (long)numbers[i]);
    line[length++] = '\n';
    if (write(1, line, (size_t)length) != length) _exit(9);
}

static inline int argument(int argc, char **argv, int which, int otherwise) {
    return argc > which ? atoi(argv[which]) : otherwise;
}

#endif
