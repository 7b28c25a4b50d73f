#include "cli/paths.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef RV_LIBDIR_FROM_BINDIR
#define RV_LIBDIR_FROM_BINDIR "../lib"
#endif

/* "/a/bin" and "../lib" give "/a/lib": the path ends up in run paths, where ".." would be odd. */
static bool beside(const char *program_directory, const char *relative, char *directory, size_t size) {
    size_t kept = strlen(program_directory);
    while (strncmp(relative, "../", 3) == 0) {
        relative += 3;
        while (kept > 0 && program_directory[kept - 1] != '/') kept--;
        if (kept > 0) kept--;
    }
    int length = snprintf(directory, size, "%.*s/%s", (int)kept, program_directory, relative);
    if (length < 0 || (size_t)length >= size) return false;
    char library[PATH_MAX];
    length = snprintf(library, sizeof library, "%s/libravel.so", directory);
    return length > 0 && (size_t)length < sizeof library && access(library, R_OK) == 0;
}

bool rv_library_directory(char *directory, size_t size) {
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return false;
    self[length] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash) return false;
    *slash = '\0';
    static const char *const places[] = {"../lib", RV_LIBDIR_FROM_BINDIR};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (beside(self, places[i], directory, size)) return true;
    (void)beside(self, places[0], directory, size);
    return false;
}
