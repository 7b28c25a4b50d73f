/* Parallel merge sort of integers: threads are started for halves and waited for, down to a depth. Prints whether it is sorted. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 400000, DEPTH = 2 };
static int numbers[N], spare[N];

struct part {
    int from, to, depth;
};

static void merge(int from, int middle, int to) {
    int left = from, right = middle;
    for (int i = from; i < to; i++)
        spare[i] = right >= to || (left < middle && numbers[left] <= numbers[right]) ? numbers[left++]
                                                                                     : numbers[right++];
    for (int i = from; i < to; i++) numbers[i] = spare[i];
}

static void *sort(void *argument) {
    const struct part *part = argument;
    if (part->to - part->from < 2) return NULL;
    int middle = part->from + (part->to - part->from) / 2;
    struct part left = {part->from, middle, part->depth + 1}, right = {middle, part->to, part->depth + 1};
    if (part->depth < DEPTH) {
        pthread_t thread;
        pthread_create(&thread, NULL, sort, &left);
        sort(&right);
        pthread_join(thread, NULL);
    } else {
        sort(&left);
        sort(&right);
    }
    merge(part->from, middle, part->to);
    return NULL;
}

int main(void) {
    unsigned random = 1;
    for (int i = 0; i < N; i++) numbers[i] = (int)((random = random * 1103515245 + 12345) >> 8);
    struct part all = {0, N, 0};
    sort(&all);
    int wrong = 0;
    for (int i = 1; i < N; i++) wrong += numbers[i - 1] > numbers[i];
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
