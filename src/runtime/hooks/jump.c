/* longjmp and its kin.
 *
 * Within a thread they need nothing from us but the mask: a jump out of a signal handler ends the handler
 * (rv_signal_unwind). A jump to another thread's stack is undefined behaviour that would leave two fibers on one
 * stack, so it is looked for. The stack pointer in a jmp_buf is mangled by glibc: rotated left by 17 after an
 * exclusive or with the pointer guard, which lies at fs:0x30 and is the same in all threads. A target on no
 * fiber's stack (a coroutine of the program's own) is none of our business.
 */
#include <setjmp.h>

#include "runtime/fiber.h"
#include "runtime/hooks/outside.h"
#include "runtime/native_events.h"
#include "runtime/tests.h"

enum { JMPBUF_SP = 6 }; /* index in glibc's __jmp_buf on x86-64 */

static uintptr_t target_stack(const struct __jmp_buf_tag *buffer) {
    uintptr_t mangled = (uintptr_t)buffer->__jmpbuf[JMPBUF_SP], guard;
    __asm__("mov %%fs:0x30, %0" : "=r"(guard));
    return (mangled >> 17 | mangled << 47) ^ guard;
}

static bool on_stack_of(const struct rv_fiber *fiber, uintptr_t sp) {
    uintptr_t low;
    size_t size;
    rv_fiber_stack(fiber, &low, &size);
    return sp - low < size;
}

static void check(const struct __jmp_buf_tag *buffer) {
    uintptr_t sp = target_stack(buffer);
    if (rv.mode == RV_PASSIVE) rv_native_unwind(sp);
    if (rv_passive() || !rv.current) return;
    for (uint32_t i = 0; !on_stack_of(rv.current, sp) && i < rv.fiber_count; i++) {
        const struct rv_fiber *other = rv.fibers[i];
        if (other == rv.current || other->state != RV_FIBER_ALIVE || !on_stack_of(other, sp)) continue;
        rv_fail(RV_KIND_MISUSE, "longjmp to where thread %u called setjmp", other->id);
    }
    rv_test_unwind(sp);
    rv_signal_unwind(sp, buffer->__mask_was_saved != 0);
}

RV_EXPORT void longjmp(struct __jmp_buf_tag buffer[1], int value) {
    check(buffer);
    RV_REAL(longjmp)(buffer, value);
}

RV_EXPORT void _longjmp(struct __jmp_buf_tag buffer[1], int value) {
    check(buffer);
    RV_REAL(_longjmp)(buffer, value);
}

RV_EXPORT void siglongjmp(sigjmp_buf buffer, int value) {
    check(buffer);
    RV_REAL(siglongjmp)(buffer, value);
}

/* With _FORTIFY_SOURCE. glibc's own check compares stack addresses and asks the kernel for the alternate
 * stack; our fibers' stacks are ordinary for it. */
_Noreturn void __longjmp_chk(struct __jmp_buf_tag buffer[1], int value);
RV_EXPORT _Noreturn void __longjmp_chk(struct __jmp_buf_tag buffer[1], int value) {
    check(buffer);
    RV_REAL(__longjmp_chk)(buffer, value);
    __builtin_unreachable();
}
