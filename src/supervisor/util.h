/* Small things every part of the supervisor needs: memory that is there or the process ends, the clock, waiting on shared words. */
#ifndef RV_SUPERVISOR_UTIL_H
#define RV_SUPERVISOR_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* malloc'ed; ends the process with exit code 3 when there is no memory. Texts: report/text.h. */
void *rv_allocate(size_t size); /* zeroed; size 0 is fine */
void *rv_copy(const void *from, size_t size);

double rv_seconds(void); /* monotonic */
/* CPU time of a process, all its threads, in seconds; -1: it is gone. */
double rv_cpu_seconds(pid_t pid);

/* Waits until *word differs from `value`, somebody wakes, a signal comes or the time is over. */
void rv_wait_word(const uint32_t *word, uint32_t value, unsigned milliseconds);
void rv_wake_word(const uint32_t *word);

static inline uint32_t rv_load32(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline uint64_t rv_load64(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

/* A list of distinct texts: what the user should know, once each. */
struct rv_notes {
    char **texts;
    size_t count;
};
/* Takes the text over; drops it if it is known. True: it was new. */
bool rv_notes_add(struct rv_notes *notes, char *text);
void rv_notes_free(struct rv_notes *notes);

/* Text from a worker (not trusted to be ended): at most size bytes, made harmless. malloc'ed. */
char *rv_clean_text(const char *text, size_t size);

/* "1,234,567" into a buffer of at least 32 bytes; returns it. */
const char *rv_grouped(uint64_t number, char *buffer);

#endif
