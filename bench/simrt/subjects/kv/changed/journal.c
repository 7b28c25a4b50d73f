#include "journal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 8 };

struct journal {
    pthread_mutex_t lock;      /* over all that follows */
    unsigned long first, next; /* numbers of the oldest, and of the one to come */
    size_t bytes;
    char lines[ENTRIES][TEXT_LINE];
};

journal *journal_new(void) {
    journal *log = calloc(1, sizeof *log);
    if (!log) return NULL;
    pthread_mutex_init(&log->lock, NULL);
    log->first = log->next = 1;
    return log;
}

void journal_free(journal *log) {
    if (!log) return;
    pthread_mutex_destroy(&log->lock);
    free(log);
}

unsigned long journal_append(journal *log, const char *line) {
    size_t length = strlen(line);
    if (length >= TEXT_LINE) length = TEXT_LINE - 1;
    pthread_mutex_lock(&log->lock);
    unsigned long number = log->next++;
    char *place = log->lines[number % ENTRIES];
    memcpy(place, line, length);
    place[length] = '\0';
    if (log->next - log->first > ENTRIES) log->first = log->next - ENTRIES;
    log->bytes += length + 1;
    pthread_mutex_unlock(&log->lock);
    return number;
}

bool journal_read(journal *log, unsigned long number, char line[TEXT_LINE]) {
    pthread_mutex_lock(&log->lock);
    bool there = number >= log->first && number < log->next;
    if (there) memcpy(line, log->lines[number % ENTRIES], TEXT_LINE);
    pthread_mutex_unlock(&log->lock);
    return there;
}

unsigned long journal_last(journal *log) {
    pthread_mutex_lock(&log->lock);
    unsigned long last = log->next - 1;
    pthread_mutex_unlock(&log->lock);
    return last;
}

size_t journal_bytes(journal *log) {
    pthread_mutex_lock(&log->lock);
    size_t bytes = log->bytes;
    pthread_mutex_unlock(&log->lock);
    return bytes;
}

size_t journal_rotate(journal *log) {
    pthread_mutex_lock(&log->lock);
    size_t entries = log->next - log->first;
    log->first = log->next;
    pthread_mutex_unlock(&log->lock);
    log->bytes = 0;
    return entries;
}
