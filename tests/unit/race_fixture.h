/* A race with every field set, and a failure that is one. */
#ifndef RV_TESTS_RACE_FIXTURE_H
#define RV_TESTS_RACE_FIXTURE_H

#include "report/race.h"
#include "report_fixture.h"

static inline struct rv_race_side fixture_side(uint32_t id, enum rv_step_kind kind, unsigned line,
                                               const char *source) {
    struct rv_race_side side = {.thread = {.id = id,
                                           .name = rv_text_copy("deposit"),
                                           .creator = 0,
                                           .created = fixture_stack("main", 70 + id)},
                                .kind = (uint8_t)kind,
                                .size = 4,
                                .stack = fixture_stack("deposit", line)};
    rv_text_set(&side.stack.frames[0].source, rv_text_copy(source));
    return side;
}

static inline void fixture_hold(struct rv_race_side *side, const char *lock) {
    side->held = rv_text_realloc(side->held, side->held_count + 1, sizeof *side->held);
    side->held[side->held_count++] =
        (struct rv_lock_text){rv_text_copy(lock), fixture_stack("transfer", 40 + side->held_count)};
}

static inline struct rv_race_text fixture_race(enum rv_race_status status) {
    struct rv_race_text race = {.status = status,
                                .signature = 0xabcdef0123456789,
                                .variable = rv_text_copy("balance"),
                                .first = fixture_side(2, RV_STEP_WRITE, 13, "balance = b + 1;"),
                                .second = fixture_side(1, RV_STEP_READ, 12, "int b = balance;"),
                                .why = rv_text_copy("no lock is held by both, and nothing orders the two"),
                                .count = 12,
                                .tries = 1};
    fixture_hold(&race.first, "bank.lock");
    if (status != RV_RACE_POTENTIAL) race.file = rv_text_copy(".ravel/failures/r.ravel");
    if (status == RV_RACE_HARMFUL) {
        race.harm = rv_text_copy("assert: balance is 90, not 100");
        race.harm_file = rv_text_copy(".ravel/failures/h.ravel");
    }
    rv_race_complete(&race);
    return race;
}

static inline struct rv_block_text *fixture_block(void) {
    struct rv_block_text *block = rv_text_alloc(1, sizeof *block);
    *block = (struct rv_block_text){.description =
                                        rv_text_copy("struct account.next (heap block from open() bank.c:8)"),
                                    .size = 24,
                                    .offset = 8,
                                    .alloc_thread = 0,
                                    .free_thread = 1,
                                    .freed = true,
                                    .allocated = fixture_stack("open", 8),
                                    .released = fixture_stack("shut", 9)};
    return block;
}

static inline struct rv_failure fixture_race_failure(void) {
    struct rv_failure failure = fixture_failure();
    failure.kind = RV_KIND_RACE;
    failure.thread = 2;
    rv_text_set(&failure.message, rv_text_copy("data race: balance"));
    failure.race = rv_text_alloc(1, sizeof *failure.race);
    *failure.race = fixture_race(RV_RACE_HARMFUL);
    failure.race->block = fixture_block();
    failure.race->predicted = true;
    failure.race->second.kind = RV_STEP_ATOMIC_RMW;
    failure.race->second.order = RV_ORDER_ACQ_REL;
    failure.race->second.thread.creator = RV_NO_THREAD;
    fixture_hold(&failure.race->first, "a \"lock\"\n");
    rv_text_set(&failure.race->file, rv_text_copy(""));
    return failure;
}

#endif
