/* The static model of a program: what `ravel-model` (src/modeller) reads from LLVM bitcode and writes as text, read back.
 *
 * The text has one record a line, fields separated by one tab; in names \t \n \\ stand for themselves. The first line is
 * "ravel-model 1". Numbers are decimal; ids of each kind count from 0 in the order of the file, and a record may
 * name ids of records that come later. Lists are separated by commas, "-" is the empty list, and as FILE or BLOCK: unknown.
 *
 *   file      ID PATH
 *   function  ID NAME FILE LINE THREADS       THREADS: the threads that may execute it; "-": none does
 *   thread    ID FUNCTION MANY                its first function; MANY 1: several may run at once; 0 is main's
 *   call      CALLER CALLEE FILE LINE COLUMN
 *   variable  ID NAME SHARED                  memory that an access means; SHARED 1: two threads may access it, one writing
 *   site      ID VARIABLE FUNCTION FILE LINE COLUMN KIND SIZE LOCKS BLOCK
 *   sync      ID FUNCTION FILE LINE COLUMN KIND LOCKS BLOCK
 *   block     ID FUNCTION HASH LINES SUCCESSORS
 *   statement ID BLOCK HASH LINE SITES SYNCS FLOWS AIMS POINTERS LOOSE LOCALS
 *   invoke    STATEMENT FUNCTION HOW          HOW: call, start (of a thread)
 *   initial   NAME HASH                       what a global variable holds at the begin
 *   unsure    TEXT                            what had to be assumed
 *
 * site: a place in the source that may access the variable; one that may access several has a record for each. KIND is
 * r, w or u (both: an atomic exchange), then a: atomic, v: volatile, m: by a function of the C library that is called there.
 * SIZE is in bytes, 0: not known. LOCKS are variables, too: two sites of one variable that both have a lock never
 * happen at once. A site of the model and one of a run are the same if they agree in file, line and kind.
 *
 * sync: a call that synchronises: KIND is a word (lock, trylock, unlock, rdlock, wrlock, wait, signal, post, create, join ...), LOCKS
 * what it may be about.
 *
 * block: of a function's control flow, its entry first. HASH, 16 hexadecimal digits, is of what the block does, not of
 * where in the source it stands. SUCCESSORS: LABEL:BLOCK each; the LABEL is a number that tells edges from one block apart
 * (1 and 0 of a condition, the values of a switch), or empty for the only one and for a switch's default. A block whose end is not
 * reached, for what it calls does not return, is followed by itself.
 *
 * statement: what a block does of one line of the source, for the comparison of two versions (src/regress): those of a block in the
 * order in which they are done, LINE 0 where there is none. HASH as that of a block; SITES and SYNCS are in it; FLOWS: statements
 * that may use a value that it computes, other than through a variable of the model: by registers, locals, parameters, results;
 * AIMS: those of them that may access memory at an address that depends on it. POINTERS: of the sites, those that read
 * what an address in the same statement depends on. LOOSE: HASH without the names of locals, and without what is volatile or atomic; the names are, hashed, LOCALS, in the order
 * in which they are spoken of.
 *
 * The reader does not trust the text. The first thing wrong is an error that names line and column.
 */
#ifndef RV_MODEL_MODEL_H
#define RV_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RV_MODEL_HEADER "ravel-model 1"
/* The text of an "unsure" that says that code of the program is not in the model at all. */
#define RV_MODEL_PARTLY "part of the program has no bitcode"
#define RV_MODEL_NONE   UINT32_MAX /* no file, no block */

enum rv_model_kind { /* of a site */
                     RV_MODEL_READ = 1,
                     RV_MODEL_WRITE = 2,
                     RV_MODEL_ATOMIC = 4,
                     RV_MODEL_VOLATILE = 8,
                     RV_MODEL_LIBRARY = 16,
};

struct rv_model_list { /* count numbers from model->numbers + first */
    uint32_t first, count;
};

struct rv_model_function {
    const char *name;
    uint32_t file, line;
    struct rv_model_list threads;
};

struct rv_model_thread {
    uint32_t function;
    bool many;
};

struct rv_model_call {
    uint32_t caller, callee, file, line, column;
};

struct rv_model_variable {
    const char *name;
    bool shared;
};

struct rv_model_site {
    uint32_t variable, function, file, line, column, block;
    unsigned kind; /* enum rv_model_kind */
    uint64_t size;
    struct rv_model_list locks;
};

struct rv_model_sync {
    uint32_t function, file, line, column, block;
    const char *kind;
    struct rv_model_list locks;
};

struct rv_model_block {
    uint32_t function;
    uint64_t hash;
    struct rv_model_list lines;      /* ascending, in the function's file */
    struct rv_model_list successors; /* blocks */
    struct rv_model_list labels;     /* as many: numbers of rv_model_label */
};

struct rv_model_statement {
    uint32_t block, line;
    uint64_t hash, loose;
    struct rv_model_list locals, sites, syncs, flows, aims, pointers; /* flows, aims: statements */
};

struct rv_model_invoke {
    uint32_t statement, function;
    bool start; /* of a thread */
};

struct rv_model_initial {
    const char *name;
    uint64_t hash;
};

/* Everything belongs to the model. */
struct rv_model {
    const char **files;
    struct rv_model_function *functions;
    struct rv_model_thread *threads;
    struct rv_model_call *calls;
    struct rv_model_variable *variables;
    struct rv_model_site *sites;
    struct rv_model_sync *syncs;
    struct rv_model_block *blocks;
    struct rv_model_statement *statements;
    struct rv_model_invoke *invokes;
    struct rv_model_initial *initials;
    const char **unsure;
    const char **labels; /* texts of edges' labels, "" is number 0 */
    uint32_t *numbers;
    uint32_t file_count, function_count, thread_count, call_count, variable_count, site_count, sync_count,
        block_count, unsure_count, label_count, number_count, statement_count, invoke_count, initial_count;

    struct rv_model_private *own;
};

/* NULL: *error (malloc'ed) is one line that begins with `name`. The text is copied. */
struct rv_model *rv_model_read(const char *text, size_t size, const char *name, char **error);
struct rv_model *rv_model_read_file(const char *path, char **error);
void rv_model_free(struct rv_model *model); /* also NULL */

/* The sites at a line of a file that are of one of these kinds (RV_MODEL_READ, RV_MODEL_WRITE, or both), in ascending order: the
 * first `capacity` of them into sites[]. Files are the same if one path is the end of the other, by whole names. Returns how
 * many there are. */
size_t rv_model_sites_at(const struct rv_model *model, const char *file, uint32_t line, unsigned kinds,
                         uint32_t *sites, size_t capacity);
/* The same, and if there are none, those of the nearest line up to RV_MODEL_NEAR before or behind it: optimisation moves an access to a
 * line of the same statement, or of the loop that it is in. */
enum { RV_MODEL_NEAR = 2 };
size_t rv_model_sites_near(const struct rv_model *model, const char *file, uint32_t line, unsigned kinds,
                           uint32_t *sites, size_t capacity);
bool rv_model_same_file(const char *a, const char *b);
/* "r", "w", "ua" ... as in the text. */
const char *rv_model_kind_text(unsigned kind, char text[8]);

#endif
