#include "generate/runner.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/util.h"

bool rv_runner_open(struct rv_runner *runner, struct rv_program *program, const struct rv_config *config,
                    uint64_t harness) {
    *runner = (struct rv_runner){.program = program, .config = *config, .harness = harness};
    runner->test = rv_text_alloc(RV_CASE_ROOM, 1);
    runner->open = rv_server_open(&runner->server, program, config, false);
    if (!runner->open) runner->error = rv_text_copy(runner->server.error);
    return runner->open;
}

void rv_runner_close(struct rv_runner *runner) {
    if (runner->open) rv_server_close(&runner->server);
    free(runner->test);
    free(runner->error);
    *runner = (struct rv_runner){0};
}

struct rv_area *rv_runner_area(const struct rv_runner *runner) {
    return rv_server_area(&runner->server);
}

static bool prepare(struct rv_runner *runner, const struct rv_test *test, const struct rv_batch *batch) {
    struct rv_cases *cases = &rv_runner_area(runner)->cases;
    uint32_t size =
        rv_test_encode(test, runner->harness, batch->orders, batch->order_count, NULL, runner->test);
    if (!size) return false;
    memcpy(cases->test, runner->test, size);
    cases->size = size;
    cases->wanted = batch->wanted;
    cases->keep_going = batch->keep_going;
    cases->first = batch->first;
    cases->seed = batch->seed;
    cases->returned = 0;
    (void)snprintf(cases->strategy, sizeof cases->strategy, "%s", batch->strategy);
    return true;
}

/* The area belongs to a process that may write anything there: nothing is believed. The size of the reply, 0: it is damaged. */
static uint32_t read_reply(const unsigned char *at, uint32_t room, struct rv_case_reply *reply) {
    if (room < sizeof *reply) return 0;
    memcpy(reply, at, sizeof *reply);
    uint64_t need =
        sizeof *reply + (uint64_t)reply->runs * sizeof(struct rv_run) + reply->choices + reply->told;
    if (need > reply->size || reply->size > room || reply->size % 8 || reply->kind >= RV_KIND_COUNT) return 0;
    return reply->size;
}

/* false: enough. */
static bool tell(struct rv_runner *runner, const struct rv_batch *batch, const struct rv_case_reply *reply,
                 const unsigned char *at, const struct rv_outcome *last) {
    const unsigned char *choices = at + reply->runs * sizeof(struct rv_run);
    struct rv_schedule schedule =
        rv_schedule_copy((const struct rv_run *)(const void *)at, reply->runs, choices, reply->choices);
    struct rv_executed executed = {.kind = (enum rv_kind)reply->kind,
                                   .signature = reply->signature,
                                   .number = reply->number,
                                   .points = reply->points,
                                   .cut = reply->cut,
                                   .told = choices + reply->choices,
                                   .told_size = reply->told,
                                   .schedule = reply->unkept ? NULL : &schedule,
                                   .message = last ? last->message : ""};
    runner->executions++;
    bool more = batch->each(batch->user, &executed);
    rv_schedule_free(&schedule);
    return more;
}

/* The process ended in an execution: its last words, copied at once. */
struct death {
    struct rv_schedule schedule;
    unsigned char *told;
    uint32_t size;
    uint64_t number;
};

static struct death read_death(const struct rv_runner *runner) {
    struct rv_area *area = rv_runner_area(runner);
    struct death death = {.schedule = rv_schedule_of_log(area), .number = area->cases.number};
    death.size = rv_load32(&area->cases.told);
    if (death.size > RV_CASE_TOLD) death.size = RV_CASE_TOLD;
    death.told = rv_text_alloc(death.size + 1u, 1);
    memcpy(death.told, area->cases.history, death.size);
    return death;
}

static void tell_death(struct rv_runner *runner, const struct rv_batch *batch, const struct death *death,
                       const struct rv_outcome *outcome) {
    struct rv_executed executed = {.kind = (enum rv_kind)outcome->kind,
                                   .signature = outcome->signature,
                                   .number = death->number,
                                   .died = true,
                                   .told = death->told,
                                   .told_size = death->size,
                                   .schedule = outcome->log_overflow ? NULL : &death->schedule,
                                   .message = outcome->message};
    runner->executions++;
    runner->deaths++;
    (void)batch->each(batch->user, &executed);
}

bool rv_runner_do(struct rv_runner *runner, const struct rv_test *test, const struct rv_batch *batch) {
    struct rv_reply reply;
    if (!prepare(runner, test, batch)) return true; /* too large to be a test: as if it had passed */
    rv_server_run(&runner->server, NULL, RV_REQUEST_CASES | batch->flags, &reply);
    runner->batches++;
    if (reply.state == RV_REPLY_UNAVAILABLE) {
        rv_text_set(&runner->error, rv_confirm_reason(&runner->server));
        return false;
    }
    struct rv_cases *cases = &rv_runner_area(runner)->cases;
    uint32_t returned = rv_load32(&cases->returned), at = 0;
    if (returned > RV_CASE_REPLIES) returned = RV_CASE_REPLIES;
    bool more = true, died = reply.state != RV_REPLY_SERVED;
    struct death death = {0};
    if (died) death = read_death(runner);
    /* A copy: what is looked at does not change any more. */
    unsigned char *copy = rv_text_alloc(returned + 1, 1);
    memcpy(copy, cases->replies, returned);
    while (more && at < returned) {
        struct rv_case_reply each;
        uint32_t size = read_reply(copy + at, returned - at, &each);
        if (!size) break;
        bool last = at + size == returned;
        more = tell(runner, batch, &each, copy + at + sizeof each, last ? &reply.outcome : NULL);
        at += size;
    }
    free(copy);
    if (more && died) tell_death(runner, batch, &death, &reply.outcome);
    if (died) rv_schedule_free(&death.schedule);
    free(death.told);
    return true;
}

bool rv_runner_follow(struct rv_runner *runner, const struct rv_test *test, const struct rv_batch *batch,
                      const struct rv_schedule *schedule) {
    struct rv_reply reply;
    if (!prepare(runner, test, batch)) return true;
    rv_server_run(&runner->server, schedule, RV_REQUEST_TRACE, &reply);
    runner->batches++;
    if (reply.state == RV_REPLY_UNAVAILABLE) {
        rv_text_set(&runner->error, rv_confirm_reason(&runner->server));
        return false;
    }
    struct death end = read_death(runner);
    if (reply.state == RV_REPLY_SERVED) {
        struct rv_executed executed = {.kind = (enum rv_kind)reply.outcome.kind,
                                       .signature = reply.outcome.signature,
                                       .number = batch->first,
                                       .points = reply.outcome.points,
                                       .cut = reply.outcome.not_terminating != 0,
                                       .told = end.told,
                                       .told_size = end.size,
                                       .schedule = reply.outcome.log_overflow ? NULL : &end.schedule,
                                       .message = reply.outcome.message};
        runner->executions++;
        (void)batch->each(batch->user, &executed);
    } else {
        end.number = batch->first;
        tell_death(runner, batch, &end, &reply.outcome);
    }
    rv_schedule_free(&end.schedule);
    free(end.told);
    return true;
}

bool rv_runner_replay(struct rv_runner *runner, const struct rv_test *test,
                      const struct rv_schedule *schedule) {
    struct rv_batch batch = {.strategy = ""};
    struct rv_reply reply;
    if (!prepare(runner, test, &batch)) return false;
    rv_server_run(&runner->server, schedule, 0, &reply);
    runner->executions++;
    return reply.state != RV_REPLY_UNAVAILABLE;
}
