#include "scheduler.h"

#include "../../drive.h"

static void submit_as(const drive_call *call, sched_request request) {
    request.name = call->argument[0];
    request.tenant = (unsigned char)request.name[0] % QUOTA_TENANTS;
    *call->last = sched_submit(call->subject, &request);
}
static unsigned pool_of(const drive_call *call, int index) {
    return (unsigned)drive_number(call, index) % SCHED_POOLS;
}
static void submit(const drive_call *call) {
    submit_as(call, (sched_request){.pool = pool_of(call, 1), .priority = drive_number(call, 2)});
}
static void submit_after(const drive_call *call) {
    submit_as(call, (sched_request){.after = call->argument[1], .priority = 1});
}
static void submit_delayed(const drive_call *call) {
    submit_as(call, (sched_request){.delay = drive_number(call, 1), .priority = 2});
}
static void submit_held(const drive_call *call) { submit_as(call, (sched_request){.held = true}); }
static void cancel(const drive_call *call) { sched_cancel(call->subject, call->argument[0]); }
static void hold(const drive_call *call) { sched_hold(call->subject, call->argument[0]); }
static void release(const drive_call *call) { sched_release(call->subject, call->argument[0]); }
static void retry(const drive_call *call) { sched_retry(call->subject, call->argument[0]); }
static void priority(const drive_call *call) {
    sched_set_priority(call->subject, call->argument[0], drive_number(call, 1));
}
static void run(const drive_call *call) { sched_run(call->subject, pool_of(call, 0)); }
static void advance(const drive_call *call) { sched_advance(call->subject, drive_number(call, 0)); }
static void pause_all(const drive_call *call) { sched_pause(call->subject, true); }
static void resume_all(const drive_call *call) { sched_pause(call->subject, false); }
static void state(const drive_call *call) {
    job_state found = JOB_BLOCKED;
    if (sched_state(call->subject, call->argument[0], &found) && !job_state_name(found)[0]) abort();
}
static void result(const drive_call *call) {
    int number = sched_find(call->subject, call->argument[0]);
    if (number >= 0) sched_result(call->subject, number);
}
static void waiting(const drive_call *call) { sched_waiting(call->subject, call->argument[0]); }
static void count(const drive_call *call) { sched_count(call->subject, JOB_READY); }
static void events(const drive_call *call) {
    audit_event found[AUDIT_KEPT];
    audit_since(((sched *)call->subject)->log, 0, found, AUDIT_KEPT);
}
static void event_of(const drive_call *call) {
    audit_event found;
    audit_find_job(((sched *)call->subject)->log, drive_number(call, 0), &found);
}
static void rejected(const drive_call *call) { audit_count(((sched *)call->subject)->log, AUDIT_REJECTED); }
static void overwritten(const drive_call *call) { audit_overwritten(((sched *)call->subject)->log); }
static void next(const drive_call *call) { pool_next(((sched *)call->subject)->pools[pool_of(call, 0)]); }
static void depth(const drive_call *call) { pool_deepest(((sched *)call->subject)->pools[pool_of(call, 0)]); }
static void taken(const drive_call *call) { pool_taken(((sched *)call->subject)->pools[pool_of(call, 0)]); }
static void due(const drive_call *call) {
    long time = 0;
    if (timers_soonest(((sched *)call->subject)->clock, &time) &&
        timers_count(((sched *)call->subject)->clock) > TIMER_MOST)
        abort();
}
static void limit(const drive_call *call) {
    quota_set_limit(((sched *)call->subject)->limits, (unsigned char)call->argument[0][0] % QUOTA_TENANTS,
                    drive_number(call, 1));
}
static void used(const drive_call *call) {
    quota_used(((sched *)call->subject)->limits, (unsigned char)call->argument[0][0] % QUOTA_TENANTS);
}
static void refused(const drive_call *call) { quota_refused(((sched *)call->subject)->limits); }
static void busiest(const drive_call *call) { quota_busiest(((sched *)call->subject)->limits); }
static void waited(const drive_call *call) { metrics_waited(((sched *)call->subject)->figures, 90); }
static void failures(const drive_call *call) { metrics_failure_rate(((sched *)call->subject)->figures); }
static void longest(const drive_call *call) { metrics_longest(((sched *)call->subject)->figures); }
static void last(const drive_call *call) { metrics_last(((sched *)call->subject)->figures); }
static void reset(const drive_call *call) { metrics_reset(((sched *)call->subject)->figures); }

const drive_command drive_commands[] = {
    {"submit", 3, submit},
    {"after", 2, submit_after},
    {"delay", 2, submit_delayed},
    {"held", 1, submit_held},
    {"cancel", 1, cancel},
    {"hold", 1, hold},
    {"release", 1, release},
    {"retry", 1, retry},
    {"priority", 2, priority},
    {"run", 1, run},
    {"advance", 1, advance},
    {"pause", 0, pause_all},
    {"resume", 0, resume_all},
    {"state", 1, state},
    {"result", 1, result},
    {"waiting", 1, waiting},
    {"count", 0, count},
    {"events", 0, events},
    {"event", 1, event_of},
    {"rejected", 0, rejected},
    {"overwritten", 0, overwritten},
    {"next", 1, next},
    {"depth", 1, depth},
    {"taken", 1, taken},
    {"due", 0, due},
    {"limit", 2, limit},
    {"used", 1, used},
    {"refused", 0, refused},
    {"busiest", 0, busiest},
    {"waited", 0, waited},
    {"failures", 0, failures},
    {"longest", 0, longest},
    {"last", 0, last},
    {"reset", 0, reset},
    {NULL, 0, NULL},
};

void *drive_begin(void) { return sched_new(); }
void drive_end(void *subject) { sched_free(subject); }
