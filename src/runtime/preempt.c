/* Loops that pass no hook.
 *
 * A thread may wait in code that the compiler did not instrument: inline assembly, or a library's spin loop. No
 * scheduling point comes there, so nobody can do what it waits for. A timer on the process's CPU time looks
 * every TICK whether any thread has passed a hook; if not for PATIENCE ticks, and the thread is in the program's
 * own code, the thread is made to yield right where it is: the signal's frame on its own stack keeps its whole
 * state, and the handler just calls the scheduler.
 *
 * The yield counts no step. In the log it looks like a switch before the thread's next hook, and replayed it is just
 * that where the thread gets to its hook this time: as far as hooks can tell, both are the same schedule.
 * When nobody else can go on, or all do the same, no heartbeat comes and the supervisor's watchdog ends the execution.
 */
#include <signal.h>
#include <time.h>
#include <ucontext.h>

#include "runtime/engine.h"
#include "runtime/real.h"
#include "runtime/sys.h"

enum { TICK_MS = 5, PATIENCE = 2, PATIENCE_UNINSTRUMENTED = 100 };
#define TICK_SIGNAL (SIGRTMAX - 2)

static uint64_t last_steps; /* what the last tick saw */
static uint32_t ticks;      /* since it changed */

static uint64_t steps_now(void) { return rv.points * 31 + rv.current->step * 7 + rv.current->id; }

/* A tick keeps the supervisor's watchdog out (both often come at once): it would find the handler in place of the loop. Not
 * while others run. */
static void admit_watchdog(void) {
    uint64_t watchdog = (uint64_t)1 << (RV_WATCH_SIGNAL - 1);
    (void)rv_sys4(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&watchdog, 0, 8);
}

static void on_tick(int number, siginfo_t *info, void *data) {
    (void)number;
    (void)info;
    const ucontext_t *context = data;
    if (!rv_engine.executing || rv.mode != RV_CONTROLLED || rv.internal) return;
    uint64_t steps = steps_now();
    if (steps != last_steps) {
        last_steps = steps;
        ticks = 0;
        return;
    }
    if (++ticks < (rv.config->instrumented ? PATIENCE : PATIENCE_UNINSTRUMENTED)) return;
    uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    if (!rv_in_program(pc)) return;
    ticks = 0;
    struct rv_fiber *self = rv.current;
    self->interrupted_at = pc;
    admit_watchdog();
    rv_preempt(pc);
    self->interrupted_at = 0;
}

void rv_preempt_init(void) {
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER};
    sigaddset(&action.sa_mask, RV_WATCH_SIGNAL);
    RV_REAL(sigaction)(TICK_SIGNAL, &action, NULL);
    rv_preempt_start();
}

void rv_preempt_start(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = TICK_SIGNAL};
    int timer;
    if (rv_sys_failed(rv_sys3(SYS_timer_create, CLOCK_PROCESS_CPUTIME_ID, (long)&event, (long)&timer)))
        return;
    struct itimerspec every = {{0, TICK_MS * 1000000L}, {0, TICK_MS * 1000000L}};
    (void)rv_sys4(SYS_timer_settime, timer, 0, (long)&every, 0);
}
