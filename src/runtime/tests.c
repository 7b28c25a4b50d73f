#include "runtime/tests.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/engine.h"
#include "runtime/events.h"
#include "runtime/native_events.h"
#include "runtime/real.h"
#include "runtime/sys.h"
#include "runtime/worker.h"

static struct rv_registration *registered, *last_registered;

static struct scope {
    bool entered;          /* at some time */
    uint32_t depth;        /* calls of the chosen test that are under way */
    uint32_t first_thread; /* the number of the first thread that it may create */
    uint32_t thread;       /* that called it, */
    uintptr_t sp;          /* its stack pointer there */
    bool jumped;           /* longjmp has left it, as frameworks do that skip or fail a test */
} scope, saved;

void rv_test_register(struct rv_registration *registration) {
    if (rv.mode == RV_CONTROLLED) return; /* of a library that is loaded late: gone with the execution */
    if (last_registered)
        last_registered->also = registration;
    else
        registered = registration;
    last_registered = registration;
}

void rv_tests_snapshot(void) { saved = scope; }
void rv_tests_restore(void) { scope = saved; }

/* ---- under control ---- */

static bool controlled(void) { return rv.mode == RV_SINGLE || rv.mode == RV_CONTROLLED; }
static bool is_chosen(const char *name) { return strcmp(name, rv.config->test) == 0; }

static void at(uintptr_t site) { rv.current->pending = RV_PENDING(RV_OP_NONE, NULL, site); }

/* Where the test is left, which is where the function that ends scopes (ravel.h) was called, if the compiler tells of calls. */
static uintptr_t leave_frame(uintptr_t site) {
    struct rv_fiber *self = rv.current;
    if (!self->depth || self->deeper) return site;
    return self->frames[self->depth - 1].pc;
}

static _Noreturn void fail_test(enum rv_kind kind, uintptr_t site, const char *text) {
    struct rv_fiber *self = rv.current;
    rv_schedule_failure(site);
    at(site);
    if (self->depth && self->frames[self->depth - 1].pc == site)
        self->depth--; /* or the stack had it twice */
    rv_fail_at(kind, site, 0, false, text);
}

bool rv_test_enter(const char *name, uintptr_t sp, uintptr_t site) {
    if (rv.mode == RV_PASSIVE) return !rv_native_chosen() || rv_native_enter(name, sp);
    if (!rv.config->test[0]) return true;
    if (!is_chosen(name)) return false;
    if (!controlled() || scope.depth++ > 0) return true;
    scope.entered = true;
    scope.first_thread = rv.fiber_count;
    scope.thread = rv.current->id;
    scope.sp = sp;
    scope.jumped = false;
    at(site);
    rv_plan_begin();
    return true;
}

static void check_threads(uintptr_t site) {
    char text[RV_MAX_MESSAGE];
    for (uint32_t i = scope.first_thread; i < rv.fiber_count; i++) {
        const struct rv_fiber *fiber = rv.fibers[i];
        bool ends = fiber->pending.op == RV_OP_EXIT; /* there is nothing left that it could do */
        if (fiber->state != RV_FIBER_ALIVE || fiber == rv.current || fiber->unasked || ends) continue;
        rv.internal++;
        (void)snprintf(text, sizeof text, "test %s left thread %u%s%.15s%s running", rv.config->test, i,
                       fiber->name[0] ? " (" : "", fiber->name, fiber->name[0] ? ")" : "");
        rv.internal--;
        fail_test(RV_KIND_MISUSE, site, text);
    }
}

static void check_plan(uintptr_t site) {
    char text[RV_MAX_MESSAGE];
    if (!rv_plan_end(text, sizeof text, site)) fail_test(RV_KIND_SCHEDULE, site, text);
}

void rv_test_leave(const char *name, uintptr_t site) {
    if (rv.mode == RV_PASSIVE && rv_native_chosen()) rv_native_leave(name);
    if (!controlled() || !rv.config->test[0] || !is_chosen(name) || !scope.depth || --scope.depth) return;
    site = leave_frame(site);
    check_plan(site);
    check_threads(site);
}

void rv_test_unwind(uintptr_t sp) {
    if (scope.depth && rv.current->id == scope.thread && sp > scope.sp) scope.jumped = true;
}

void rv_test_exit(bool in_order, uintptr_t site) {
    if (!controlled()) return;
    bool whole = !rv.config->test[0];
    if (scope.depth && !scope.jumped && !in_order) {
        char text[RV_MAX_MESSAGE];
        rv.internal++;
        (void)snprintf(text, sizeof text, "the program has ended within test %s", rv.config->test);
        rv.internal--;
        fail_test(RV_KIND_EXIT, site, text);
    }
    if (whole || scope.depth) {
        scope.depth = 0;
        check_plan(site);
    }
    if (whole || scope.entered) return;
    at(site);
    rv_fail(RV_KIND_SCHEDULE, "test %s did not run: nothing entered it", rv.config->test);
}

const char *rv_test_schedule(void) {
    if (rv.mode == RV_PASSIVE) return rv_native_schedule();
    if (!controlled() || !rv.config->plan_label[0] || (rv.config->test[0] && !scope.depth)) return NULL;
    static char label[sizeof rv.config->plan_label]; /* the configuration is not the program's to read */
    memcpy(label, rv.config->plan_label, sizeof label - 1);
    return label;
}

/* ---- in place of main ---- */

/* "list:7" */
static bool descriptor(const char *text, const char *word, int *fd) {
    while (*word && *text == *word) text++, word++;
    if (*word || *text < '0' || *text > '9') return false;
    for (*fd = 0; *text >= '0' && *text <= '9' && *fd < 1 << 24; text++) *fd = *fd * 10 + (*text - '0');
    return !*text;
}

/* Where the list goes: to a descriptor piece by piece, or all of it into memory. */
struct list {
    char *text;
    size_t size, room;
    int fd; /* -1: none */
    bool cut;
};

static void flush(struct list *list) {
    for (size_t done = 0; done < list->size;) {
        long written = rv_sys_write(list->fd, list->text + done, list->size - done);
        if (rv_sys_failed(written)) break;
        done += (size_t)written;
    }
    list->size = 0;
}

static void put(struct list *list, const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (list->size == list->room && list->fd >= 0) flush(list);
        if (list->size == list->room)
            list->cut = true;
        else
            list->text[list->size++] = text[i];
    }
}

/* One field, in which nothing ends the line. */
static void put_escaped(struct list *list, const char *text) {
    for (; *text; text++) {
        size_t plain = 0;
        while (text[plain] && text[plain] != '\\' && text[plain] != '\n' && text[plain] != '\t') plain++;
        put(list, text, plain);
        text += plain;
        if (!*text) return;
        put(list, *text == '\n' ? "\\n" : *text == '\t' ? "\\t" : "\\\\", 2);
    }
}

static void put_number(struct list *list, int number) {
    char digits[16];
    size_t at_digit = sizeof digits;
    unsigned rest = number > 0 ? (unsigned)number : 0;
    do digits[--at_digit] = (char)('0' + rest % 10);
    while (rest /= 10);
    put(list, digits + at_digit, sizeof digits - at_digit);
}

static void put_registration(struct list *list, const struct rv_registration *each) {
    const char *word = each->function ? "test\t" : "schedule\t";
    put(list, word, strlen(word));
    put_escaped(list, each->test);
    put(list, "\t", 1);
    if (!each->function) {
        put_escaped(list, each->label);
        put(list, "\t", 1);
    }
    put_escaped(list, each->file);
    put(list, "\t", 1);
    put_number(list, each->line);
    if (!each->function) {
        put(list, "\t", 1);
        put_escaped(list, each->text);
    }
    put(list, "\n", 1);
}

static int put_library(struct dl_phdr_info *info, size_t size, void *list) {
    (void)size;
    if (info->dlpi_name[0] != '/') return 0; /* the program, the kernel's */
    put(list, "library\t", 8);
    put_escaped(list, info->dlpi_name);
    put(list, "\n", 1);
    return 0;
}

static void put_all(struct list *list) {
    for (const struct rv_registration *each = registered; each; each = each->also)
        put_registration(list, each);
    (void)dl_iterate_phdr(put_library, list);
}

static int list_descriptor;

static int tell_list(int argc, char **argv, char **environment) {
    (void)argc, (void)argv, (void)environment;
    static char ahead[1 << 14];
    struct list list = {.text = ahead, .room = sizeof ahead, .fd = list_descriptor};
    put_all(&list);
    flush(&list);
    rv_sys_exit_group(0);
}

static bool all_registered; /* main would be next, and executions begin here */

size_t rv_tests_list(char *to, size_t room) {
    struct list list = {.text = to, .room = room, .fd = -1};
    if (!all_registered) return 0;
    rv.internal++;
    put_all(&list);
    rv.internal--;
    return list.cut ? 0 : list.size;
}

static void (*chosen_function(const char *name))(void) {
    for (const struct rv_registration *each = registered; each; each = each->also)
        if (each->function && strcmp(each->test, name) == 0) return each->function;
    return NULL;
}

static int run_chosen(int argc, char **argv, char **environment) {
    (void)argc, (void)argv, (void)environment;
    const char *name = rv.mode == RV_PASSIVE ? rv_native_chosen() : rv.config->test;
    void (*function)(void) = chosen_function(name);
    if (function) function();
    return 0; /* else the end of the program says that it did not run */
}

/* Its runner puts every test into a process of its own, behind which we do not see. */
static bool has_criterion(void) {
    rv.internal++;
    bool found = dlsym(RTLD_DEFAULT, "criterion_initialize") != NULL;
    rv.internal--;
    return found;
}

bool rv_tests_wanted(void) {
    if (controlled()) return rv.config->test[0] || rv.config->plan[0] || rv.config->early;
    return rv.mode == RV_PASSIVE && getenv(RV_TESTS_ENV);
}

rv_main *rv_tests_main(rv_main *program) {
    int fd;
    if (controlled()) {
        all_registered =
            rv.mode == RV_SINGLE; /* else executions begin in a constructor that has created a thread */
        if (rv.config->early) rv_worker_snapshot();
        if (!rv.config->test[0]) rv_plan_begin();
        return rv.config->test[0] && (rv.config->direct || has_criterion()) ? run_chosen : program;
    }
    const char *word = getenv(RV_TESTS_ENV);
    if (!word) return program;
    if (descriptor(word, "list:", &fd)) {
        list_descriptor = fd;
        return tell_list;
    }
    if (!descriptor(word, "passive:", &fd) || !rv_native_begin(fd)) return program;
    if (!getenv("RAVEL_TEST_DIRECT") && !has_criterion()) return program;
    rv_native_set_direct();
    return run_chosen;
}
