/* Describing an uncaught C++ exception from C, without linking anything of C++.
 *
 * The type comes from the C++ ABI by functions. The words of what() need the exception object: in libstdc++ it lies
 * right behind a header whose layout the ABI fixes (below), and std::exception's type_info knows how to convert
 * a thrown object to its std::exception part, by a virtual function. Both are only used when the exception says
 * that it is of that make ("GNUCC++" in its class); otherwise the type has to do.
 */
#include "runtime/hooks/uncaught.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

#include "runtime/hooks/outside.h"

struct type_info {
    void *const *methods;
    const char *name;
};
enum { TYPE_INFO_DO_CATCH = 4, EXCEPTION_WHAT = 2 }; /* places in their tables of virtual functions */

struct exception_header { /* __cxa_exception of libstdc++ on x86-64; the object follows */
    struct type_info *type;
    void (*destructor)(void *);
    void (*unexpected)(void);
    void (*terminate)(void);
    struct exception_header *next;
    int handler_count;
    int handler_switch_value;
    const unsigned char *action_record;
    const unsigned char *language_data;
    uintptr_t catch_temp;
    void *adjusted;
    struct _Unwind_Exception unwind;
};
#define CLASS_GNU_CXX \
    UINT64_C(0x474e5543432b2b00) /* "GNUCC++\0"; a last byte of 1: refers to another object */

struct globals {
    struct exception_header *caught;
    unsigned uncaught;
};

/* ---- where are we? ---- */

static bool contains_any(const char *text, const char *const *parts) {
    for (; *parts; parts++)
        if (strstr(text, *parts)) return true;
    return false;
}

/* From abort() outwards: the C++ library's frames tell that it is std::terminate (also when a terminate handler
 * of the program's own calls abort); the first frame behind them is where the exception was thrown. */
struct walk {
    bool terminate;
    uintptr_t thrown_at;
    unsigned frames;
};

static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *argument) {
    static const char *const cxx[] = {"libstdc++", "libc++", NULL};
    static const char *const other[] = {"libgcc_s", "libravel", "libc.so", "libunwind", NULL};
    struct walk *walk = argument;
    uintptr_t pc = _Unwind_GetIP(context);
    Dl_info info;
    const char *file = pc && dladdr((void *)(pc - 1), &info) && info.dli_fname ? info.dli_fname : "";
    bool library = contains_any(file, cxx);
    /* Linked statically, but with its symbols. */
    if (!library && file[0] && info.dli_sname) library = strstr(info.dli_sname, "terminate") != NULL;
    if (library)
        walk->terminate = true;
    else if (walk->terminate && !walk->thrown_at && !contains_any(file, other))
        walk->thrown_at = pc;
    return walk->thrown_at || ++walk->frames == 24 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* ---- what is it? ---- */

static void demangle(const char *name, char *text, size_t size) {
    char *(*find)(const char *, char *, size_t *, int *) =
        (char *(*)(const char *, char *, size_t *, int *))dlsym(RTLD_DEFAULT, "__cxa_demangle");
    if (name[0] == '*') name++; /* a type that is known by its address */
    int status = -1;
    char *readable = find ? find(name, NULL, NULL, &status) : NULL;
    (void)snprintf(text, size, "%s", readable && status == 0 ? readable : name);
    free(readable);
}

/* what() of the exception being handled; NULL if it cannot be had. */
static const char *words(const struct type_info *type) {
    struct globals *(*get_globals)(void) =
        (struct globals * (*)(void)) dlsym(RTLD_DEFAULT, "__cxa_get_globals");
    const struct type_info *wanted = dlsym(RTLD_DEFAULT, "_ZTISt9exception");
    if (!get_globals || !wanted) return NULL;
    struct exception_header *header = get_globals()->caught;
    if (!header || header->unwind.exception_class != CLASS_GNU_CXX || header->type != type) return NULL;
    void *object = header + 1;
    bool (*do_catch)(const struct type_info *, const struct type_info *, void **, unsigned) =
        (bool (*)(const struct type_info *, const struct type_info *, void **,
                  unsigned))wanted->methods[TYPE_INFO_DO_CATCH];
    if (!do_catch(wanted, type, &object, 1)) return NULL;
    const char *(*what)(const void *) =
        (const char *(*)(const void *))(*(void *const *const *)object)[EXCEPTION_WHAT];
    return what(object);
}

enum rv_uncaught rv_uncaught_describe(uintptr_t *site, char *text, size_t size) {
    rv.internal++;
    struct walk walk = {.terminate = false};
    enum rv_uncaught result = RV_UNCAUGHT_NOT;
    struct type_info *(*current_type)(void) =
        (struct type_info * (*)(void)) dlsym(RTLD_DEFAULT, "__cxa_current_exception_type");
    if (current_type) _Unwind_Backtrace(look_at, &walk);
    if (walk.thrown_at) *site = walk.thrown_at;
    if (walk.terminate) {
        const struct type_info *type = current_type();
        result = type ? RV_UNCAUGHT_EXCEPTION : RV_UNCAUGHT_TERMINATE;
        if (type) {
            char name[256];
            demangle(type->name, name, sizeof name);
            const char *said = words(type);
            (void)snprintf(text, size, "uncaught exception %s%s%s", name, said ? ": " : "", said ? said : "");
        }
    }
    rv.internal--;
    return result;
}
