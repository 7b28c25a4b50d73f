/* A race and a deadlock for tests that only read them: nothing in them is owned. */
#ifndef RV_TESTS_RACE_SAMPLE_H
#define RV_TESTS_RACE_SAMPLE_H

#include "base/op.h"
#include "report/race.h"

struct sample {
    struct rv_location writer[3], reader[2], created[1], allocated[1];
    struct rv_block_text block;
    struct rv_race_text race;
    struct rv_location held[2][2], wanted[2][1];
    struct rv_deadlock_wait waits[2];
    struct rv_deadlock_text deadlock;
};

static inline struct rv_location sample_at(char *function, char *file, unsigned line, char *module) {
    return (struct rv_location){
        .function = function, .file = file, .line = line, .source = "", .module = module, .offset = 0x1234};
}

static inline void sample_race(struct sample *sample) {
    sample->writer[0] = sample_at("memcpy", "", 0, "/lib/libc.so.6");
    sample->writer[1] = sample_at("queue_push", "src/queue.c", 41, "/opt/queue");
    sample->writer[2] = sample_at("producer", "src/main.c", 12, "/opt/queue");
    sample->reader[0] = sample_at("queue_pop", "src/queue.c", 57, "/opt/queue");
    sample->reader[1] = sample_at("main", "src/main.c", 30, "/opt/queue");
    sample->created[0] = sample_at("main", "src/main.c", 25, "/opt/queue");
    sample->allocated[0] = sample_at("queue_new", "src/queue.c", 9, "/opt/queue");
    sample->block = (struct rv_block_text){.description = "heap block of 64 bytes",
                                           .size = 64,
                                           .offset = 8,
                                           .free_thread = RV_NO_THREAD,
                                           .allocated = {sample->allocated, 1}};
    sample->race = (struct rv_race_text){
        .status = RV_RACE_POTENTIAL,
        .signature = 0xabcdef12345,
        .variable = "queue.head",
        .block = &sample->block,
        .first = {.thread = {.id = 1, .name = "producer", .creator = 0, .created = {sample->created, 1}},
                  .kind = RV_STEP_WRITE,
                  .size = 8,
                  .stack = {sample->writer, 3}},
        .second = {.thread = {.id = 0, .name = "main", .creator = RV_NO_THREAD},
                   .kind = RV_STEP_ATOMIC_READ,
                   .order = RV_ORDER_RELAXED,
                   .size = 8,
                   .stack = {sample->reader, 2}},
        .why = "no lock and no other synchronisation orders them",
        .count = 3,
        .file = "",
        .harm = "",
        .harm_file = ""};
}

static inline void sample_deadlock(struct sample *sample) {
    for (unsigned i = 0; i < 2; i++) {
        sample->held[i][0] = sample_at("account_lock", "src/bank.c", 10 + i, "/opt/libbank.so");
        sample->held[i][1] = sample_at("transfer", "src/bank.c", 20 + i, "/opt/libbank.so");
        sample->wanted[i][0] = sample_at("transfer_second", "src/bank.c", 30 + i, "/opt/libbank.so");
        sample->waits[i] = (struct rv_deadlock_wait){
            .thread = {.id = i + 1, .name = "teller", .creator = 0, .created = {sample->created, 1}},
            .held = i ? "bank.b" : "bank.a",
            .wanted = i ? "bank.a" : "bank.b",
            .held_at = {sample->held[i], 2},
            .wanted_at = {sample->wanted[i], 1}};
    }
    sample->deadlock = (struct rv_deadlock_text){.status = RV_RACE_REAL,
                                                 .signature = 7,
                                                 .waits = sample->waits,
                                                 .wait_count = 2,
                                                 .count = 1,
                                                 .tries = 4,
                                                 .file = "ravel-1.ravel"};
}

static inline void sample_fill(struct sample *sample) {
    sample_race(sample);
    sample_deadlock(sample);
}

#endif
