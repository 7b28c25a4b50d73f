/* SQLite, opened when it is wanted: only stores need it, and no other command shall start slower because of it. The functions
 * are used as rv_sqlite->step(statement) and so on. */
#ifndef RV_STORE_SQLITE_H
#define RV_STORE_SQLITE_H

#include <sqlite3.h>
#include <stdbool.h>

#define RV_SQLITE_FUNCTIONS(X) \
    X(bind_blob64)             \
    X(bind_text)               \
    X(busy_timeout)            \
    X(close)                   \
    X(column_blob)             \
    X(column_bytes)            \
    X(column_int)              \
    X(column_text)             \
    X(errcode)                 \
    X(errmsg)                  \
    X(exec)                    \
    X(finalize)                \
    X(open_v2)                 \
    X(prepare_v2)              \
    X(step)                    \
    X(system_errno)

#define RV_SQLITE_FIELD(name) __typeof__(sqlite3_##name) *name;
struct rv_sqlite {
    RV_SQLITE_FUNCTIONS(RV_SQLITE_FIELD)
};
#undef RV_SQLITE_FIELD

extern const struct rv_sqlite *rv_sqlite; /* NULL: not opened */
bool rv_sqlite_open(void);                /* false: it is not installed */

#endif
