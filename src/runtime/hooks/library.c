/* Libraries loaded and unloaded by the program while threads run.
 *
 * Before the snapshot there is nothing to do. After it, the dynamic linker's own memory is restored like all other,
 * but not what it has mapped: a library loaded in an execution would stay, forgotten, so loading needs fork
 * isolation; one that was there at the snapshot and is unloaded would be missing, so until the process is
 * replaced, its unload is only said to have happened. One that is opened once more is only counted, and may be
 * closed as often.
 * dlopen looks at who calls it (for the caller's search path), so the real one must see the program: we jump to it.
 */
#include <dlfcn.h>
#include <link.h>

#include "runtime/hooks/outside.h"

enum { REOPENED = 32 };

/* Libraries of the snapshot that this execution has opened again, and how often it has not closed them. */
static struct reopened {
    void *handle;
    unsigned count;
} reopened[REOPENED];

static void forget(uintptr_t index, uintptr_t unused) {
    (void)unused;
    reopened[index] = (struct reopened){NULL, 0};
}

static struct reopened *find(void *handle) {
    for (unsigned i = 0; i < REOPENED; i++)
        if (reopened[i].handle == handle) return &reopened[i];
    return NULL;
}

static void count_open(void *handle) {
    struct reopened *entry = find(handle);
    if (!entry) {
        entry = find(NULL);
        if (!entry) return; /* then closing it is taken as an unload */
        *entry = (struct reopened){handle, 0};
        rv_on_restore(forget, (uintptr_t)(entry - reopened), 0);
    }
    entry->count++;
}

/* Called by dlopen with its arguments: what to jump to. */
__attribute__((used)) static void *before_dlopen(const char *file, int flags) {
    void *real = (void *)&RV_REAL(dlopen);
    if (rv_passive() || rv.mode != RV_CONTROLLED || !file) return real;
    int error = errno;
    rv.internal++;
    void *handle = RV_REAL(dlopen)(file, RTLD_LAZY | RTLD_NOLOAD);
    if (handle)
        (void)RV_REAL(dlclose)(handle);
    else
        (void)dlerror(); /* that it is not loaded is not the program's to see */
    rv.internal--;
    if (handle)
        count_open(handle);
    else if (!(flags & RTLD_NOLOAD))
        rv_need_fork("it loads a library (dlopen) while threads run");
    errno = error;
    return real;
}

__attribute__((naked)) RV_EXPORT void *dlopen(__attribute__((unused)) const char *file,
                                              __attribute__((unused)) int flags) {
    __asm__("push %rdi\n\tpush %rsi\n\tsub $8, %rsp\n\t"
            "call before_dlopen\n\t"
            "add $8, %rsp\n\tpop %rsi\n\tpop %rdi\n\tjmp *%rax");
}

static bool was_there(void *handle) {
    struct link_map *map = NULL;
    rv.internal++;
    bool known = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map;
    rv.internal--;
    return known && rv_mapping_is_old((uintptr_t)map->l_ld);
}

RV_EXPORT int dlclose(void *handle) {
    bool forking = rv.area && rv.area->control.isolation == RV_ISOLATION_FORK;
    if (rv_passive() || rv.mode != RV_CONTROLLED || forking) return RV_REAL(dlclose)(handle);
    struct reopened *entry = find(handle);
    if (entry && entry->count) {
        entry->count--;
        return RV_REAL(dlclose)(handle);
    }
    if (!was_there(handle)) return RV_REAL(dlclose)(handle);
    rv_need_fork("it unloads a library (dlclose) while threads run");
    return 0;
}
