/* Libraries loaded and unloaded by the program while threads run.
 *
 * Before the snapshot there is nothing to do. After it, the dynamic linker's own memory is restored like all other,
 * but what it has mapped is not known to it then: a library loaded in an execution would stay, forgotten, and
 * one that was unloaded would be missing. So both need fork isolation; until the process is replaced for it,
 * an unload is only said to have happened.
 * dlopen looks at who calls it (for the caller's search path), so the real one must see the program: we jump to it.
 */
#include <dlfcn.h>

#include "runtime/hooks/outside.h"

static bool is_loaded(const char *file) {
    rv.internal++;
    void *handle = RV_REAL(dlopen)(file, RTLD_LAZY | RTLD_NOLOAD);
    if (handle) (void)RV_REAL(dlclose)(handle);
    rv.internal--;
    return handle != NULL;
}

/* Called by dlopen with its arguments: what to jump to. */
__attribute__((used)) static void *before_dlopen(const char *file, int flags) {
    if (!rv_passive() && rv.mode == RV_CONTROLLED && file && !(flags & RTLD_NOLOAD)) {
        int error = errno;
        if (!is_loaded(file)) rv_need_fork("it loads a library (dlopen) while threads run");
        errno = error;
    }
    return (void *)&RV_REAL(dlopen);
}

__attribute__((naked)) RV_EXPORT void *dlopen(__attribute__((unused)) const char *file,
                                              __attribute__((unused)) int flags) {
    __asm__("push %rdi\n\tpush %rsi\n\tsub $8, %rsp\n\t"
            "call before_dlopen\n\t"
            "add $8, %rsp\n\tpop %rsi\n\tpop %rdi\n\tjmp *%rax");
}

RV_EXPORT int dlclose(void *handle) {
    if (rv_passive() || rv.mode != RV_CONTROLLED) return RV_REAL(dlclose)(handle);
    if (rv.area->control.isolation == RV_ISOLATION_FORK) return RV_REAL(dlclose)(handle);
    rv_need_fork("it unloads a library (dlclose) while threads run");
    return 0;
}
