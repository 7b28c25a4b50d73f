/* In unit tests of the runtime's parts, the raw memory functions are libc's. The runtime's own lie in raw.c. */
#include <string.h>

void *rv_raw_memcpy(void *restrict to, const void *restrict from, size_t size) {
    return memcpy(to, from, size);
}
void *rv_raw_memmove(void *to, const void *from, size_t size) { return memmove(to, from, size); }
void *rv_raw_memset(void *to, int byte, size_t size) { return memset(to, byte, size); }
int rv_raw_memcmp(const void *a, const void *b, size_t size) { return memcmp(a, b, size); }
size_t rv_raw_strlen(const char *text) { return strlen(text); }
int rv_raw_strcmp(const char *a, const char *b) { return strcmp(a, b); }
