#include "runtime/real.h"

#include <dlfcn.h>

#include "runtime/core.h"
#include "runtime/sys.h"

void *rv_real_find(const char *name) {
    rv.internal++; /* dlsym may allocate, and what it allocates outlives the execution */
    void *found = dlsym(RTLD_NEXT, name);
    rv.internal--;
    return found;
}

void *rv_real_lookup(const char *name) {
    void *found = rv_real_find(name);
    if (found) return found;
    static const char text[] = "ravel: the C library has no function ";
    (void)rv_sys_write(2, text, sizeof text - 1);
    (void)rv_sys_write(2, name, strlen(name));
    (void)rv_sys_write(2, "\n", 1);
    rv_sys_exit_group(127);
}

/* For the runtime itself: see raw.h. */
int vsnprintf(char *restrict to, size_t size, const char *restrict format, __builtin_va_list arguments) {
    static int (*real)(char *, size_t, const char *, __builtin_va_list);
    if (!real) *(void **)&real = rv_real_lookup("vsnprintf");
    return real(to, size, format, arguments);
}

int snprintf(char *restrict to, size_t size, const char *restrict format, ...) {
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    int result = vsnprintf(to, size, format, arguments);
    __builtin_va_end(arguments);
    return result;
}
