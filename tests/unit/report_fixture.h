/* For the tests of src/report: an area to fill by hand, and a failure with every field set. */
#ifndef RV_TESTS_REPORT_FIXTURE_H
#define RV_TESTS_REPORT_FIXTURE_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "report/failure.h"
#include "report/symbolise.h"
#include "report/text.h"

static inline struct rv_area *fixture_area(void) {
    void *memory = mmap(NULL, sizeof(struct rv_area), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static inline void fixture_area_free(struct rv_area *area) { munmap(area, sizeof *area); }

static inline struct rv_location fixture_at(const char *function, unsigned line, const char *source) {
    return (struct rv_location){.function = rv_text_copy(function),
                                .file = rv_text_copy(line ? "src/bank.c" : ""),
                                .line = line,
                                .source = rv_text_copy(source),
                                .module = rv_text_copy("/opt/bank"),
                                .offset = 0x1000 + line};
}

static inline struct rv_stack_text fixture_stack(const char *function, unsigned line) {
    struct rv_stack_text stack = {rv_text_alloc(2, sizeof(struct rv_location)), 2};
    stack.frames[0] = fixture_at(function, line, "");
    stack.frames[1] = fixture_at("worker", 90, "");
    return stack;
}

static inline void fixture_event(struct rv_failure *failure, uint32_t thread, enum rv_op op,
                                 const char *object, uint64_t value, unsigned flags, const char *note,
                                 unsigned line, const char *source) {
    failure->events = rv_text_realloc(failure->events, failure->event_count + 1, sizeof *failure->events);
    failure->events[failure->event_count] = (struct rv_trace_event){.thread = thread,
                                                                    .op = op,
                                                                    .object = rv_text_copy(object),
                                                                    .value = value,
                                                                    .step = 10 + failure->event_count,
                                                                    .size = 4,
                                                                    .flags = (uint16_t)flags,
                                                                    .decisive = note != NULL,
                                                                    .weight = note ? 4 : 2,
                                                                    .note = rv_text_copy(note),
                                                                    .at = fixture_at("deposit", line, source),
                                                                    .caller = fixture_at("", 0, "")};
    failure->event_count++;
}

static inline void fixture_thread(struct rv_failure *failure, uint32_t id, const char *name,
                                  const char *state, enum rv_op op, const char *object, uint32_t owner,
                                  const char *held) {
    failure->threads = rv_text_realloc(failure->threads, failure->thread_count + 1, sizeof *failure->threads);
    struct rv_thread_text *thread = &failure->threads[failure->thread_count++];
    *thread = (struct rv_thread_text){.id = id,
                                      .name = rv_text_copy(name),
                                      .state = rv_text_copy(state),
                                      .op = op,
                                      .owner = owner,
                                      .object = rv_text_copy(object),
                                      .stack = fixture_stack("deposit", 20 + id),
                                      .created_at = fixture_at("main", 70, ""),
                                      .held = rv_text_alloc(1, sizeof *thread->held)};
    if (!held) return;
    thread->held_count = 1;
    thread->held[0].object = rv_text_copy(held);
    thread->held[0].acquired = fixture_stack("transfer", 40 + id);
}

/* A lost update that an assertion in main sees. */
static inline struct rv_failure fixture_failure(void) {
    struct rv_failure failure = {.kind = RV_KIND_ASSERT,
                                 .thread = 0,
                                 .preemptions = 1,
                                 .switches = 4,
                                 .signature = 0xfeedbeefcafe1234,
                                 .first_schedule = 17,
                                 .count = 3,
                                 .event_hash = 0xffffffffffffffff,
                                 .exit_status = -1,
                                 .events_total = 4711};
    strcpy(failure.config.strategy, "pct:3");
    strcpy(failure.config.test, "put_take");
    strcpy(failure.config.plan_label, "two \"labels\"");
    strcpy(failure.config.plan, "put#2 -> take@a,\n[b] -> c");
    failure.config.direct = 1;
    failure.config.seed = UINT64_MAX;
    failure.config.expect_exit = -5;
    failure.config.clock_base = -1;
    failure.config.workers = 2;
    failure.program = rv_text_copy("./bank \"x\"");
    failure.args = rv_text_alloc(3, sizeof *failure.args);
    failure.args[0] = rv_text_copy("-n");
    failure.args[1] = rv_text_copy("2\n\x01\xff\\ \xc3\xa4");
    failure.env = rv_text_alloc(2, sizeof *failure.env);
    failure.env[0] = rv_text_copy("TZ=UTC");
    failure.message = rv_text_copy("Assertion `balance == 2' failed");
    failure.output = rv_text_copy("one\ntwo\n\nlast without newline");
    failure.run_count = 5;
    failure.runs = rv_text_alloc(5, sizeof *failure.runs);
    struct rv_run runs[5] = {
        {0, 0, 15}, {1, 0, 7}, {2, RV_RUN_TIMEOUT, 30}, {1, 0, UINT64_MAX}, {0, 0, UINT64_MAX}};
    memcpy(failure.runs, runs, sizeof runs);
    failure.choice_count = 15;
    failure.choices = rv_text_alloc(15, 1);
    failure.choices[12] = 2;
    failure.choices[13] = 1;
    fixture_event(&failure, 1, RV_OP_READ, "balance", 0, RV_EVENT_SWITCH | RV_EVENT_VALUE,
                  "reads it, then is preempted", 12, "int b = balance;");
    fixture_event(&failure, 2, RV_OP_READ, "balance", 0, RV_EVENT_SWITCH | RV_EVENT_PREEMPT | RV_EVENT_VALUE,
                  NULL, 12, "int b = balance;");
    fixture_event(&failure, 2, RV_OP_WRITE, "balance", 0, 0, "changes it in between", 13, "balance = b + 1;");
    fixture_event(&failure, 1, RV_OP_WRITE, "balance", 0, RV_EVENT_SWITCH, "overwrites that change", 13,
                  "balance = b + 1;");
    fixture_thread(&failure, 0, "main", "running", RV_OP_NONE, "", RV_NO_THREAD, NULL);
    fixture_thread(&failure, 1, "deposit", "exited", RV_OP_NONE, "", RV_NO_THREAD, NULL);
    fixture_thread(&failure, 2, "deposit", "exited", RV_OP_NONE, "", RV_NO_THREAD, "bank.lock");
    failure.block = rv_text_alloc(1, sizeof *failure.block);
    *failure.block = (struct rv_block_text){
        .description = rv_text_copy("struct account.next (heap block from open() bank.c:8)"),
        .size = 24,
        .offset = 8,
        .alloc_thread = 0,
        .free_thread = RV_NO_THREAD,
        .allocated = fixture_stack("open", 8)};
    rv_failure_complete(&failure);
    return failure;
}

#endif
