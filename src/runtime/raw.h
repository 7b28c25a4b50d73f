/* Included by force (-include) in every file of the runtime: memcpy and friends, also the calls the
 * compiler makes up by itself, go to our raw versions and never to our own hooks of these names. So do the few others that the runtime itself uses. */
#ifndef RV_RUNTIME_RAW_H
#define RV_RUNTIME_RAW_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size) __asm__("rv_raw_memcpy");
void *memmove(void *to, const void *from, size_t size) __asm__("rv_raw_memmove");
void *memset(void *to, int byte, size_t size) __asm__("rv_raw_memset");
int memcmp(const void *a, const void *b, size_t size) __asm__("rv_raw_memcmp");
size_t strlen(const char *text) __asm__("rv_raw_strlen");
int strcmp(const char *a, const char *b) __asm__("rv_raw_strcmp");
/* libc's own (real.c): ours are for the program. */
int snprintf(char *restrict to, size_t size, const char *restrict format, ...) __asm__("rv_raw_snprintf");
int vsnprintf(char *restrict to, size_t size, const char *restrict format,
              __builtin_va_list arguments) __asm__("rv_raw_vsnprintf");

/* Clang calls what it makes up (copies and clearing of structs) by the plain names, whatever the declarations say: there
 * the assembler redirects them. Not in the file that defines these names for the program. */
#if defined __clang__ && !defined RV_DEFINES_MEMORY_HOOKS
__asm__("memcpy = rv_raw_memcpy\n"
        "memmove = rv_raw_memmove\n"
        "memset = rv_raw_memset\n"
        "memcmp = rv_raw_memcmp\n");
#endif

#endif
