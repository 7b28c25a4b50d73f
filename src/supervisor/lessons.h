/* What a strategy with `save` has learned about a program, as data: HaPSets, and the modules that their code
 * locations speak of.
 *
 * A code location is a module's index and an offset. Indices are kept for ever: the table of an earlier campaign is put
 * into the areas before any worker starts (rv_lessons_give), and a worker finds its modules there by path. So nothing
 * has to be translated. What a campaign cannot use is dropped, statement by statement: those in files that have been
 * built anew or are gone (rv_lessons_renew), and those of a worker that numbered its modules in another way, as two
 * may that load plug-ins in another order. Module 0 is the program. If many modules are gone all begins anew.
 *
 *   call               | input                      | trusted
 *   rv_lessons_read    | the saved form             | no
 *   rv_lessons_take    | a worker's area            | no
 *   rv_lessons_add     | lessons                    | as they are
 *
 * Saved form: magic, version, number of modules, check sum of the table, as 64-bit words; the table, each module a path of
 * RV_LESSON_PATH and a key of RV_KEY_SIZE bytes, filled with NULs; then the saved form of the sets (strategy/hapset.h).
 */
#ifndef RV_SUPERVISOR_LESSONS_H
#define RV_SUPERVISOR_LESSONS_H

#include "base/protocol.h"
#include "store/key.h"

enum { RV_LESSON_PATH = sizeof((struct rv_module *)0)->path };

struct rv_lesson_module {
    char path[RV_LESSON_PATH]; /* NUL-terminated, as the worker saw it */
    char key[RV_KEY_SIZE];     /* which build of it (store/key.h); "" if that cannot be told */
};

struct rv_lessons {
    struct rv_arena arena; /* of the sets */
    uint32_t module_count;
    struct rv_lesson_module modules[RV_MAX_MODULES];
    struct rv_hapsets sets;
};

/* Empty ones; rv_lessons_free. */
struct rv_lessons *rv_lessons_new(void);
void rv_lessons_free(struct rv_lessons *lessons); /* NULL is fine */

/* Adds what can be used: statements of modules that both have at the same index, under the same path and key, or that
 * `lessons` has not got yet. */
void rv_lessons_add(struct rv_lessons *lessons, const struct rv_lessons *more);

/* The saved form; malloc'ed. */
void *rv_lessons_write(const struct rv_lessons *lessons, size_t *size);
/* NULL: it is no saved form. */
struct rv_lessons *rv_lessons_read(const void *data, size_t size);
/* The same for the program that is now at `path`, with this key, and the modules as they are now. */
struct rv_lessons *rv_lessons_renew(const struct rv_lessons *lessons, const char *path, const char *key);

/* Into a fresh area, before its first process. */
void rv_lessons_give(const struct rv_lessons *lessons, struct rv_area *area);
/* Adds what the worker has kept in its area, which nobody writes to any more. */
void rv_lessons_take(struct rv_lessons *lessons, const struct rv_area *area);

#endif
