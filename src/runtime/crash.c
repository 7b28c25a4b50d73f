/* Fatal signals and the watchdog, on a stack of their own.
 *
 * A fault in program code, or in ours on behalf of the program (a hook that follows a bad pointer), ends the
 * execution as a failure of the current thread. The handler leaves by switching to the carrier's stack; the
 * kernel does not mind, for it finds out by the stack pointer whether the alternate stack is in use, and no signal
 * is blocked meanwhile (SA_NODEFER). A program that has a handler of its own for the fault gets to run it first.
 */
#include "runtime/engine.h"

#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "runtime/hooks/outside.h"
#include "runtime/reserve.h"

enum { STACK = 128 << 10, NEAR_NULL = 64 << 10 };

/* What the instruction tried, from the page fault's error code. */
static const char *describe_fault(const ucontext_t *context, uintptr_t address, uintptr_t pc) {
    bool write = rv.looking ? rv.looking == RV_LOOKING_TO_WRITE : context->uc_mcontext.gregs[REG_ERR] & 2;
    bool known = context->uc_mcontext.gregs[REG_TRAPNO] == 14;
    if (rv_in_guard(rv.current, address)) return "stack overflow: the thread's stack is used up";
    if (!known) return "access through a pointer that is not an address";
    if (pc == address)
        return pc < NEAR_NULL ? "call of a null function pointer" : "call of something that is not code";
    if (address < NEAR_NULL) return write ? "write through a null pointer" : "read through a null pointer";
    if (rv_is_own(address))
        return write ? "write to memory that the program does not have (ravel's own)"
                     : "read of memory that the program does not have (ravel's own)";
    return write ? "write to memory that is not mapped or not writable" : "read of memory that is not mapped";
}

static const char *describe(int number, const siginfo_t *info, const ucontext_t *context, uintptr_t pc) {
    switch (number) {
    case SIGSEGV: return describe_fault(context, (uintptr_t)info->si_addr, pc);
    case SIGBUS: return "access beyond the end of a mapped file, or to a bad address";
    case SIGFPE: return info->si_code == FPE_INTDIV ? "integer division by zero" : "arithmetic error";
    case SIGILL: return "illegal instruction";
    case SIGTRAP: return "trap";
    case SIGSYS: return "system call refused";
    default: return rv_abort_message() ? rv_abort_message() : "killed by SIGABRT";
    }
}

static void die_of(int number) {
    uint64_t action[4] = {0}; /* the kernel's struct sigaction, all default */
    (void)rv_sys4(SYS_rt_sigaction, number, (long)action, 0, 8);
    (void)rv_sys_kill(rv_sys_getpid(), number);
}

static void on_fault(int number, siginfo_t *info, void *data) {
    ucontext_t *context = data;
    uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    if (!rv_engine.executing || rv.mode == RV_PASSIVE || rv.mode == RV_DETACHED) {
        die_of(number); /* not the program's: let the supervisor see the worker die */
        return;
    }
    uint32_t internal = rv.internal;
    rv.internal = 0;
    if (!internal && rv_signal_program_handler(number, info, data)) {
        rv.internal = internal;
        return;
    }
    bool memory = number == SIGSEGV || number == SIGBUS;
    const char *text = describe(number, info, context, pc);
    rv.looking = RV_LOOKING_NOT;
    rv_fail_at(rv_kind_of_signal(number), rv_in_runtime(pc) ? rv_call_site(pc) : pc, (uintptr_t)info->si_addr,
               memory, text);
}

static void on_watchdog(int number, siginfo_t *info, void *data) {
    (void)number;
    (void)info;
    const ucontext_t *context = data;
    if (!rv_engine.executing || rv.mode == RV_DETACHED) return;
    rv.internal = 0;
    uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    if (rv_in_runtime(pc)) /* perhaps in the tick of preempt.c */
        pc = rv.current->interrupted_at ? rv.current->interrupted_at : rv.current->pending.site;
    rv_fail_at(RV_KIND_HANG, pc, 0, false,
               "no scheduling point for too long: an endless loop, or a call that ravel does not control");
}

static void install(int number, void (*handler)(int, siginfo_t *, void *)) {
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    RV_REAL(sigaction)(number, &action, NULL);
}

void rv_crash_init(void) {
    char *memory = rv_reserve(STACK);
    if (!memory) rv_unusable("no memory for signal handlers");
    stack_t stack = {.ss_sp = memory, .ss_size = STACK};
    (void)rv_sys2(SYS_sigaltstack, (long)&stack, 0);
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    for (unsigned i = 0; i < sizeof faults / sizeof faults[0]; i++) install(faults[i], on_fault);
    install(RV_WATCH_SIGNAL, on_watchdog);
}
