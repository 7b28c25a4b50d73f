/* Tests made by chance: which calls, with which arguments. An engine says what it wants in them (engine.h); the rest is filled in.
 *
 * Arguments are chosen so that calls meet: each test has a few numbers and strings of its own, and most arguments are among
 * them. Sizes of new objects are small, so that what is full, empty, or about to grow is near.
 */
#ifndef RV_GENERATE_MAKE_H
#define RV_GENERATE_MAKE_H

#include "base/rng.h"
#include "generate/test.h"

enum { RV_DOMAIN = 4 };

struct rv_maker {
    const struct rv_api *api;
    struct rv_rng rng;
    int64_t numbers[RV_DOMAIN]; /* of the test being made */
    uint32_t number_count;
    int64_t strings[RV_DOMAIN];
    uint32_t string_count;
    uint32_t objects;
    uint32_t *methods, method_count;        /* that can be called before the threads, or by them */
    uint32_t *changers, changer_count;      /* among them, those that do more than look */
    uint32_t *concurrent, concurrent_count; /* that threads may call */
    uint32_t *observers, observer_count;
    uint32_t *constructors, constructor_count;
};

/* What is to be called by the two threads at once; the numbers of methods. */
struct rv_wish {
    uint32_t calls[2][4];
    uint32_t count[2];
};

/* false: there is no constructor, or nothing to call. */
bool rv_maker_open(struct rv_maker *maker, const struct rv_api *api, uint64_t seed);
void rv_maker_close(struct rv_maker *maker);
/* Test number `index` of the seed. */
void rv_maker_begin(struct rv_maker *maker, uint64_t seed, uint64_t index);
void rv_maker_make(struct rv_maker *maker, const struct rv_wish *wish, struct rv_test *test);
/* Any method that threads may call. */
uint32_t rv_maker_any(struct rv_maker *maker);

#endif
