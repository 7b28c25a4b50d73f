/* The door between the hook files that face the operating system: time, descriptors, signals, processes.
 *
 *   time.c    virtual clock, sleeps          timers.c  alarm, setitimer, timer_create on virtual time
 *   fds.c saved.c revive.c                   what descriptors exist, and how to bring them back after an execution
 *   wait.c    waiting for descriptors and children as scheduler-visible waits
 *   io.c open.c copy.c socket.c poll.c epoll.c timerfd.c signalfd.c    the families that use it (io.h is their own door)
 *   files.c stat.c                           changes of files by name, undone
 *   output.c stdio*.c stream.c               what becomes of standard output; FILEs (stdio.h)
 *   signal.c  dispositions, masks, delivery  sigwait.c the calls that wait for signals
 *   fault.c sigaction.c sigsend.c jump.c     the program's own fault handlers; the calls that change dispositions and masks, send, and longjmp
 *   process.c child.c exec.c exit.c abort.c  fork, children, exec, exit and abort
 *   mapping.c ranges.c shm.c library.c       memory that comes and goes
 *   random.c futex.c syscall.c attributes.c  the rest
 *
 * Everything here runs on the one carrier thread. Whatever of it belongs to an execution lies in structs
 * that the owner saves in rv_X_snapshot and brings back in rv_X_restore; io's rv_io_snapshot and
 * rv_io_restore (core.h) call all of these.
 */
#ifndef RV_RUNTIME_HOOKS_OUTSIDE_H
#define RV_RUNTIME_HOOKS_OUTSIDE_H

#include <errno.h>
#include <poll.h>
#include <time.h>

#include "runtime/core.h"
#include "runtime/real.h"
#include "runtime/sys.h"

#define RV_SECOND INT64_C(1000000000)

/* The result of a raw system call as libc gives it: sets errno and returns -1 on failure. */
static inline long rv_result(long result) {
    if (!rv_sys_failed(result)) return result;
    errno = (int)-result;
    return -1;
}

/* ---- time.c ---- */
/* Virtual time at which a clock shows this; saturates at RV_FOREVER. */
int64_t rv_deadline_from(clockid_t clock, const struct timespec *absolute);
/* Length in ns, saturating; -1 if the value is not valid. */
int64_t rv_timespec_ns(const struct timespec *value);
struct timespec rv_ns_timespec(int64_t ns);
/* A predicate that never holds: only time or a signal ends the wait. */
bool rv_never(const struct rv_fiber *fiber);
void rv_time_snapshot(void);
void rv_time_restore(void);

/* ---- timers.c ---- */
/* For the core, when nothing else can go on: the next expiry of any virtual timer, RV_FOREVER if none is armed. */
int64_t rv_timers_next(void);
/* For a thread about to wait: the next expiry that ends its wait. Not those that a thread of their own
 * waits for (see timers.c), and not those that must not expire while anything can run. */
int64_t rv_timers_deadline(void);
/* Makes the signals of timers that have expired by rv.now pending. Called when virtual time moves. */
void rv_timers_check(void);
/* For thread.c: a program thread was created; timers armed before get their own thread now. */
void rv_timers_begin(void);
void rv_timers_forked(void); /* in the child of a fork: timers are not inherited */
void rv_timers_snapshot(void);
void rv_timers_restore(void);

/* ---- wait.c ---- */
/* One descriptor, or a set, or a child that a fiber waits for; lives on its stack, pending.data points to it. */
struct rv_io_wait {
    struct pollfd *fds; /* what to poll; NULL: a child */
    unsigned count;
    struct pollfd one; /* storage for the usual case */
    int id_type;       /* for children: waitid's arguments */
    unsigned id;
    int options;
    bool external; /* an outside process can change it */
    bool known;    /* `ready` is the answer for this generation */
    bool ready;
    uint64_t generation; /* of rv_io_generation when asked last */
    uint64_t asked_at;   /* rv.points when the outside was asked last */
};
/* Moved on by everything that may change a descriptor's readiness; answers about internal descriptors are
 * kept until it changes, so that a blocked reader costs no system call per scheduling point. */
extern uint64_t rv_io_generation;
static inline void rv_io_changed(void) { rv_io_generation++; }

/* Waits until fd is ready for events. RV_GO also for descriptors that do not exist (the call will say). */
enum rv_wake rv_wait_fd(enum rv_op op, int fd, short events, uintptr_t site, struct rv_pending *pending);
/* The same for several; deadline in virtual ns, timeout its length (-1: none). */
enum rv_wake rv_wait_set(struct pollfd *fds, unsigned count, int64_t deadline, int64_t timeout,
                         uintptr_t site, struct rv_pending *pending);
enum rv_wake rv_wait_child(int id_type, unsigned id, int options, uintptr_t site, struct rv_pending *pending);
/* rv_schedule, also woken by a virtual timer that expires during the wait. */
enum rv_wake rv_schedule_timed(struct rv_pending *pending);
/* Poll without waiting. */
int rv_poll_now(struct pollfd *fds, unsigned count);

/* ---- fds.c ---- */
enum rv_fd_kind {
    RV_FD_UNKNOWN, /* not looked at yet */
    RV_FD_FILE,    /* regular file, directory, device that never blocks */
    RV_FD_PIPE,
    RV_FD_SOCKET,
    RV_FD_EVENT,
    RV_FD_EPOLL,
    RV_FD_RANDOM, /* /dev/urandom and /dev/random: reads come from the seeded stream */
    RV_FD_SIGNAL,
    RV_FD_TIMER,
    RV_FD_OTHER, /* terminals, inotify ...: outside */
};
enum rv_fd_kind rv_fd_kind_of(int fd);
/* Both ends in this process: nobody outside can make it ready. */
bool rv_fd_internal(int fd);
bool rv_fd_nonblocking(int fd);
/* A descriptor came into being. pair: the other end, -1 none; internal as above. */
void rv_fd_opened(int fd, enum rv_fd_kind kind, bool internal, int pair);
void rv_fd_internalise(int fd);
void rv_fd_duplicated(int from, int to);
/* Its contents or offset are about to change; before the first such change after the snapshot. */
void rv_fd_touch(int fd);
/* About to be closed or replaced. False: it is one of ours and must not be; the caller fails with EBADF. */
bool rv_fd_closing(int fd);
/* Ours: hidden from the program's close, dup2, close_range. Moves it to a high number; returns that. */
int rv_fd_hide(int fd);
bool rv_fd_hidden(int fd);
/* A process was started that shares our descriptors: nothing open now is internal any more. */
void rv_fds_shared(void);
void rv_fds_snapshot(void);
void rv_fds_restore(void);

/* ---- files.c ---- */
void rv_files_snapshot(void);
/* Undoes what an execution did to the file system; also for executions in processes forked from this one. */
void rv_files_restore(void);

/* ---- epoll registrations, poll.c ---- */
void rv_epoll_snapshot(void);
void rv_epoll_restore(void);
/* The descriptor is gone: the kernel dropped its registrations. */
void rv_epoll_forget(int fd);

/* ---- signal.c ---- */
/* What operations about signals are about, all of them: sending, waiting and changing dispositions and masks do
 * not commute. */
extern const void *const rv_signal_object;
/* Makes a signal pending for a fiber; NULL: for the process (some fiber that does not block it). */
void rv_signal_send(struct rv_fiber *fiber, int signal_number, const siginfo_t *info);
/* Takes the lowest pending signal of this set, of the fiber or the process. 0: none. */
int rv_signal_take(struct rv_fiber *fiber, uint64_t set, siginfo_t *info);
bool rv_signal_available(const struct rv_fiber *fiber, uint64_t set);
/* Signals that came from outside: distributes them. Called when nothing else can go on. True: look again, for there
 * were some, or another process may have changed something that is not announced (rv_others_may_act). */
bool rv_signals_collect(void);
/* A write met a closed reader: SIGPIPE for the caller, as its disposition says. */
void rv_signal_pipe(void);
/* The program's action; SIG_DFL if none. */
const struct sigaction *rv_signal_action(int signal_number);
/* Sent to the process now, it would end it: for timers. */
bool rv_signal_would_kill(int signal_number);
/* The action is to do nothing. */
bool rv_signal_discarded(int signal_number);
/* This timer's last signal has not been taken yet. */
bool rv_signal_timer_pending(int signal_number, int timer);
/* Ends the execution as the default action of this signal does. */
_Noreturn void rv_signal_die(int signal_number);
/* For the core's crash handler: whether the program has a handler of its own for this fault. It will run, on the
 * program's stack, when the crash handler returns (fault.c). */
bool rv_signal_program_handler(int signal_number, siginfo_t *info, void *context);
/* A handler begins, having interrupted code at this stack address: its action, and the mask to put back by
 * rv_signal_leave. */
struct sigaction rv_signal_enter(int signal_number, uintptr_t sp, uint64_t *before);
void rv_signal_leave(uintptr_t sp, uint64_t mask);
/* The current thread's alternate stack: its end, or 0 if it has none. */
uintptr_t rv_signal_alternate_stack(void);
/* The fiber's mask, with the frames of handlers left by longjmp taken back first. */
uint64_t rv_signal_mask(struct rv_fiber *fiber);
/* Does not run what becomes deliverable: the next scheduling point does, or rv_signals_run. */
void rv_signal_set_mask(struct rv_fiber *fiber, uint64_t mask);
void rv_signal_set_action(int signal_number, const struct sigaction *action);
/* The current fiber is about to leave all frames below this stack address by longjmp. */
void rv_signal_unwind(uintptr_t sp, bool mask_comes_back);
/* The program is about to get a child, which may send signals: the kernel must not act on them by itself. */
void rv_signals_expect_children(void);
/* In the child of a fork: nothing is pending any more. */
void rv_signals_forked(void);
/* Gives the kernel the current fiber's mask, for a program about to be executed; and takes it back. */
void rv_signals_lend_mask(void);
void rv_signals_unlend_mask(void);
/* Called once, when the process is found to run under ravel. */
void rv_signals_begin(void);
void rv_signals_snapshot(void);
void rv_signals_restore(void);
/* Sets of signals in 64 bits: signal n is bit n. Bit 0 means "look outside", so signal 64 takes the place of
 * signal 32, which glibc keeps for itself and never shows to a program. */
static inline uint64_t rv_signal_bit(int signal_number) {
    return (uint64_t)1 << (signal_number == 64 ? 32 : signal_number & 63);
}
uint64_t rv_signal_bits(const sigset_t *set);
void rv_signal_set(uint64_t bits, sigset_t *set);
static inline bool rv_signal_valid(int signal_number) { return signal_number > 0 && signal_number <= 64; }

/* ---- process.c, exit.c, child.c ---- */
/* Called by the runtime's constructor under ravel, before any program code: handlers that come before the program's. */
void rv_process_start(void);
void rv_children_restore(void); /* ends and reaps children that the execution left behind */
bool rv_children_alive(void);
/* Waits a moment for what a child, or in a child anybody, may do in memory that is shared. False: nobody is there, or
 * nothing has come of it for too long. */
bool rv_others_may_act(void);
void rv_child_prepare(void); /* about to be started: signals and descriptors are not ours alone any more */
void rv_child_started(pid_t pid);
void rv_child_reaped(pid_t pid);
/* The environment without what ties this process to the campaign; the result is `environment` itself, or lies in
 * `room`, of rv_environment_size(environment) pointers. */
size_t rv_environment_size(char *const *environment);
char *const *rv_environment(char *const *environment, char **room);
void rv_detach(void);                             /* core: the child of a fork leaves the campaign */
pid_t rv_thread_id(const struct rv_fiber *fiber); /* what gettid says: all fibers run on one kernel thread */

/* ---- abort.c ---- */
/* What libc said when it aborted the process by itself ("*** stack smashing detected ***"); NULL: nothing.
 * For the core's crash handler. */
const char *rv_abort_message(void);
/* A failed assertion: prints the text and ends the execution; aborts where nothing is under control. function NULL: unknown. */
_Noreturn void rv_assertion(const char *file, unsigned line, const char *function, const char *what,
                            uintptr_t site);

/* ---- random.c ---- */
void rv_random_fill(void *to, size_t size);
void rv_random_snapshot(void);
void rv_random_restore(void);

/* ---- futex.c ---- */
long rv_futex(uint32_t *word, int operation, uint32_t value, const struct timespec *timeout, uint32_t *other,
              uint32_t value3, uintptr_t site);
/* For thread.c: code at this site creates a thread. Ends the worker if it belongs to a library whose threads
 * synchronise in ways that cannot be seen (OpenMP). */
void rv_check_creator(uintptr_t site);

/* ---- mapping.c ---- */
void rv_mappings_snapshot(void);
/* The address was mapped at the snapshot. */
bool rv_mapping_is_old(uintptr_t address);
void rv_mappings_restore(void);
/* Under fork isolation, in the process that forks, when an execution is over: the contents of shared mappings. */
void rv_mappings_restore_shared(void);

#endif
