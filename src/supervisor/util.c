#include "supervisor/util.h"

#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "report/text.h"

void *rv_allocate(size_t size) { return rv_text_alloc(size ? size : 1, 1); }

void *rv_copy(const void *from, size_t size) {
    void *to = rv_allocate(size);
    if (size) memcpy(to, from, size);
    return to;
}

double rv_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double rv_cpu_seconds(pid_t pid) {
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return -1;
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

void rv_wait_word(const uint32_t *word, uint32_t value, unsigned milliseconds) {
    struct timespec limit = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    syscall(SYS_futex, word, FUTEX_WAIT, value, &limit, NULL, 0);
}

void rv_wake_word(const uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, 1 << 30, NULL, NULL, 0); }

bool rv_notes_add(struct rv_notes *notes, char *text) {
    for (size_t i = 0; i < notes->count; i++) {
        if (strcmp(notes->texts[i], text) == 0) {
            free(text);
            return false;
        }
    }
    notes->texts = rv_text_realloc(notes->texts, notes->count + 1, sizeof *notes->texts);
    notes->texts[notes->count++] = text;
    return true;
}

void rv_notes_free(struct rv_notes *notes) {
    for (size_t i = 0; i < notes->count; i++) free(notes->texts[i]);
    free(notes->texts);
    *notes = (struct rv_notes){0};
}

char *rv_clean_text(const char *text, size_t size) {
    char *copy = rv_text_copy_n(text, strnlen(text, size));
    char *clean = rv_text_harmless(copy, false);
    free(copy);
    return clean;
}

const char *rv_grouped(uint64_t number, char *buffer) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    char *to = buffer;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return buffer;
}
