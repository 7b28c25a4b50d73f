/* The test file as `ravel migrate` sees it: its functions, and the statements in them that stand for themselves in a block.
 *
 * The words:
 *   place       a statement before or after which an event can stand: a child of a block, or the body of an if or a loop. The
 *               header of an if or a loop is a place of its own; it ends with the whole statement
 *   sleeper     a function of the file that does nothing but sleep (`static void nap(int ms)`): a call of it is a sleep
 *   followed    a function whose statements are logged: tests, and what other threads or libraries call (its address is
 *               taken), and what sleeps. Other functions are helpers, and belong to the statement that calls them
 *   test        a followed function that nobody in the file calls except main, and that may sleep, start threads or be followed
 *               by them: the outermost frame of a test in all frameworks
 *
 * All positions are bytes of `text`.
 */
#ifndef RV_MIGRATE_SOURCE_H
#define RV_MIGRATE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_place {
    uint32_t function;
    size_t begin, end;       /* with the semicolon */
    size_t if_begin, if_end; /* the if that has nothing but this statement, and may go with it; else both 0 */
    unsigned line, end_line;
    bool bare; /* body of an if or a loop without braces */
    bool declaration;
    bool leaves;                /* return */
    bool acts;                  /* calls something, or changes what others can see */
    bool looks;                 /* at something that others can change */
    bool sleep;                 /* nothing but a sleep */
    bool sleeps;                /* calls something that sleeps, perhaps among other things */
    bool creates, joins, meets; /* a thread is made, waited for; a barrier */
    bool loop;                  /* inside a loop of its function */
    bool making;                /* and that loop makes threads */
    bool polling;               /* the sleep of a loop that asks again and again */
    int64_t ms;                 /* of a sleep, if it is written there; -1 */
    char *callee;               /* what it is about, for names; never NULL */
};

struct rv_function {
    char *name;
    char *test_name; /* as RAVEL_TEST_SCOPE shall say it */
    unsigned line;
    size_t begin;            /* of the definition: its first line */
    size_t open, close;      /* the brace that opens the body, and the one that closes it */
    bool is_static, is_void; /* returns nothing */
    char *result; /* else: the constant that its last statement returns, as it is written; NULL: it is none */
    bool is_main, is_test;
    bool sleeper, followed;
    bool scoped;      /* it is a RAVEL_TEST or has a RAVEL_TEST_SCOPE */
    bool calls_sleep; /* itself, or by a sleeper */
    bool creates;     /* threads, itself or by a helper */
    bool address_taken;
    bool hands_on;   /* the address of another function of the file, to whoever */
    bool shown;      /* main, or what runs tests, calls it or has it in a table */
    bool like_test;  /* void, int or bool f(void), f(void **), f(int) */
    bool involved;   /* has to do with sleeps or threads, itself or in what it calls */
    bool called;     /* by another one than main */
    uint32_t *calls; /* functions of the file */
    uint32_t call_count;
};

/* A local variable that a sleep uses: not wanted any more when all its uses are gone. */
struct rv_local {
    size_t begin, end; /* its declaration, if it declares nothing else and calls nothing */
    size_t *uses;
    uint32_t use_count;
};

struct rv_source {
    char *path; /* real path */
    char *text;
    size_t size;
    struct rv_function *functions;
    uint32_t function_count;
    struct rv_place *places;
    uint32_t place_count;
    struct rv_local *locals;
    uint32_t local_count;
    size_t include_at; /* where an include can be put: after the last one outside of conditions */
    bool has_include;
};

/* `arguments`: the compiler's, of which those are taken that say how the text is to be read; `directory`: where it ran. False:
 * *error (malloc'ed) says why, in one line. */
bool rv_source_read(struct rv_source *source, const char *path, char *const *arguments, const char *directory,
                    char **error);
void rv_source_free(struct rv_source *source);

/* The test file with log calls: what the runtime's ravel_migrate_* expect. `shown` is the name that __FILE__ gives. malloc'ed. */
char *rv_source_instrument(const struct rv_source *source, const char *shown);

#endif
