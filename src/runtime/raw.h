/* Included by force (-include) in every file of the runtime: memcpy and friends, also the calls the
 * compiler makes up by itself, go to our raw versions and never to our own hooks of these names. */
#ifndef RV_RUNTIME_RAW_H
#define RV_RUNTIME_RAW_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size) __asm__("rv_raw_memcpy");
void *memmove(void *to, const void *from, size_t size) __asm__("rv_raw_memmove");
void *memset(void *to, int byte, size_t size) __asm__("rv_raw_memset");
int memcmp(const void *a, const void *b, size_t size) __asm__("rv_raw_memcmp");
size_t strlen(const char *text) __asm__("rv_raw_strlen");
int strcmp(const char *a, const char *b) __asm__("rv_raw_strcmp");

#endif
