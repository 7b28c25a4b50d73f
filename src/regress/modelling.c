#include "regress/modelling.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/make.h"
#include "report/text.h"

/* Beside ravel, or where an installation keeps programs that nobody calls by hand; malloc'ed. */
static char *find_modeller(void) {
    static const char *const places[] = {"", "/../libexec", "/../libexec/ravel", "/../lib/ravel"};
    char self[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    self[size > 0 ? size : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash) *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path = rv_text_format("%s%s/ravel-model", self, places[i]);
        if (access(path, X_OK) == 0) return path;
        free(path);
    }
    return rv_text_copy("ravel-model");
}

char *rv_model_of_program(const char *path, size_t *size, char **error) {
    char *tool = find_modeller(), *file = rv_text_copy(path);
    bool wrong;
    char *text = rv_model_make_text(tool, &file, 1, size, &wrong, error);
    free(tool);
    free(file);
    return text;
}
