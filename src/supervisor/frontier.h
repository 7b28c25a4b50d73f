/* The frontier of a search that was interrupted: what `ravel run --resume` carries on.
 *
 * Kept in the store, for this build of the program and under a name made of its arguments, the strategy, and the
 * options that shape the tree (frontier_name): anything else would be another search. In it: the parts that are left
 * (strategy/part.h), what has been learned about conflicts, without which the tree is another one, where the program was
 * loaded, since objects are compared by address, and how many executions were made. A search that has come to its end removes
 * its frontier.
 *
 * What is read is not trusted. The sum over it catches accidents; what a part says is checked by whoever takes it. A file
 * that somebody has made up can have a search leave out what it likes: so could a forged list of failures.
 */
#ifndef RV_SUPERVISOR_FRONTIER_H
#define RV_SUPERVISOR_FRONTIER_H

#include "store/key.h"
#include "supervisor/explore.h"

#define RV_FRONTIER_KIND "frontier"

struct rv_frontier {
    const struct rv_program *program;
    char *store; /* its path */
    char key[RV_KEY_SIZE];
    char *name;
    bool stored;   /* there is one in the store */
    bool resuming; /* ... and it is carried on */
    /* What it consists of; empty unless resuming: */
    uint64_t executions; /* made by now */
    struct rv_pool pool;
    uint32_t module_count;
    char paths[RV_MAX_MODULES][sizeof((struct rv_module *)0)->path];
    struct rv_places places;
    struct rv_site *sites;
    size_t site_count;
    uint8_t escaped[sizeof((struct rv_area *)0)->escaped];
};

/* For a campaign with this configuration; *frontier is NULL if such a search cannot be saved. Returns false with a line in
 * *error if `resume` is asked for and impossible. */
bool rv_frontier_open(struct rv_frontier **frontier, const struct rv_program *program,
                      const struct rv_config *config, const char *store, bool resume, char **error);
/* Before the first worker is started: into the areas, and the pool. */
void rv_frontier_give(struct rv_frontier *frontier, struct rv_explorer *explorer);
/* After the last one has ended: saves what is left, or removes what is there if that is nothing. False: *error. */
bool rv_frontier_save(struct rv_frontier *frontier, struct rv_explorer *explorer,
                      const struct rv_totals *totals, char **error);
void rv_frontier_close(struct rv_frontier *frontier); /* NULL is fine */

/* The data by itself, for tests: reads into an empty one. False: damaged. */
bool rv_frontier_read(struct rv_frontier *frontier, const void *data, size_t size);
void *rv_frontier_write(const struct rv_frontier *frontier, size_t *size);
void rv_frontier_clear(struct rv_frontier *frontier);

#endif
