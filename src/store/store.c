/* One table. The file says what it is by PRAGMA application_id, and how it is laid out by PRAGMA user_version; both are
 * written in the transaction that makes the table, so that a file has all of it or is empty. A database of somebody
 * else (tables, but not our id) is refused: it would do no harm to add a table, but nobody asked for it.
 *
 * The journal is SQLite's default (a file beside the store while it is written), because write-ahead logging leaves
 * two files behind, does not work on network file systems, and its gain is for many small writes.
 */
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/text.h"
#include "store/sqlite.h"

enum { APPLICATION_ID = 0x7261766c /* "ravl" */ };

struct rv_store {
    char *path;
    sqlite3 *database; /* NULL: read, and there is no file */
};

/* ---- errors ---- */

/* What went wrong last, in the user's words: the reason behind "PATH: ". */
static const char *reason_of(sqlite3 *database) {
    switch (rv_sqlite->errcode(database)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "in use by another process";
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT: return "not a store of ravel, or damaged";
    case SQLITE_FULL: return "no space left on the device";
    case SQLITE_CANTOPEN: {
        int reason = rv_sqlite->system_errno(database);
        return reason ? strerror(reason) : "cannot be opened";
    }
    default: return rv_sqlite->errmsg(database);
    }
}

static bool failed(const struct rv_store *store, char **error) {
    *error = rv_text_format("%s: %s", store->path, reason_of(store->database));
    return false;
}

static bool run(struct rv_store *store, const char *sql, char **error) {
    return rv_sqlite->exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK || failed(store, error);
}

/* ---- opening ---- */

/* The one number that a statement gives. */
static bool number_of(struct rv_store *store, const char *sql, int *number, char **error) {
    sqlite3_stmt *statement = NULL;
    bool good = rv_sqlite->prepare_v2(store->database, sql, -1, &statement, NULL) == SQLITE_OK &&
                rv_sqlite->step(statement) == SQLITE_ROW;
    if (good) *number = rv_sqlite->column_int(statement, 0);
    if (!good) failed(store, error);
    rv_sqlite->finalize(statement);
    return good;
}

/* Whether the file is ours, of a schema that we know; *empty: there is nothing in it at all. */
static bool look(struct rv_store *store, bool *empty, char **error) {
    int id, schema, tables;
    if (!number_of(store, "SELECT count(*) FROM sqlite_schema", &tables, error) ||
        !number_of(store, "PRAGMA application_id", &id, error) ||
        !number_of(store, "PRAGMA user_version", &schema, error))
        return false;
    *empty = tables == 0 && id == 0 && schema == 0;
    if (*empty) return true;
    if (id != APPLICATION_ID) {
        *error = rv_text_format("%s: a database, but not a store of ravel", store->path);
        return false;
    }
    if (schema == RV_STORE_SCHEMA) return true;
    *error = schema > RV_STORE_SCHEMA
                 ? rv_text_format("%s: written by a newer ravel (schema %d, this one knows %d)", store->path,
                                  schema, RV_STORE_SCHEMA)
                 : rv_text_format("%s: of schema %d, which is unknown", store->path, schema);
    return false;
}

static bool make_table(struct rv_store *store, char **error) {
    char *sql =
        rv_text_format("CREATE TABLE piece (kind TEXT NOT NULL, program TEXT NOT NULL, name TEXT NOT NULL,"
                       " data BLOB NOT NULL, PRIMARY KEY (kind, program, name));"
                       "PRAGMA application_id = %d; PRAGMA user_version = %d;",
                       APPLICATION_ID, RV_STORE_SCHEMA);
    bool good = run(store, sql, error);
    free(sql);
    return good;
}

/* Under the lock, for two may come at once. */
static bool make(struct rv_store *store, char **error) {
    bool empty = false;
    if (!run(store, "BEGIN IMMEDIATE", error)) return false;
    bool good = look(store, &empty, error) && (!empty || make_table(store, error));
    if (good && run(store, "COMMIT", error)) return true;
    rv_sqlite->exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

static bool prepare(struct rv_store *store, enum rv_store_mode mode, char **error) {
    bool empty = false;
    rv_sqlite->busy_timeout(store->database, RV_STORE_PATIENCE_MS);
    if (!look(store, &empty, error)) return false;
    if (empty && mode == RV_STORE_WRITE) return make(store, error);
    if (!empty) return true;
    rv_sqlite->close(store->database); /* to be read: as if it were not there */
    store->database = NULL;
    return true;
}

static void make_directory(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path) return;
    char *directory = rv_text_copy_n(path, (size_t)(slash - path));
    (void)mkdir(directory, 0777); /* what came of it, opening tells */
    free(directory);
}

/* A directory, a device: SQLite would say no more than that it cannot. */
static bool is_other_than_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

struct rv_store *rv_store_open(const char *path, enum rv_store_mode mode, char **error) {
    if (is_other_than_file(path)) {
        *error = rv_text_format("%s: not a file", path);
        return NULL;
    }
    struct rv_store *store = rv_text_alloc(1, sizeof *store);
    store->path = rv_text_copy(path);
    if (mode == RV_STORE_READ && access(path, F_OK) != 0 && errno == ENOENT) return store;
    if (!rv_sqlite_open()) {
        *error = rv_text_format("%s: SQLite (libsqlite3.so.0) is not installed", path);
        rv_store_close(store);
        return NULL;
    }
    /* Also to read: a transaction that died half-way is to be undone first. A file that may not be written is read. */
    int flags = SQLITE_OPEN_READWRITE | (mode == RV_STORE_WRITE ? SQLITE_OPEN_CREATE : 0);
    if (mode == RV_STORE_WRITE) make_directory(path);
    bool good = rv_sqlite->open_v2(path, &store->database, flags, NULL) == SQLITE_OK
                    ? prepare(store, mode, error)
                    : failed(store, error);
    if (good) return store;
    rv_store_close(store);
    return NULL;
}

void rv_store_close(struct rv_store *store) {
    if (!store) return;
    if (store->database) rv_sqlite->close(store->database); /* rolls back what was not committed */
    free(store->path);
    free(store);
}

const char *rv_store_path(const struct rv_store *store) { return store->path; }

/* ---- reading and writing ---- */

/* The statement with kind, program and, unless NULL, name as its first parameters; NULL: *error. */
static sqlite3_stmt *query(struct rv_store *store, const char *sql, const char *kind, const char *program,
                           const char *name, char **error) {
    sqlite3_stmt *statement = NULL;
    bool good = rv_sqlite->prepare_v2(store->database, sql, -1, &statement, NULL) == SQLITE_OK &&
                rv_sqlite->bind_text(statement, 1, kind, -1, SQLITE_STATIC) == SQLITE_OK &&
                (!program || rv_sqlite->bind_text(statement, 2, program, -1, SQLITE_STATIC) == SQLITE_OK) &&
                (!name || rv_sqlite->bind_text(statement, 3, name, -1, SQLITE_STATIC) == SQLITE_OK);
    if (good) return statement;
    failed(store, error);
    rv_sqlite->finalize(statement);
    return NULL;
}

static void copy_column(sqlite3_stmt *statement, struct rv_blob *blob) {
    const void *data = rv_sqlite->column_blob(statement, 0);
    blob->size = (size_t)rv_sqlite->column_bytes(statement, 0);
    blob->data = rv_text_alloc(blob->size + 1, 1); /* one more: never NULL, and texts are ended */
    if (data) memcpy(blob->data, data, blob->size);
}

bool rv_store_get(struct rv_store *store, const char *kind, const char *program, const char *name,
                  struct rv_blob *blob, char **error) {
    *blob = (struct rv_blob){0};
    if (!store->database) return true;
    sqlite3_stmt *statement =
        query(store, "SELECT data FROM piece WHERE kind = ? AND program = ? AND name = ?", kind, program,
              name, error);
    if (!statement) return false;
    int step = rv_sqlite->step(statement);
    if (step == SQLITE_ROW) copy_column(statement, blob);
    bool good = step == SQLITE_ROW || step == SQLITE_DONE || failed(store, error);
    rv_sqlite->finalize(statement);
    return good;
}

static char **list(struct rv_store *store, const char *sql, const char *kind, const char *program,
                   char **error) {
    char **names = rv_text_alloc(1, sizeof *names);
    if (!store->database) return names;
    sqlite3_stmt *statement = query(store, sql, kind, program, NULL, error);
    int step = SQLITE_ERROR;
    for (size_t count = 0; statement && (step = rv_sqlite->step(statement)) == SQLITE_ROW;) {
        names = rv_text_realloc(names, count + 2, sizeof *names);
        names[count++] = rv_text_copy((const char *)rv_sqlite->column_text(statement, 0));
        names[count] = NULL;
    }
    bool good = step == SQLITE_DONE || (statement && failed(store, error));
    rv_sqlite->finalize(statement);
    if (good) return names;
    rv_store_names_free(names);
    return NULL;
}

char **rv_store_names(struct rv_store *store, const char *kind, const char *program, char **error) {
    return list(store, "SELECT name FROM piece WHERE kind = ? AND program = ? ORDER BY name", kind, program,
                error);
}

char **rv_store_programs(struct rv_store *store, const char *kind, char **error) {
    return list(store, "SELECT DISTINCT program FROM piece WHERE kind = ? ORDER BY program", kind, NULL,
                error);
}

void rv_store_names_free(char **names) {
    for (char **name = names; name && *name; name++) free(*name);
    free(names);
}

bool rv_store_begin(struct rv_store *store, char **error) { return run(store, "BEGIN IMMEDIATE", error); }

bool rv_store_put(struct rv_store *store, const char *kind, const char *program, const char *name,
                  const void *data, size_t size, char **error) {
    if (size > RV_STORE_DATA_MAX) {
        *error = rv_text_format("%s: %zu bytes are more than it takes at once (%d)", store->path, size,
                                RV_STORE_DATA_MAX);
        return false;
    }
    sqlite3_stmt *statement =
        query(store, "INSERT OR REPLACE INTO piece (kind, program, name, data) VALUES (?, ?, ?, ?)", kind,
              program, name, error);
    if (!statement) return false;
    bool good = (rv_sqlite->bind_blob64(statement, 4, size ? data : "", size, SQLITE_STATIC) == SQLITE_OK &&
                 rv_sqlite->step(statement) == SQLITE_DONE) ||
                failed(store, error);
    rv_sqlite->finalize(statement);
    return good;
}

bool rv_store_remove(struct rv_store *store, const char *kind, const char *program, const char *name,
                     char **error) {
    sqlite3_stmt *statement = query(store,
                                    name ? "DELETE FROM piece WHERE kind = ? AND program = ? AND name = ?"
                                         : "DELETE FROM piece WHERE kind = ? AND program = ?",
                                    kind, program, name, error);
    if (!statement) return false;
    bool good = rv_sqlite->step(statement) == SQLITE_DONE || failed(store, error);
    rv_sqlite->finalize(statement);
    return good;
}

bool rv_store_commit(struct rv_store *store, char **error) { return run(store, "COMMIT", error); }
