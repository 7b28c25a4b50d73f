/* A search in parts: what a search gives away, hands in, and is saved as.
 *
 * A part is flat data without pointers, so that it can go to another process or into a file. Whoever takes one
 * trusts nothing in it: every count, index and size is checked, and a check sum catches accidents.
 *
 *   STACK   a search under way: carried on by whoever takes it, to the floor of its stack
 *   WAITS   a stack that has nothing left above the level at which it has given branches away; to be carried on when all
 *           of these are back, with what they found out for it
 *   RESULT  a stack that was carried on to its floor: what it found that lies below (dpor: beginnings for levels that are
 *           not its own)
 *
 * Whoever deals the parts out (supervisor/pool.h) looks at the header only. The life of a tree:
 *
 *     take(NULL): the root                          somebody begins
 *     split                                         whoever runs gives a part of what is left to whoever is idle
 *     end() is false, hand_in: WAITS or RESULT      nothing is left, for now or for good
 *     take(WAITS), add(RESULT)..., carry_on         everything that a WAITS had given away is back
 *     judge(flags of all)                           all parts are done: another tree (as after something was learned),
 *                                                   or the end, and complete() is the verdict
 *
 * All of them are called between executions; but for freeze and take only if config.divided was set at create. A search
 * that is saved is frozen at its end, and taken by the next one before its first execution.
 */
#ifndef RV_STRATEGY_PART_H
#define RV_STRATEGY_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum rv_part_kind { RV_PART_STACK = 1, RV_PART_WAITS, RV_PART_RESULT };

/* What is known of the tree by whoever worked at this part. */
enum {
    RV_PART_LEARNED = 1,  /* about conflicts: the tree has more branches than was known */
    RV_PART_MISMATCH = 2, /* an execution did not repeat what was recorded */
    RV_PART_CUT = 4,      /* something was out of reach */
    RV_PART_LIMITED = 8,  /* a bound has left something out */
    RV_PART_SPLIT = 32,   /* it gave parts away */
    RV_PART_WHOLE = 64,   /* the tree must not be divided */
    RV_PART_NONDETERMINISTIC =
        16 /* a mismatch for which nothing learned is the reason, in this tree or an earlier one */
};

struct rv_part {
    uint64_t magic;
    uint64_t sum;   /* of all that follows */
    uint64_t size;  /* of all, this header included */
    uint32_t kind;  /* enum rv_part_kind */
    uint32_t level; /* STACK from split: at which its parent waits for it; WAITS: at which it waits */
    uint32_t flags;
    uint32_t strategy; /* whose format it is: RV_PART_DPOR ... */
    double left;       /* of the whole tree: rv_search_progress */
};

enum { RV_PART_SEARCH = 1, RV_PART_DPOR = 2 };

/* A set of numbers (not 0) that all workers of a search add to, in memory that they share at the same address. Lock-free: a number
 * is one word, and none is ever removed. Full, it forgets what is new. */
enum { RV_KNOWN_SLOTS = 1 << 23 };
struct rv_known {
    uint64_t count;
    uint64_t slots[RV_KNOWN_SLOTS];
};
/* Whether it was there. From now on it is. */
bool rv_known_add(struct rv_known *known, uint64_t number);

struct rv_division {
    /* Only freeze and take: the search can be saved and carried on, not divided.
     * All that is left, as a STACK. The bytes it needs; written if they are not more than `room`. Also without config.divided. */
    size_t (*freeze)(const void *state, void *buffer, size_t room);
    /* Gives a part away, as a STACK. 0: there is nothing to give now, or no room for it. */
    size_t (*split)(void *state, void *buffer, size_t room);
    /* After end() or carry_on was false. 0: no room, and the search is not complete. */
    size_t (*hand_in)(void *state, void *buffer, size_t room);
    /* Forgets its stack for this one; NULL: the root of a tree. `tree`: the number of the tree. False: it is not
     * good, and nothing is left. */
    bool (*take)(void *state, uint32_t tree, const void *data, size_t size);
    /* After a WAITS was taken. False: it is not good. */
    bool (*add)(void *state, const void *data, size_t size);
    /* ... and after the last one: whether there is something left; if not, hand_in. */
    bool (*carry_on)(void *state);
    /* All parts of this tree are done, with these flags together. True: there is another tree, and its root is taken. */
    bool (*judge)(void *state, uint32_t tree, uint32_t flags);
};

/* ---- writing and reading, part.c ---- */

struct rv_part_writer {
    char *to;
    size_t room, size; /* size may become more than room */
};
void rv_part_begin(struct rv_part_writer *writer, void *buffer, size_t room, const struct rv_part *header);
void rv_part_put(struct rv_part_writer *writer, const void *data, size_t size);
static inline void rv_part_put8(struct rv_part_writer *w, uint8_t value) { rv_part_put(w, &value, 1); }
static inline void rv_part_put32(struct rv_part_writer *w, uint32_t value) { rv_part_put(w, &value, 4); }
static inline void rv_part_put64(struct rv_part_writer *w, uint64_t value) { rv_part_put(w, &value, 8); }
/* The size; sets it and the check sum if all fitted. */
size_t rv_part_end(struct rv_part_writer *writer);
/* Makes data that is at least a header pass for a part, as far as size and sum go. */
void rv_part_seal(void *data, size_t size);

struct rv_part_reader {
    const char *from;
    size_t size, at;
    bool bad; /* something was missing or out of range; from then on everything reads as 0 */
};
/* False: no header, another format, or damaged. */
bool rv_part_open(struct rv_part_reader *reader, const void *data, size_t size, struct rv_part *header);
void rv_part_get(struct rv_part_reader *reader, void *data, size_t size);
static inline uint8_t rv_part_get8(struct rv_part_reader *r) {
    uint8_t value;
    rv_part_get(r, &value, 1);
    return value;
}
static inline uint32_t rv_part_get32(struct rv_part_reader *r) {
    uint32_t value;
    rv_part_get(r, &value, 4);
    return value;
}
static inline uint64_t rv_part_get64(struct rv_part_reader *r) {
    uint64_t value;
    rv_part_get(r, &value, 8);
    return value;
}
/* One that must not be more than `most`, and is 0 if it is. */
uint32_t rv_part_get_most(struct rv_part_reader *reader, uint32_t most);
/* Everything was there, and nothing is left. */
bool rv_part_done(const struct rv_part_reader *reader);

#endif
