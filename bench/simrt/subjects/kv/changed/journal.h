/* What was changed, in order: the last few requests that wrote, for replicas that were away for a moment. */
#ifndef JOURNAL_H
#define JOURNAL_H

#include "text.h"

typedef struct journal journal;

journal *journal_new(void);
void journal_free(journal *log);

/* Returns the entry's number, from 1 on. */
unsigned long journal_append(journal *log, const char *line);
/* The entry of that number, if it is still there. */
bool journal_read(journal *log, unsigned long number, char line[TEXT_LINE]);
unsigned long journal_last(journal *log);
size_t journal_bytes(journal *log); /* written since the start, or the last journal_rotate */
/* Forgets all entries; numbers go on. Returns how many there were. */
size_t journal_rotate(journal *log);

#endif
