/* What a compiler command line asks for, as far as `ravel cc` has to know: reading it, no more. The command
 * line language is that of gcc, which clang's driver shares.
 */
#ifndef RV_CLI_CC_REQUEST_H
#define RV_CLI_CC_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

/* A list of words, NULL-terminated; owns the array, not the words. */
struct rv_words {
    char **words;
    size_t count, capacity;
};
void rv_words_add(struct rv_words *list, const char *word); /* ends the program when memory is out */

struct rv_cc_request {
    struct rv_words arguments; /* what to hand on: argv as it was, or, if `rewritten`, with response files
                                * expanded and without the words that must not reach the compiler */
    bool rewritten;
    bool has_input;  /* a file, "-" or a library: else it is a query such as --version, or an error */
    bool has_source; /* something to compile or to preprocess */
    bool links;      /* ends in a linked program or shared library */
    bool has_debug;  /* said whether it wants debug information */
    bool asked_lto;  /* and shall not get it */
    char *refused;   /* malloc'ed; NULL: nothing; else what cannot be done and why, one line */
};

/* argv[0] is not looked at. The words stay the caller's or, from response files, live until exit: the
 * caller is about to exec. */
void rv_cc_request_read(struct rv_cc_request *request, int argc, char **argv);

#endif
