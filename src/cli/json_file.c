#include "cli/json_file.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/text.h"

bool rv_file_writable(const char *path) {
    if (rv_is_standard(path)) return true;
    if (access(path, F_OK) == 0) return access(path, W_OK) == 0;
    char *copy = rv_text_copy(path);
    bool writable = access(dirname(copy), W_OK | X_OK) == 0;
    int reason = errno;
    free(copy);
    errno = reason;
    return writable;
}

bool rv_json_write(json_t *object, const char *path) {
    bool standard = rv_is_standard(path);
    FILE *out = standard ? stdout : fopen(path, "w");
    bool good =
        out && json_dumpf(object, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF && fflush(out) == 0;
    if (out && !standard) good = fclose(out) == 0 && good;
    json_decref(object);
    return good;
}
