/* What the hooks of memory and string functions share (memory.c, string.c, string_copy.c).
 *
 * Under ravel such a function is an access to all the bytes it looks at, then one to all it changes. How many that
 * are may depend on the bytes; so it is found out first, announced, and found out again when the thread
 * goes on, for others may have been at it. What a copy has read is kept in between as long as it is short: the
 * read happens where it was announced and not later, at the write.
 *
 * Outside ravel, and before our constructor, nothing but the work is done: no libc function is called.
 */
#ifndef RV_RUNTIME_HOOKS_TEXT_H
#define RV_RUNTIME_HOOKS_TEXT_H

#include "runtime/bytes.h"
#include "runtime/core.h"

/* Exports hook_NAME under the name NAME; raw.h has taken some of the names themselves for the runtime. */
#define RV_HOOK(type, name, arguments)                   \
    RV_EXPORT type hook_##name arguments __asm__(#name); \
    RV_EXPORT type hook_##name arguments

enum { RV_TEXT_KEPT = 512 };
#define RV_TEXT_WHOLE SIZE_MAX /* instead of a bound: up to the end */

/* glibc's end of a program that would write beyond an object whose size the compiler knows. */
extern void __chk_fail(void) __attribute__((noreturn));
static inline void rv_text_fits(size_t size, size_t object) {
    if (RV_UNLIKELY(size > object)) __chk_fail();
}

/* Reads a string that ends by 0 or after `most` bytes; its length as it is at the read. */
size_t rv_text_read(const char *text, size_t most, uintptr_t site);
/* Writes what was read from there just now, and behind it zeros up to `size`. */
void rv_text_write(char *to, const char *from, size_t length, size_t size, uintptr_t site);

#endif
