/* How the test file is compiled: as `ravel cc` has noted it (cli/cc_migrate.c), or as a compilation database says. */
#ifndef RV_MIGRATE_NOTE_H
#define RV_MIGRATE_NOTE_H

#include <stdbool.h>

struct rv_note {
    char *directory, *shown; /* where; the file's name as the compiler is given it */
    char **arguments;        /* NULL-terminated, owned like the rest */
};

/* False: nothing was noted; *note stays as it is. A note that is there already is kept. */
bool rv_note_read(struct rv_note *note, const char *path);
/* `file`: the real path. False: *message. */
bool rv_note_from_database(struct rv_note *note, const char *path, const char *file, char **message);
void rv_note_free(struct rv_note *note);

#endif
