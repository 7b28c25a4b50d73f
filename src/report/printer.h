/* Rows of text of bounded width, for the explanation of a failure. Everything printed through here is made
 * harmless first: names, messages and source lines are untrusted. */
#ifndef RV_REPORT_PRINTER_H
#define RV_REPORT_PRINTER_H

#include "report/failure.h"

enum rv_style { RV_PLAIN, RV_BOLD, RV_DIM, RV_ALARM, RV_MARK };

struct rv_printer {
    FILE *out;
    bool colour;
    bool utf8;
    unsigned width;      /* columns */
    unsigned lanes;      /* how many; 0: none */
    unsigned lane_width; /* columns of each */
};

/* A paragraph: wrapped at the width, further lines indented by `hang` more. */
void rv_print_line(struct rv_printer *printer, unsigned indent, unsigned hang, enum rv_style style,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The same in one lane; the others stay empty. `prefix` stands before its first line. */
void rv_print_cell(struct rv_printer *printer, unsigned lane, const char *prefix, enum rv_style style,
                   const char *text);
/* A line across the lanes. */
void rv_print_rule(struct rv_printer *printer);

/* "pop() at queue.c:57", "pop() in libc.so.6+0x1234"; malloc'ed. */
char *rv_describe_location(const struct rv_location *at);
/* "queue.c:57  q->count--;"; malloc'ed. */
char *rv_describe_line(const struct rv_location *at);
/* The innermost frame with a line, else the innermost; NULL: no stack. */
const struct rv_location *rv_stack_place(const struct rv_stack_text *stack);
/* The thread with this number, or NULL. */
const struct rv_thread_text *rv_failure_thread(const struct rv_failure *failure, uint32_t id);
/* "thread 2 (consumer)"; malloc'ed. */
char *rv_describe_thread(const struct rv_failure *failure, uint32_t id);
/* A cycle of threads, each waiting for something that the next one holds; their number, 0: none. */
unsigned rv_failure_cycle(const struct rv_failure *failure, uint32_t *threads, unsigned max);
/* The lock `holder` has of this name, or NULL. */
const struct rv_lock_text *rv_failure_held(const struct rv_failure *failure, uint32_t holder,
                                           const char *object);

/* lanes.c: the events, one column a thread. */
void rv_print_lanes(struct rv_printer *printer, const struct rv_failure *failure);

#endif
