/* Races and deadlocks as rows: what the two printers share, and a race for whoever prints more around it. */
#ifndef RV_REPORT_RACE_PRINT_H
#define RV_REPORT_RACE_PRINT_H

#include "report/printer.h"
#include "report/race.h"

/* What happened and where, why it is a race, and how sure that is; not how to see it again. */
void rv_print_race(struct rv_printer *printer, const struct rv_race_text *race);

/* "thread 2 (worker)", of a thread that may be among the known ones; malloc'ed. */
char *rv_race_thread_words(uint32_t id, const struct rv_race_thread *const *known, unsigned known_count);
/* "created by thread 0 (main): main() bank.c:30"; nothing if that is not known. */
void rv_print_creation(struct rv_printer *printer, const struct rv_race_thread *thread,
                       const struct rv_race_thread *const *known, unsigned known_count);
/* How sure a race or deadlock is, from `status` and `predicted`: how often it was seen and verified, or what is still
 * missing. */
struct rv_evidence {
    enum rv_race_status status;
    bool predicted;
    uint64_t count;
    unsigned tries;
    const char *there;  /* what verification wants: "both threads there" */
    const char *advice; /* for one that was neither seen nor predicted */
};
void rv_print_evidence(struct rv_printer *printer, const struct rv_evidence *evidence);
/* "potential deadlock", "predicted data race", "data race (harmful)"; malloc'ed. */
char *rv_race_title(enum rv_race_status status, bool predicted, const char *what);
/* The last line of every report; nothing if there is no file. */
void rv_print_again(struct rv_printer *printer, const char *file);

#endif
