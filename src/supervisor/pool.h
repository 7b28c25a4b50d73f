/* The parts of a divided search (strategy/part.h): who has which, which can be carried on, what is over.
 *
 * Knows nothing of processes: whoever deals the parts out tells it what workers hand in and asks it what is next. What
 * workers hand in is not trusted: what has no good header is dropped, and then the search is not complete.
 *
 *   a part is   | ready: somebody may carry it on | running: a worker has it | waiting: for parts that it gave away
 *
 * A tree is over when there are no parts. The pool owns all data given to it (copies).
 */
#ifndef RV_SUPERVISOR_POOL_H
#define RV_SUPERVISOR_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_pool_data {
    char *bytes;
    size_t size;
};

enum rv_pool_state { RV_POOL_READY, RV_POOL_RUNNING, RV_POOL_WAITING };

struct rv_pool_part {
    uint64_t number;
    uint64_t parent; /* number of the part it was split from; 0: none, or it is over */
    uint32_t level;  /* at which that one waits for it */
    enum rv_pool_state state;
    unsigned worker;          /* with RUNNING */
    uint32_t at;              /* the level at which it waits, or waited last */
    double left;              /* of the tree */
    struct rv_pool_data data; /* with READY and WAITING; size 0: the root of a tree */
    struct rv_pool_result {
        uint32_t level;
        struct rv_pool_data data;
    } * results; /* for it, not delivered */
    size_t result_count;
};

struct rv_pool {
    struct rv_pool_part *parts;
    size_t count;
    uint64_t numbers; /* given so far */
    uint32_t tree;    /* number of the tree under way */
    uint32_t flags;   /* RV_PART_*: of all that was handed in, in this tree */
    uint32_t ever;    /* RV_PART_NONDETERMINISTIC of earlier trees */
};

void rv_pool_free(struct rv_pool *pool);
/* A new tree; its root is ready. */
void rv_pool_plant(struct rv_pool *pool);
/* Something ready, which is running at this worker from now on. NULL: nothing. Until the next call of anything. */
struct rv_pool_part *rv_pool_next(struct rv_pool *pool, unsigned worker);
/* What to deliver of it: its data, then the results of the level at which it waited; taken out, to be freed. */
struct rv_pool_data rv_pool_deliver(struct rv_pool_part *part);
bool rv_pool_is_ready(const struct rv_pool *pool);
/* The worker has given a part of what it runs away. */
void rv_pool_split(struct rv_pool *pool, unsigned worker, const void *data, size_t size);
/* The worker has handed in what it ran. Size 0: it could not. */
void rv_pool_hand_in(struct rv_pool *pool, unsigned worker, const void *data, size_t size);
/* The worker is gone for good, and with it what it ran. */
void rv_pool_lose(struct rv_pool *pool, unsigned worker);
/* The worker is gone, and this is what was left of what it ran: it is ready again. */
void rv_pool_put_back(struct rv_pool *pool, unsigned worker, const void *data, size_t size);
/* What waits for nothing any more is ready. Only where parts were put in from outside. */
void rv_pool_settle(struct rv_pool *pool);
/* What the worker runs; NULL: nothing. */
struct rv_pool_part *rv_pool_of(struct rv_pool *pool, unsigned worker);
/* What is left of the tree in parts that nobody runs, 0..1. */
double rv_pool_left(const struct rv_pool *pool);
/* The flags that a judge is told. Begins a new tree, whose root is running at the judge. */
uint32_t rv_pool_judge(struct rv_pool *pool, unsigned worker);

#endif
