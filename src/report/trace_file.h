/* The file of recorded executions, *.trace: what a worker recorded (base/record.h), kept for later analyses. Text, one thing
 * a line, fields separated by one space; made to be written and read in one go, up to RV_MAX_RECORDS steps.
 *
 *   ravel-trace 1                          the first line, always
 *   program "./queue"                      what was run; quoted as in failure_format.h
 *   arg "10"                               its arguments, in order
 *   build-id "5f3a..."                     of the program's file; "" if it has none
 *   module 0 "/opt/queue" BASE START END "5f3a..."      struct rv_module; numbered from 0; also between executions
 *   execution 1
 *   stack 1 0+1234 0                       node 1: code, parent; numbered from 1, before the first step that uses it
 *   write 1 5a0000001230 8 0+1180 0 1 2a   a step: kind, thread, address, size, site, order, stack, number
 *   over 1                                 its end: how many steps. "over 1 cut": the recorder had no room for more
 *   end                                    the last line
 *
 * Numbers in `module` (but its index), `stack` and step lines are hexadecimal, the others decimal. Codes are MODULE+OFFSET,
 * "-" if unknown; there need not be a line for the module.
 *
 * Reading does not trust the file. Numbers are bounded as the table says, and the first that is not is an error that names
 * line and column. But a file that ends too early (the disk was full, the machine went down) is one of which the first part
 * can be used: the reader gives all whole lines, and says that it was cut.
 *
 *   thread                         less than RV_TRACE_FILE_THREADS; so the number of a thread in CREATE and JOIN
 *   size, of READ, WRITE, ATOMIC_* from 1 to RV_TRACE_FILE_ACCESS; of BARRIER at most RV_TRACE_FILE_THREADS; else RV_TRACE_MEMORY
 *   address + size                 does not wrap where this is memory: accesses, FREE, ALLOC, START
 *   stack, parent of a node        nodes that there are; smaller than the node
 *   modules, nodes, steps          RV_MAX_MODULES, RV_MAX_STACK_NODES an execution, RV_MAX_RECORDS in all
 */
#ifndef RV_REPORT_TRACE_FILE_H
#define RV_REPORT_TRACE_FILE_H

#include "base/protocol.h"
#include "base/record.h"

#define RV_TRACE_HEADER      "ravel-trace 1"
#define RV_TRACE_FILE_ACCESS ((uint64_t)1 << 32) /* bytes of an access */
#define RV_TRACE_MEMORY      ((uint64_t)1 << 47) /* bytes of anything */
enum {
    RV_TRACE_FILE_THREADS = 1 << 16,
    RV_TRACE_ARGS = 1 << 14,
    RV_TRACE_LINE = 1 << 20 /* bytes of a line */
};

extern const char
    *const rv_trace_kinds[RV_STEP_KINDS]; /* the words for kinds of steps: "read", "atomic-rmw" ... */

struct rv_trace_program {
    char *program;
    char **args;    /* NULL-terminated; without the program */
    char *build_id; /* hex; "" if it has none */
};

struct rv_trace_execution {
    uint64_t number;
    struct rv_record *records;
    size_t record_count;
    struct rv_stack_node *nodes; /* nodes[0] is the empty stack */
    size_t node_count;           /* with nodes[0]; 0 is as good as 1 */
    bool no_room;                /* the recorder had no room for all steps */
    bool cut;                    /* read: the file ends before the execution does */
};
void rv_trace_execution_free(struct rv_trace_execution *execution);

/* --- writing; false: *error is a message (malloc'ed), and all that is left to do is rv_trace_discard --- */

struct rv_trace_writer;

/* The file appears at `path` with rv_trace_close, whole, and is what was there before until then. NULL: *error. */
struct rv_trace_writer *rv_trace_create(const char *path, const struct rv_trace_program *program,
                                        char **error);
/* The same into memory: no file. */
struct rv_trace_writer *rv_trace_create_text(const struct rv_trace_program *program);
/* Writes those that were not written yet: call it whenever there may be more. Untrusted: taken from a worker's area. */
bool rv_trace_modules(struct rv_trace_writer *writer, const struct rv_module *modules, unsigned count,
                      char **error);
/* Untrusted, too: what the reader would refuse is an error that names the step. */
bool rv_trace_execution(struct rv_trace_writer *writer, const struct rv_trace_execution *execution,
                        char **error);
/* Both free the writer. */
bool rv_trace_close(struct rv_trace_writer *writer, char **error);
char *rv_trace_close_text(struct rv_trace_writer *writer, size_t *size);
void rv_trace_discard(struct rv_trace_writer *writer); /* also NULL */

/* --- reading --- */

struct rv_trace_reader;

/* NULL: *error (malloc'ed) says why the file cannot be read, or file, line, column and what was expected. A file that ends
 * before it has said what program this is about is an error. */
struct rv_trace_reader *rv_trace_open(const char *path, char **error);
/* The same from memory; `name` stands for the file in errors. */
struct rv_trace_reader *rv_trace_open_text(const char *text, size_t size, const char *name, char **error);
void rv_trace_reader_free(struct rv_trace_reader *reader); /* also NULL */

const struct rv_trace_program *rv_trace_reader_program(const struct rv_trace_reader *reader);
/* Those of the lines read so far; the array stays where it is and grows. */
const struct rv_module *rv_trace_reader_modules(const struct rv_trace_reader *reader, unsigned *count);

enum rv_trace_next { RV_TRACE_EXECUTION, RV_TRACE_END, RV_TRACE_DAMAGED };
/* EXECUTION: the caller's to free. END: there are no more. DAMAGED: *error; nothing to free. */
enum rv_trace_next rv_trace_next(struct rv_trace_reader *reader, struct rv_trace_execution *execution,
                                 char **error);
/* After END: the file has no end; it was cut, in the last execution (its `cut`) or behind it. */
bool rv_trace_reader_cut(const struct rv_trace_reader *reader);

#endif
