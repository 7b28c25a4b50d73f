/* What a campaign starts from and leaves behind: the lessons of a strategy that learns (`save` in strategy.h), between
 * campaigns in the store.
 *
 * Strategies that keep nothing never touch the store. The store is open only while it is read, before the campaign, and
 * written, after exploration: in one transaction that adds to what is there then, for another campaign may have
 * written meanwhile.
 *
 * Lessons of statements that are told apart by another number of calls are no use to each other: they lie side by side,
 * under names of rv_learning_name.
 */
#ifndef RV_SUPERVISOR_LEARNING_H
#define RV_SUPERVISOR_LEARNING_H

#include "store/store.h"
#include "supervisor/lessons.h"
#include "supervisor/program.h"

#define RV_LEARNING_KIND "hapset" /* in the store */
enum { RV_LEARNING_NAME = 16 };

struct rv_learning {
    const struct rv_program *program; /* the caller's, as long as this */
    char *store;                      /* its path */
    char key[RV_KEY_SIZE];
    char name[RV_LEARNING_NAME];
    bool fresh;                 /* replaces what is there */
    struct rv_lessons *lessons; /* to start from; the campaign adds to them */
};

/* "calls=K": the name for statements that are told apart by K calls of the stack; K of a name, false: it is none. */
void rv_learning_name(uint32_t calls, char name[RV_LEARNING_NAME]);
bool rv_learning_calls(const char *name, uint32_t *calls);

/* What is in the store under the name, as the program is now; *lessons stays NULL if there is nothing. False: *error. */
bool rv_learning_read(struct rv_store *store, const struct rv_program *program, const char *key,
                      const char *name, struct rv_lessons **lessons, char **error);

/* For a campaign with this strategy ("hapset:3"); *learning is NULL if it keeps nothing. False: *error: the store cannot
 * be read. `fresh`: it is not. */
bool rv_learning_open(struct rv_learning **learning, const struct rv_program *program, const char *strategy,
                      const char *store, bool fresh, char **error);
/* False: *error; the lessons are as they were, and so is the store. */
bool rv_learning_save(struct rv_learning *learning, char **error);
void rv_learning_close(struct rv_learning *learning); /* NULL is fine */

#endif
