/* Failed assertions of test frameworks are failures of kind assert, with their text, where they stand. Not under control the
 * framework's own function is called.
 *
 *   Check      _ck_assert_failed; in the many places where Check is an archive and its symbol cannot be had, ravel.h lets
 *              tests call ours instead
 *   Criterion  criterion_send_assert (its old macros) and cri_assert_node_send (the new ones). Also of cr_expect: nobody
 *              counts these where a test is called without its runner, to which passed assertions are reported, too
 *   cmocka     _fail, after cm_print_error has said what differs, from inside the library
 *
 * The structs are those of the frameworks' headers (Criterion 2.4), as far as they are read here.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>

#include "runtime/engine.h"
#include "runtime/hooks/outside.h"
#include "runtime/native_events.h"

static bool controlled(void) { return !rv_passive() && rv.mode != RV_DETACHED && rv.current; }

/* ---- Check ---- */

typedef void check_failed(const char *file, int line, const char *expression, const char *format, ...);
RV_EXPORT check_failed _ck_assert_failed;
RV_EXPORT check_failed ravel__ck_assert_failed;

static void say_check(char *text, size_t size, const char *expression, const char *format,
                      va_list arguments) {
    rv.internal++;
    if (format)
        (void)vsnprintf(text, size, format, arguments);
    else
        (void)snprintf(text, size, "%s", expression ? expression : "failed");
    rv.internal--;
}

static _Noreturn void check_here(const char *file, int line, const char *text, uintptr_t site) {
    rv_assertion(file, (unsigned)line, NULL, text, site);
}

/* The framework's own, in the library, or in the program. */
static check_failed *real_check(void) {
    static check_failed *found;
    rv.internal++;
    if (!found) found = (check_failed *)dlsym(RTLD_DEFAULT, "_ck_assert_failed");
    rv.internal--;
    if (found == _ck_assert_failed) found = (check_failed *)rv_real_find("_ck_assert_failed");
    return found;
}

/* Variable arguments cannot be handed on: the text is made here, and its parts are texts. */
#define CHECK_HOOK(name)                                                                     \
    void name(const char *file, int line, const char *expression, const char *format, ...) { \
        char text[RV_MAX_MESSAGE];                                                           \
        va_list arguments;                                                                   \
        va_start(arguments, format);                                                         \
        say_check(text, sizeof text, expression, format, arguments);                         \
        va_end(arguments);                                                                   \
        if (controlled()) check_here(file, line, text, RV_SITE());                           \
        check_failed *real = real_check();                                                   \
        if (real) real(file, line, expression, format ? "%s" : NULL, text);                  \
        abort();                                                                             \
    }
CHECK_HOOK(_ck_assert_failed)
CHECK_HOOK(ravel__ck_assert_failed)

/* ---- Criterion ---- */

static bool without_runner(void) { return controlled() || rv_native_direct(); }

static _Noreturn void criterion_failed(const char *file, size_t line, const char *text, uintptr_t site) {
    if (!controlled()) rv_native_failed(text);
    rv_assertion(file, (unsigned)line, NULL, text, site);
}

struct criterion_assertion {
    const char *message;
    bool passed;
    unsigned line;
    const char *file;
};
void criterion_send_assert(struct criterion_assertion *assertion);
RV_EXPORT void criterion_send_assert(struct criterion_assertion *assertion) {
    if (!without_runner()) {
        RV_REAL(criterion_send_assert)(assertion);
        return;
    }
    if (assertion->passed) return;
    criterion_failed(assertion->file, assertion->line, assertion->message ? assertion->message : "failed",
                     RV_SITE());
}

void cri_asserts_passed_incr(void);
RV_EXPORT void cri_asserts_passed_incr(void) {
    if (!without_runner()) RV_REAL(cri_asserts_passed_incr)();
}

struct criterion_node {
    const char *text;
    const char *message;
    struct {
        const char *name;
        void *data;
        int type; /* 1: data is a text */
    } values[4];
    unsigned passed : 1;
    unsigned owned : 1;
    unsigned child_count : 30;
    unsigned most;
    const struct criterion_node *children;
};

/* The first part that failed: "eq(int, count, 2): actual is 1, expected is 2". */
static void say_node(char *text, size_t size, const struct criterion_node *root) {
    const struct criterion_node *node = root;
    while (node->child_count) {
        unsigned i = 0;
        while (i + 1 < node->child_count && node->children[i].passed) i++;
        node = &node->children[i];
    }
    const char *with = root->message && root->message[0] ? root->message : NULL;
    rv.internal++;
    int used = snprintf(text, size, "%s%s%s", node->text ? node->text : "failed", with ? ": " : "",
                        with ? with : "");
    for (unsigned i = 0; i < 4 && used > 0 && (size_t)used < size; i++) {
        if (!node->values[i].name || node->values[i].type != 1 || !node->values[i].data) break;
        used += snprintf(text + used, size - (size_t)used, "%s%s is %s", i ? ", " : ": ",
                         node->values[i].name, (const char *)node->values[i].data);
    }
    rv.internal--;
}

void cri_assert_node_send(const char *file, size_t line, struct criterion_node *root);
RV_EXPORT void cri_assert_node_send(const char *file, size_t line, struct criterion_node *root) {
    if (!without_runner()) {
        RV_REAL(cri_assert_node_send)(file, line, root);
        return;
    }
    char text[RV_MAX_MESSAGE / 2];
    say_node(text, sizeof text, root);
    criterion_failed(file, line, text, RV_SITE());
}

/* ---- cmocka ---- */

static char said[RV_MAX_MESSAGE / 2]; /* by cm_print_error since the last failure */

void cm_print_error(const char *format, ...);
RV_EXPORT void cm_print_error(const char *format, ...) {
    char text[RV_MAX_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    bool kept = controlled();
    rv.internal++;
    (void)vsnprintf(text, sizeof text, format, arguments);
    rv.internal--;
    va_end(arguments);
    size_t used = strlen(said), size = strlen(text);
    if (size > sizeof said - 1 - used) size = sizeof said - 1 - used;
    if (!kept) size = 0;
    memcpy(said + used, text, size);
    said[used + size] = 0;
    RV_REAL(cm_print_error)("%s", text);
}

/* The program's code that called into the library of this function; `otherwise` if that cannot be found. */
struct search {
    unsigned library;
    uintptr_t found;
};

static _Unwind_Reason_Code leave_library(struct _Unwind_Context *context, void *data) {
    struct search *search = data;
    uintptr_t pc = _Unwind_GetIP(context);
    if (rv_in_runtime(pc) || rv_code_module(rv_code_of(pc)) == search->library) return _URC_NO_REASON;
    search->found = pc;
    return _URC_END_OF_STACK;
}

static uintptr_t caller_of_library(uintptr_t function, uintptr_t otherwise) {
    struct search search = {.library = rv_code_module(rv_code_of(function))};
    rv.internal++;
    _Unwind_Backtrace(leave_library, &search);
    rv.internal--;
    return search.found ? search.found : otherwise;
}

_Noreturn void _fail(const char *file, int line);
RV_EXPORT void _fail(const char *file, int line) {
    if (!controlled()) RV_REAL(_fail)(file, line);
    char text[sizeof said];
    memcpy(text, said, sizeof text);
    said[0] = 0;
    size_t size = strlen(text);
    while (size > 0 && text[size - 1] == '\n') text[--size] = 0;
    rv_assertion(file, (unsigned)line, NULL, size ? text : "failed",
                 caller_of_library((uintptr_t)rv_real_find("_fail"), RV_SITE()));
}
