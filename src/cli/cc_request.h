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
    bool has_input;     /* a file, "-" or a library: else it is a query such as --version, or an error */
    bool has_source;    /* something to compile or to preprocess */
    bool links;         /* ends in a linked program or shared library */
    bool has_debug;     /* said whether it wants debug information */
    bool asked_lto;     /* and shall not get it */
    bool only_compiles; /* -c */
    bool
        makes_code; /* an object, program or library comes out: not text, nor a precompiled header, nor nothing */
    bool optimises;
    const char *output;           /* of -o, or NULL */
    struct rv_words expanded;     /* all words, response files expanded, without argv[0] */
    struct rv_words sources;      /* files of code to compile, assembly too; not standard input */
    struct rv_words languages;    /* of each: what -x says, or "" */
    const char *header_directory; /* for the caller's own use */
    char *refused;                /* malloc'ed; NULL: nothing; else what cannot be done and why, one line */
};

/* argv[0] is not looked at. The words stay the caller's or, from response files, live until exit: the
 * caller is about to exec. */
void rv_cc_request_read(struct rv_cc_request *request, int argc, char **argv);

/* By its name. */
bool rv_cc_is_assembly(const char *path);

#endif
