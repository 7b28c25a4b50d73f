#include "migrate/clang.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>

enum { OLDEST = 11, NEWEST = 30 };

static struct rv_clang functions;
const struct rv_clang *rv_clang;

/* Where the build found it, then the names that distributions give it without its development files. */
static void *open_library(void) {
    void *library = dlopen(RV_LIBCLANG, RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("libclang.so.1", RTLD_NOW | RTLD_LOCAL);
    for (int version = NEWEST; !library && version >= OLDEST; version--) {
        char name[64];
        snprintf(name, sizeof name, "libclang-%d.so.1", version);
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        snprintf(name, sizeof name, "libclang-%d.so.13", version);
        if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

const struct rv_clang *rv_clang_open(void) {
    if (rv_clang) return rv_clang;
    void *library = open_library();
    if (!library) return NULL;
    bool all = true;
#define RV_CLANG_FIND(name)                                                      \
    functions.name = (__typeof__(functions.name))dlsym(library, "clang_" #name); \
    if (!functions.name) all = false;
    RV_CLANG_FUNCTIONS(RV_CLANG_FIND)
#undef RV_CLANG_FIND
    if (all) rv_clang = &functions;
    return rv_clang;
}
