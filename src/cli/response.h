/* Response files, as gcc and binutils read them: "@file" stands for the words in the file, separated by white
 * space; '...', "..." and a backslash before a character quote; a file may name others. "@name" without such
 * a file is an ordinary word. */
#ifndef RV_CLI_RESPONSE_H
#define RV_CLI_RESPONSE_H

#include "cli/cc_request.h"

/* Appends argv[1..] to *list with response files expanded. True: there was one. New words are malloc'ed and
 * never freed. */
bool rv_response_expand(struct rv_words *list, int argc, char **argv);

/* Cuts `text` into words by the same rules, in place, appending them to *list. */
void rv_response_split(struct rv_words *list, char *text);

#endif
