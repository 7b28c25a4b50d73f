#include "supervisor/serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"
#include "supervisor/util.h"
#include "supervisor/watch.h"

enum { RESTARTS_MAX = 3 }; /* for one request */

volatile int rv_interrupted;

bool rv_server_open(struct rv_server *server, const struct rv_program *program,
                    const struct rv_config *config, bool capture) {
    *server = (struct rv_server){.program = program, .capturing = capture};
    server->capture.fd = -1;
    struct rv_config alone = *config;
    alone.workers = 1;
    if (!rv_channel_open(&server->channel, &alone, &server->error)) return false;
    rv_area_of(server->channel.shared, 0)->control.serve = 1;
    server->streams.way = RV_STREAM_DISCARD;
    if (capture && rv_capture_open(&server->capture)) {
        server->streams.way = RV_STREAM_CAPTURE;
        server->streams.capture = &server->capture;
    }
    return true;
}

void rv_server_change(struct rv_server *server, const struct rv_config *config) {
    struct rv_config *shared = &server->channel.shared->config;
    memcpy(shared->test, config->test, sizeof shared->test);
    memcpy(shared->plan, config->plan, sizeof shared->plan);
    memcpy(shared->plan_label, config->plan_label, sizeof shared->plan_label);
}

struct rv_area *rv_server_area(const struct rv_server *server) {
    return rv_area_of(server->channel.shared, 0);
}

void rv_server_close(struct rv_server *server) {
    rv_worker_kill(&server->worker);
    rv_channel_close(&server->channel);
    rv_capture_close(&server->capture);
    free(server->error);
    server->error = NULL;
}

void rv_server_post(struct rv_server *server, const struct rv_schedule *schedule, unsigned flags) {
    struct rv_area *area = rv_server_area(server);
    uint64_t runs = schedule ? schedule->run_count : 0, choices = schedule ? schedule->choice_count : 0;
    if (runs > RV_MAX_RUNS) runs = RV_MAX_RUNS;
    if (choices > RV_MAX_CHOICES) choices = RV_MAX_CHOICES;
    if (runs) memcpy(area->request_runs, schedule->runs, runs * sizeof *schedule->runs);
    if (choices) memcpy(area->request_choices, schedule->choices, choices);
    area->request.run_count = runs;
    area->request.choice_count = choices;
    area->request.flags = flags;
    __atomic_add_fetch(&area->request.sequence, 1, __ATOMIC_RELEASE);
    rv_wake_word(&area->request.sequence);
}

/* Makes the copy of the outcome safe to use, whatever the worker has left there. */
static void take_outcome(struct rv_area *area, struct rv_outcome *outcome) {
    *outcome = area->outcome;
    if (outcome->kind >= RV_KIND_COUNT) outcome->kind = RV_KIND_SIGNAL;
    outcome->message[RV_MAX_MESSAGE - 1] = 0;
    if (outcome->run_count > RV_MAX_RUNS) outcome->run_count = RV_MAX_RUNS;
    if (outcome->choice_count > RV_MAX_CHOICES) outcome->choice_count = RV_MAX_CHOICES;
    if (outcome->thread_count > RV_MAX_THREAD_REPORTS) outcome->thread_count = RV_MAX_THREAD_REPORTS;
    if (outcome->block_count > RV_MAX_BLOCKS) outcome->block_count = RV_MAX_BLOCKS;
}

void rv_outcome_of_death(struct rv_outcome *outcome, const struct rv_death *death,
                         const struct rv_config *config) {
    if (death->signal) {
        const char *name = sigabbrev_np(death->signal);
        outcome->kind = rv_kind_of_signal(death->signal);
        snprintf(outcome->message, sizeof outcome->message, "the process was killed by SIG%s (%s)",
                 name ? name : "?", strsignal(death->signal));
        outcome->exit_status = -1;
    } else if (death->status != config->expect_exit) {
        outcome->kind = RV_KIND_EXIT;
        snprintf(outcome->message, sizeof outcome->message, "exit status %d", death->status);
        outcome->exit_status = death->status;
    } else {
        outcome->kind = RV_KIND_NONE;
        outcome->message[0] = 0;
        outcome->exit_status = death->status;
    }
    outcome->thread = RV_NO_THREAD;
    outcome->signature =
        0xdeadu << 16 | (unsigned)death->signal << 8 | (death->signal ? 0u : (unsigned)death->status & 0xffu);
}

void rv_outcome_of_silence(struct rv_outcome *outcome, unsigned limit_ms) {
    outcome->kind = RV_KIND_HANG;
    outcome->thread = RV_NO_THREAD;
    outcome->exit_status = -1;
    outcome->signature = 0xdeadu << 16 | 0xffff;
    snprintf(outcome->message, sizeof outcome->message,
             "no scheduling point for %.3g s, and no reaction to a signal: the process had to be killed",
             limit_ms / 1000.0);
}

static bool start(struct rv_server *server, struct rv_watch *watch) {
    free(server->error);
    server->error = NULL;
    if (!rv_worker_start(&server->worker, server->program, &server->channel, &server->streams,
                         &server->error))
        return false;
    rv_watch_start(watch, server->worker.pid, &rv_server_area(server)->control);
    return true;
}

/* The process is gone: what does that say? An outcome that was complete before counts. */
static void conclude_death(struct rv_server *server, struct rv_reply *reply, uint32_t sequence) {
    struct rv_area *area = rv_server_area(server);
    if (rv_load32(&area->request.served) == sequence) {
        reply->state = RV_REPLY_SERVED;
        return;
    }
    if (rv_load32(&area->control.started) == 0 || rv_load32(&area->control.done) == RV_DONE_UNUSABLE) {
        reply->state = RV_REPLY_UNAVAILABLE;
        return;
    }
    reply->state = RV_REPLY_DIED;
    rv_outcome_of_death(&area->outcome, &reply->death, &server->channel.shared->config);
}

/* Whether the process left between executions, without having looked at the request: it does so when it has
 * learned that another kind of process is needed (fork isolation), or when the program has no threads. */
static bool left_early(const struct rv_server *server, const struct rv_reply *reply, uint32_t sequence) {
    const struct rv_area *area = rv_server_area(server);
    uint32_t state = rv_load32(&area->control.state);
    return rv_load32(&area->request.served) != sequence && reply->death.signal == 0 &&
           (state == RV_WORKER_BETWEEN || state == RV_WORKER_WAITING) && !rv_interrupted;
}

/* Waits for the answer to request `sequence`. Answers take microseconds (a replay) to seconds: spin for a moment,
 * then sleep. */
static void await(struct rv_server *server, struct rv_reply *reply, uint32_t sequence,
                  struct rv_watch *watch) {
    struct rv_area *area = rv_server_area(server);
    const struct rv_config *config = &server->channel.shared->config;
    unsigned restarts = 0;
    for (unsigned round = 0; rv_load32(&area->request.served) != sequence; round++) {
        if (round < 2000) {
            __asm__ volatile("" ::: "memory");
            continue;
        }
        uint32_t served = rv_load32(&area->request.served);
        if (served != sequence) rv_wait_word(&area->request.served, served, server->capturing ? 2 : 20);
        rv_capture_trim(&server->capture);
        if (rv_worker_dead(&server->worker, &reply->death)) {
            if (left_early(server, reply, sequence) && restarts++ < RESTARTS_MAX && start(server, watch))
                continue;
            conclude_death(server, reply, sequence);
            return;
        }
        bool too_late = server->deadline > 0 && rv_seconds() > server->deadline;
        if (too_late) rv_worker_kill(&server->worker);
        if (rv_interrupted || too_late) {
            reply->state = RV_REPLY_UNAVAILABLE;
            return;
        }
        if (rv_watch_look(watch, server->worker.pid, &area->control, config->watchdog_ms) ==
            RV_WATCH_GIVE_UP) {
            rv_worker_kill(&server->worker);
            reply->state = RV_REPLY_HUNG;
            rv_outcome_of_silence(&area->outcome, config->watchdog_ms);
            return;
        }
    }
    reply->state = RV_REPLY_SERVED;
}

void rv_server_run(struct rv_server *server, const struct rv_schedule *schedule, unsigned flags,
                   struct rv_reply *reply) {
    *reply = (struct rv_reply){.state = RV_REPLY_UNAVAILABLE};
    struct rv_area *area = rv_server_area(server);
    struct rv_watch watch;
    rv_server_post(server, schedule, flags);
    uint32_t sequence = rv_load32(&area->request.sequence);
    struct rv_death old;
    if (server->worker.pid) rv_worker_dead(&server->worker, &old);
    if (server->worker.pid)
        rv_watch_start(&watch, server->worker.pid, &area->control);
    else if (!start(server, &watch))
        return;
    await(server, reply, sequence, &watch);
    take_outcome(area, &reply->outcome);
}
