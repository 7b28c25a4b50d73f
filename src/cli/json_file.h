/* JSON results in files: "-" is standard output. */
#ifndef RV_CLI_JSON_FILE_H
#define RV_CLI_JSON_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

static inline bool rv_is_standard(const char *path) { return path && strcmp(path, "-") == 0; }
/* Whether a file can be written there: better known before a campaign than after. False: errno. */
bool rv_file_writable(const char *path);
/* Gives the object back in any case. False: errno. */
bool rv_json_write(json_t *object, const char *path);

#endif
