/* Who did what: the last few events, numbered from 1 on. For all threads. */
#ifndef AUDIT_H
#define AUDIT_H

#include <stdbool.h>
#include <stddef.h>

enum { AUDIT_KEPT = 6 };

typedef enum audit_kind {
    AUDIT_SUBMITTED,
    AUDIT_READY,
    AUDIT_STARTED,
    AUDIT_FINISHED,
    AUDIT_FAILED,
    AUDIT_CANCELLED,
    AUDIT_HELD,
    AUDIT_REJECTED,
    AUDIT_KINDS
} audit_kind;

typedef struct audit_event {
    unsigned long number;
    audit_kind kind;
    int job;
    long time;
} audit_event;

typedef struct audit audit;

audit *audit_new(void);
void audit_free(audit *log);
void audit_note(audit *log, audit_kind kind, int job, long time);
/* Events after that number, oldest first; at most `most`. */
size_t audit_since(audit *log, unsigned long number, audit_event *events, size_t most);
unsigned long audit_count(audit *log, audit_kind kind);
unsigned long audit_overwritten(audit *log);
bool audit_find_job(audit *log, int job, audit_event *latest);

#endif
