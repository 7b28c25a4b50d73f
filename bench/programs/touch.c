/* touch MB one|two|readers: so many megabytes of heap are written by one thread, or half by each of two, and then read by main;
 * or written by main and read by three threads at once. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t *words;
static size_t count;
static uint64_t sums[3];

static void *write_part(void *argument) {
    size_t part = (size_t)argument, parts = part >> 8, from = count / parts * (part & 0xff);
    for (size_t i = from; i < from + count / parts; i++) words[i] = i;
    return NULL;
}

static void *read_all(void *sum) {
    for (size_t i = 0; i < count; i++) *(uint64_t *)sum += words[i];
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    count = strtoul(argv[1], NULL, 10) * 1048576 / sizeof *words;
    words = malloc(count * sizeof *words);
    if (!words) return 2;
    pthread_t threads[3];
    size_t parts = strcmp(argv[2], "two") == 0 ? 2 : 1, number = parts;
    int readers = strcmp(argv[2], "readers") == 0;
    if (readers) number = 3;
    for (size_t i = 0; i < number; i++) {
        if (readers && i == 0) write_part((void *)(1 << 8));
        pthread_create(&threads[i], NULL, readers ? read_all : write_part,
                       readers ? (void *)&sums[i] : (void *)(parts << 8 | i));
    }
    for (size_t i = 0; i < number; i++) pthread_join(threads[i], NULL);
    uint64_t sum = 0;
    read_all(&sum);
    printf("%llu\n", (unsigned long long)(sum + sums[0] + sums[1] + sums[2]));
    free(words);
    return 0;
}
