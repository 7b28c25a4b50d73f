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

static bool in_cxx_library(uintptr_t pc) {
    Dl_info info;
    if (!dladdr((void *)pc, &info) || !info.dli_fname) return false;
    if (strstr(info.dli_fname, "libstdc++") || strstr(info.dli_fname, "libc++")) return true;
    return info.dli_sname && strstr(info.dli_sname, "terminate"); /* linked statically, with its symbols */
}

struct walk {
    bool found;
    unsigned frames;
};

static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *argument) {
    struct walk *walk = argument;
    uintptr_t pc = _Unwind_GetIP(context);
    if (pc && in_cxx_library(pc)) walk->found = true;
    return walk->found || ++walk->frames == 12 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static bool under_terminate(uintptr_t site) {
    if (in_cxx_library(site)) return true;
    struct walk walk = {false, 0}; /* a terminate handler of the program's own */
    _Unwind_Backtrace(look_at, &walk);
    return walk.found;
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

enum rv_uncaught rv_uncaught_describe(uintptr_t site, char *text, size_t size) {
    rv.internal++;
    enum rv_uncaught result = RV_UNCAUGHT_NOT;
    struct type_info *(*current_type)(void) =
        (struct type_info * (*)(void)) dlsym(RTLD_DEFAULT, "__cxa_current_exception_type");
    if (current_type && under_terminate(site)) {
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
