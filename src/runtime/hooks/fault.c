/* Handlers of the program's own for faults: SIGSEGV and its like.
 *
 * The kernel calls the core's crash handler, on a stack of ours that all threads share. The program's handler must
 * not run there: it may pass scheduling points, another thread may then fault and overwrite the stack, and what
 * it is given to look at must be memory of the program. So we do what the kernel would have done without us: put
 * a frame with the interrupted context on the thread's own stack (or the alternate one it asked for), and
 * change the context to which the crash handler returns, so that the handler runs then, as ordinary code. When
 * it returns, the frame is given to the kernel (rt_sigreturn), which goes on where the fault was.
 */
#include <ucontext.h>

#include "runtime/fiber.h"
#include "runtime/hooks/outside.h"

enum { RED_ZONE = 128, ROOM = 16384, LEGACY_FP_SIZE = 512, FP_MAGIC_AT = 464, FP_MAGIC = 0x46505853 };

struct fault_frame {
    ucontext_t context; /* at its place for rt_sigreturn */
    siginfo_t info;
    struct sigaction action;
    sigset_t real_mask;
    uint64_t mask; /* the virtual one, to put back */
    uintptr_t sp;  /* of the interrupted code */
    int number;
    int error;
};

static _Noreturn void return_to(ucontext_t *context) {
    __asm__ volatile("mov %0, %%rsp\n\tmov $15, %%eax\n\tsyscall" : : "r"(context) : "memory");
    __builtin_unreachable();
}

/* Where the interrupted context now goes on. */
static _Noreturn void run_fault_handler(struct fault_frame *frame) {
    if (frame->action.sa_flags & SA_SIGINFO)
        frame->action.sa_sigaction(frame->number, &frame->info, &frame->context);
    else
        frame->action.sa_handler(frame->number);
    rv_signal_leave(frame->sp, rv_signal_bits(&frame->context.uc_sigmask));
    frame->context.uc_sigmask = frame->real_mask;
    errno = frame->error;
    return_to(&frame->context);
}

/* The processor's state is larger than the legacy part if the kernel says so, in a place reserved for software. */
static size_t state_size(const void *state) {
    uint32_t words[2];
    memcpy(words, (const char *)state + FP_MAGIC_AT, sizeof words);
    return words[0] == FP_MAGIC ? words[1] : LEGACY_FP_SIZE;
}

/* A stack for the handler; 0: there is no room. */
static uintptr_t choose_stack(const struct sigaction *action, uintptr_t interrupted) {
    uintptr_t alternate = rv_signal_alternate_stack(), low;
    if ((action->sa_flags & SA_ONSTACK) && alternate) return alternate;
    size_t size;
    rv_fiber_stack(rv.current, &low, &size);
    /* On a stack of the program's own making nobody knows how much there is: trust it, as the kernel does. */
    if (interrupted - low < size && interrupted - low < ROOM) return 0;
    return interrupted - low >= size && low - interrupted < ROOM ? 0 : interrupted - RED_ZONE;
}

bool rv_signal_program_handler(int number, siginfo_t *info, void *context) {
    if (!rv_signal_valid(number) || rv.mode == RV_PASSIVE) return false;
    void (*handler)(int) = rv_signal_action(number)->sa_handler;
    if (handler == SIG_DFL || handler == SIG_IGN) return false;
    ucontext_t *kernels = context;
    greg_t *registers = kernels->uc_mcontext.gregs;
    uintptr_t interrupted = (uintptr_t)registers[REG_RSP];
    uintptr_t sp = choose_stack(rv_signal_action(number), interrupted);
    if (!sp) return false;
    size_t state = kernels->uc_mcontext.fpregs ? state_size(kernels->uc_mcontext.fpregs) : 0;
    sp = (sp - state) & ~(uintptr_t)63;
    void *state_copy = (void *)sp;
    sp = (sp - sizeof(struct fault_frame)) & ~(uintptr_t)15;
    struct fault_frame *frame = (struct fault_frame *)sp;
    memcpy(&frame->context, kernels, sizeof frame->context);
    if (state) {
        memcpy(state_copy, kernels->uc_mcontext.fpregs, state);
        frame->context.uc_mcontext.fpregs = state_copy;
    }
    frame->info = *info;
    frame->number = number;
    frame->error = errno;
    frame->sp = interrupted;
    frame->real_mask = kernels->uc_sigmask;
    frame->action = rv_signal_enter(number, interrupted, &frame->mask);
    rv_signal_set(frame->mask, &frame->context.uc_sigmask);
    registers[REG_RIP] = (greg_t)run_fault_handler;
    registers[REG_RDI] = (greg_t)frame;
    registers[REG_RSP] = (greg_t)(sp - 8); /* as after a call */
    *(uintptr_t *)(sp - 8) = 0;
    registers[REG_EFL] &= ~(greg_t)0x400; /* direction flag */
    return true;
}
