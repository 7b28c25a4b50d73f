/* Executions of tests: one process at a time, that is the harness under a server (supervisor/serve.h), and gets test after test
 * through its area, each with as many executions as are wanted. A process that dies is replaced. */
#ifndef RV_GENERATE_RUNNER_H
#define RV_GENERATE_RUNNER_H

#include "generate/test.h"
#include "supervisor/confirm.h"
#include "supervisor/serve.h"

struct rv_runner {
    struct rv_program *program;
    struct rv_config config;
    uint64_t harness;
    struct rv_server server;
    bool open;
    uint64_t executions; /* so far */
    uint64_t batches, deaths;
    unsigned char *test; /* room for a case */
    char *error;
};

/* One execution, as its batch's callback sees it. Nothing stays. */
struct rv_executed {
    enum rv_kind kind;
    uint64_t signature, number;
    uint64_t points;
    bool cut;  /* it did not terminate */
    bool died; /* the process did */
    const unsigned char *told;
    uint32_t told_size;
    const struct rv_schedule *schedule; /* NULL: not kept */
    const char *message;                /* "" unless it is the last one */
};

struct rv_batch {
    const char *strategy;
    uint64_t seed, first;
    uint32_t wanted;
    bool keep_going;
    unsigned flags;        /* RV_REQUEST_RECORD: the last execution is recorded */
    const uint8_t *orders; /* sequential, one after the other */
    uint32_t order_count;
    /* false: that is enough */
    bool (*each)(void *user, const struct rv_executed *executed);
    void *user;
};

bool rv_runner_open(struct rv_runner *runner, struct rv_program *program, const struct rv_config *config,
                    uint64_t harness);
void rv_runner_close(struct rv_runner *runner);
/* false: it cannot be run: runner->error, or interrupted. */
bool rv_runner_do(struct rv_runner *runner, const struct rv_test *test, const struct rv_batch *batch);
/* One execution by this schedule, told to batch->each, with its trace in the area. As rv_runner_do. */
bool rv_runner_follow(struct rv_runner *runner, const struct rv_test *test, const struct rv_batch *batch,
                      const struct rv_schedule *schedule);
/* One execution by this schedule; what came of it is in the area. false: none took place. */
bool rv_runner_replay(struct rv_runner *runner, const struct rv_test *test,
                      const struct rv_schedule *schedule);
struct rv_area *rv_runner_area(const struct rv_runner *runner);

#endif
