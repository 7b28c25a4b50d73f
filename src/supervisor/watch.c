#include "supervisor/watch.h"

#include "supervisor/util.h"

/* Real time that the runtime's handler gets to answer; five times as much if it waits for a CPU. */
enum { ANSWER_SECONDS = 2 };

static void note_progress(struct rv_watch *watch, pid_t pid, const struct rv_control *control) {
    *watch = (struct rv_watch){.heartbeat = rv_load64(&control->heartbeat),
                               .state = rv_load32(&control->state),
                               .executions = rv_load64(&control->executions),
                               .cpu = rv_cpu_seconds(pid),
                               .time = rv_seconds()};
}

void rv_watch_start(struct rv_watch *watch, pid_t pid, const struct rv_control *control) {
    note_progress(watch, pid, control);
}

enum rv_watch_verdict rv_watch_look(struct rv_watch *watch, pid_t pid, const struct rv_control *control,
                                    unsigned limit_ms) {
    uint32_t state = rv_load32(&control->state);
    if (watch->heartbeat != rv_load64(&control->heartbeat) || watch->state != state ||
        watch->executions != rv_load64(&control->executions) || state == RV_WORKER_WAITING) {
        note_progress(watch, pid, control);
        return RV_WATCH_FINE;
    }
    double cpu = rv_cpu_seconds(pid), now = rv_seconds();
    if (cpu < 0) return RV_WATCH_FINE; /* dead already: the caller will see */
    if (watch->asked > 0) {
        bool starved = cpu - watch->cpu < ANSWER_SECONDS;
        double patience = starved ? 5 * ANSWER_SECONDS : ANSWER_SECONDS;
        return now - watch->asked > patience ? RV_WATCH_GIVE_UP : RV_WATCH_FINE;
    }
    double limit = limit_ms / 1000.0 * (state == RV_WORKER_STARTING ? 10 : 1);
    if (cpu - watch->cpu < limit && now - watch->time < 10 * limit) return RV_WATCH_FINE;
    watch->asked = now;
    watch->cpu = cpu;
    kill(pid, RV_WATCH_SIGNAL);
    return RV_WATCH_ASKED;
}
