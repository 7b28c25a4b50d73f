/* Rows of text of bounded width, for the explanation of a failure. Everything printed through here is made
 * harmless first: names, messages and source lines are untrusted. */
#ifndef RV_REPORT_PRINTER_H
#define RV_REPORT_PRINTER_H

#include "report/failure.h"
#include "report/text.h"

enum rv_style { RV_PLAIN, RV_BOLD, RV_DIM, RV_ALARM, RV_MARK };

struct rv_printer {
    FILE *out;
    bool colour;
    bool utf8;
    unsigned width; /* columns */
};

/* For this output: 100 columns unless told, 40 at least. */
struct rv_printer rv_printer_for(FILE *out, const struct rv_print_options *options);
/* A paragraph: wrapped at the width, further lines indented by `hang` more. */
void rv_print_line(struct rv_printer *printer, unsigned indent, unsigned hang, enum rv_style style,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
/* One row, cut at the width. */
void rv_print_row(struct rv_printer *printer, unsigned indent, enum rv_style style, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A row made of pieces, from left to right. */
struct rv_row {
    const struct rv_printer *printer;
    struct rv_text text;
    unsigned column; /* where the next piece goes */
};
/* Spaces up to the column. */
void rv_row_pad(struct rv_row *row, unsigned column);
/* At most `room` columns of the text; what is too long ends in an ellipsis. */
void rv_row_add(struct rv_row *row, enum rv_style style, const char *text, unsigned room);
/* Prints it, without spaces at the end; the row is empty afterwards. */
void rv_row_end(struct rv_row *row);

/* Harmless text, cut to `room` columns: the part from `from` to `to` (bytes of `text`) is shortened in its
 * middle, as far as that helps. malloc'ed. */
char *rv_shorten(const struct rv_printer *printer, const char *text, size_t from, size_t to, unsigned room);

/* The last part of a path. */
const char *rv_base_name(const char *path);
/* "pop() at src/queue.c:57", "pop() in libc.so.6+0x1234"; malloc'ed. */
char *rv_describe_location(const struct rv_location *at);
/* The same without directories. */
char *rv_describe_briefly(const struct rv_location *at);
/* Whether the place is in the program's own sources, not in what a library's headers brought in. */
bool rv_is_own_code(const struct rv_location *at);
/* The innermost frame in the program's own sources, else with a line, else the innermost; NULL: no stack. */
const struct rv_location *rv_stack_place(const struct rv_stack_text *stack);
/* A failure of kind race that has its race. */
bool rv_failure_is_race(const struct rv_failure *failure);
/* The thread with this number, or NULL. */
const struct rv_thread_text *rv_failure_thread(const struct rv_failure *failure, uint32_t id);
/* "thread 2 (consumer)"; malloc'ed. */
char *rv_describe_thread(const struct rv_failure *failure, uint32_t id);
/* Whether the thread cannot go on. */
bool rv_thread_blocked(const struct rv_thread_text *thread);
/* A cycle of threads, each waiting for something that the next one holds; their number, 0: none. */
unsigned rv_failure_cycle(const struct rv_failure *failure, uint32_t *threads, unsigned max);
/* The lock `holder` has of this name, or NULL. */
const struct rv_lock_text *rv_failure_held(const struct rv_failure *failure, uint32_t holder,
                                           const char *object);

/* lanes.c: the events, one column a thread. */
void rv_print_lanes(struct rv_printer *printer, const struct rv_failure *failure);

#endif
