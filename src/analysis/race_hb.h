/* The happens-before race detector: watches one execution after the other and reports each race that happened.
 *
 * A race is a pair of accesses that conflict (step.h) and of which neither happens before the other. For an execution that
 * was watched to its end (not `exhausted`):
 *
 *   guarantee                                  | but for
 *   -------------------------------------------+---------------------------------------------------------------------
 *   every report is a race                     | -
 *   the first race of each byte is reported:   | a pair of sites that was reported before in this execution
 *   the earliest access that races with an     |
 *   earlier one on it, with one of these       |
 *   so is every later access that races with   | the same; and an access that only repeats one of its thread's, after
 *   an earlier one                             | which the thread released nothing: that one is reported
 *
 * Which of the earlier accesses is named is not said: one that race_hb.c keeps for the others. FastTrack promises the first
 * race of each variable only; the rest is more.
 *
 *   operation       | who calls it                         | guarantees
 *   rv_race_init    | once                                 | false: no memory; nothing to give back
 *   rv_race_begin   | before each execution                | all forgotten; constant time
 *   rv_race_step    | for every step, in order             | reports come before it returns
 *   rv_race_plain   | instead, for a READ or WRITE; inline | the same as rv_race_step
 *   rv_race_thread  | when a thread comes to run           | its handle for rv_race_plain; good until rv_race_begin or
 *                   |                                      | the thread's EXIT. NULL: exhausted
 *
 * One thread at a time. Reports: each unordered pair of sites once per execution. Cost: 32 bytes per 8 bytes touched, and
 * blocks of 16 bytes a cell where three or more accesses must be remembered.
 */
#ifndef RV_ANALYSIS_RACE_HB_H
#define RV_ANALYSIS_RACE_HB_H

#include "analysis/race_shadow.h"

/* One side of a race. What is known of the earlier one is exact but for its extent: */
struct rv_race_access {
    uint64_t
        address; /* earlier one: in the granule where they met, the lowest byte that the access still stands for;
                       * where several accesses are kept as one, the byte that both touched, aligned to the size */
    uint64_t size; /* of the access; earlier one of a size other than 1, 2, 4, 8, 16: 0 */
    uint64_t site;
    uint32_t thread;
    uint32_t
        step; /* its number; of the last, where the thread did the same again before it released anything */
    uint8_t kind; /* enum rv_step_kind */
};

struct rv_race_report {
    struct rv_race_access first, second; /* in the order in which they happened */
    uint64_t address;                    /* a byte that both touched */
};

typedef void rv_race_callback(void *user, const struct rv_race_report *report);

enum { RV_SITE_MEMOS = 1 << 12 };
struct rv_site_memo {
    uint64_t site;
    uint32_t number; /* 1 + number; 0: empty */
};

struct rv_race {
    struct rv_hb hb;
    struct rv_granules shadow;
    struct rv_spill spill;
    struct rv_index sites; /* over all executions; items: the site */
    struct rv_arena site_arena;
    struct rv_site_memo *site_memo; /* by hash: what was asked lately */
    struct rv_index pairs;          /* reported in this execution; in hb's arena */
    rv_race_callback *callback;
    void *user;
    bool exhausted; /* no memory: nothing is looked at until the next rv_race_begin */
    bool
        thorough; /* rv_race_step checks an access that only repeats one of its thread's, too: it may be another site */
};

bool rv_race_init(struct rv_race *race, const struct rv_pages *pages, rv_race_callback *callback, void *user);
void rv_race_begin(struct rv_race *race);
void rv_race_step(struct rv_race *race, const struct rv_step *step, uint32_t number);
const struct rv_hb_thread *rv_race_thread(struct rv_race *race, uint32_t number);
void rv_race_slow(struct rv_race *race, const struct rv_hb_thread *thread, const struct rv_step *step,
                  uint32_t number);

/* The granule that all these bytes are in; NULL: there is none, or it takes a closer look. */
static inline __attribute__((always_inline)) struct rv_granule *
rv_race_granule(const struct rv_race *race, uint64_t address, uint64_t size) {
    if (__builtin_expect((address & 7) + size > 8, 0)) return NULL;
    char *records = rv_granules_near(&race->shadow, address);
    if (__builtin_expect(!records, 0)) return NULL;
    return rv_granule_in(records, address, sizeof(struct rv_granule));
}

/* Whether the newest access to the granule is the thread's own, of its present epoch, touched all these bytes, and is met by
 * every access that would meet this one: then this one adds nothing. */
static inline __attribute__((always_inline)) bool rv_race_known(const struct rv_granule *granule,
                                                                const struct rv_hb_thread *thread,
                                                                uint64_t address, uint64_t size, bool write) {
    if (!granule) return false;
    uint64_t what = granule->first.what, bytes = ((1u << size) - 1) << (address & 7);
    if ((what ^ thread->epoch) & RV_CELL_EPOCH) return false;
    uint64_t kind = what >> RV_CELL_KIND & 7; /* READ or WRITE; for a write WRITE only */
    return !(bytes & ~(what >> RV_CELL_BYTES)) && kind <= RV_STEP_WRITE && kind >= write;
}

/* A read of a granule of which nothing but reads is kept, one of these bytes by the same thread among them: it takes that
 * one's place. False: it is not that. */
bool rv_race_read_again(struct rv_race *race, const struct rv_hb_thread *thread, struct rv_granule *granule,
                        const struct rv_step *step, uint32_t number);

static inline __attribute__((always_inline)) void rv_race_plain(struct rv_race *race,
                                                                const struct rv_hb_thread *thread,
                                                                uint64_t address, uint64_t size, bool write,
                                                                uint64_t site, uint32_t number) {
    struct rv_granule *granule = rv_race_granule(race, address, size);
    if (__builtin_expect(rv_race_known(granule, thread, address, size, write), 1)) return;
    struct rv_step step = {.address = address,
                           .size = size,
                           .site = site,
                           .thread = thread->number,
                           .kind = write ? RV_STEP_WRITE : RV_STEP_READ};
    if (!write && granule && rv_race_read_again(race, thread, granule, &step, number)) return;
    rv_race_slow(race, thread, &step, number);
}

#endif
