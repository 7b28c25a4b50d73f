/* Four threads count the words of a text in one hash table with a lock for each of its parts: bytes that all read, entries
 * that all change, a lock for every word. Prints how many there are. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH = 1200000, THREADS = 4, SLOTS = 4096, LOCKS = 16, WORD = 12 };

static char text[LENGTH];
static struct entry {
    char word[WORD];
    unsigned count;
} table[SLOTS];
static pthread_mutex_t locks[LOCKS];

static void count(const char *word, unsigned length) {
    uint32_t hash = 2166136261u;
    for (unsigned i = 0; i < length; i++) hash = (hash ^ (unsigned char)word[i]) * 16777619u;
    unsigned part = hash % LOCKS, slot = hash / LOCKS % (SLOTS / LOCKS);
    pthread_mutex_lock(&locks[part]);
    for (;; slot = (slot + 1) % (SLOTS / LOCKS)) {
        struct entry *entry = &table[part * (SLOTS / LOCKS) + slot];
        unsigned same = 0;
        while (same < length && entry->word[same] == word[same]) same++;
        if (entry->count && (same < length || entry->word[same])) continue;
        if (!entry->count)
            for (unsigned i = 0; i < length; i++) entry->word[i] = word[i];
        entry->count++;
        break;
    }
    pthread_mutex_unlock(&locks[part]);
}

static void *work(void *argument) {
    unsigned from = LENGTH / THREADS * (unsigned)(uintptr_t)argument, to = from + LENGTH / THREADS;
    while (from > 0 && from < to && text[from - 1] != ' ') from++;
    while (from < to) {
        unsigned end = from;
        while (end < LENGTH && text[end] != ' ') end++;
        if (end > from) count(&text[from], end - from);
        from = end + 1;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    unsigned random = 1, words = 0, left = 0;
    for (unsigned i = 0; i < LENGTH; i++) {
        random = random * 1103515245 + 12345;
        if (left == 0) left = 2 + (random >> 16) % (WORD - 3);
        text[i] = --left == 0 ? ' ' : (char)('a' + (random >> 20) % 2);
    }
    for (int i = 0; i < LOCKS; i++) pthread_mutex_init(&locks[i], NULL);
    for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < SLOTS; i++) words += table[i].count;
    printf("%u words\n", words);
    return 0;
}
