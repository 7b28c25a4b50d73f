/* Switching between fibers.
 *
 *   void rv_switch(void **save, void *load)   saves the caller's callee-saved registers on its stack and its
 *                                             stack pointer in *save; goes on with those at `load`
 *   void *rv_switch_prepare(void *top, void (*entry)(void *), void *argument)   (fiber.c) builds such a frame
 *
 * The frame, from the stack pointer up: mxcsr and x87 control word, r15 r14 r13 r12 rbx rbp, return address.
 * rv_fiber_entry is the return address of a new fiber's first frame: r12 holds the function, r13 its
 * argument. Its CFI says that there is no caller: unwinding (exceptions, cancellation) ends there.
 */
        .text
        .globl  rv_switch
        .hidden rv_switch
        .type   rv_switch, @function
        .p2align 4
rv_switch:
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r15
        .cfi_adjust_cfa_offset -8
        popq    %r14
        .cfi_adjust_cfa_offset -8
        popq    %r13
        .cfi_adjust_cfa_offset -8
        popq    %r12
        .cfi_adjust_cfa_offset -8
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   rv_switch, . - rv_switch

        .globl  rv_fiber_entry
        .hidden rv_fiber_entry
        .type   rv_fiber_entry, @function
        .p2align 4
        nop                             /* unwinders look at the byte before a return address */
rv_fiber_entry:
        .cfi_startproc
        .cfi_undefined rip
        xorl    %ebp, %ebp
        movq    %r13, %rdi
        call    *%r12
        ud2
        .cfi_endproc
        .size   rv_fiber_entry, . - rv_fiber_entry
        .section .note.GNU-stack,"",@progbits
