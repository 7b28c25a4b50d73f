#include "store/sqlite.h"

#include <dlfcn.h>
#include <stddef.h>

static struct rv_sqlite functions;
const struct rv_sqlite *rv_sqlite;

bool rv_sqlite_open(void) {
    if (rv_sqlite) return true;
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    bool all = true;
#define RV_SQLITE_FIND(name)                                                       \
    functions.name = (__typeof__(functions.name))dlsym(library, "sqlite3_" #name); \
    if (!functions.name) all = false;
    RV_SQLITE_FUNCTIONS(RV_SQLITE_FIND)
#undef RV_SQLITE_FIND
    if (all) rv_sqlite = &functions;
    return all;
}
