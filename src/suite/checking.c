#include "suite/checking.h"

#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"
#include "report/text.h"
#include "suite/fields.h"

/* By number: main, then in the order of creation. */
static char *name_of(const struct rv_checking *checking, uint32_t thread) {
    const char *name = thread < checking->name_count ? checking->names[thread] : NULL;
    if (name) return rv_text_copy(name);
    return thread == 0 ? rv_text_copy("main") : rv_text_format("thread %u", thread);
}

static void set_name(struct rv_checking *checking, uint32_t thread, const char *name) {
    if (thread >= checking->name_count) {
        checking->names = rv_text_realloc(checking->names, (size_t)thread + 1, sizeof *checking->names);
        memset(checking->names + checking->name_count, 0,
               (thread + 1 - checking->name_count) * sizeof *checking->names);
        checking->name_count = (size_t)thread + 1;
    }
    free(checking->names[thread]);
    checking->names[thread] = rv_text_copy(name);
}

static void add_event(const struct rv_checking *checking, uint32_t thread, const char *event) {
    char *name = name_of(checking, thread);
    rv_test_result_add_event(checking->result, name, event);
    free(name);
}

/* The first failure counts: what comes later follows from it. */
static void fail(struct rv_checking *checking, enum rv_kind kind, char *message) {
    if (checking->kind != RV_KIND_NONE) {
        free(message);
        return;
    }
    checking->kind = kind;
    checking->message = message;
}

static void violated(struct rv_checking *checking, uint32_t at, uint32_t length, const char *target) {
    if (checking->kind == RV_KIND_NONE) {
        checking->at = at;
        checking->length = length;
    }
    fail(checking, RV_KIND_SCHEDULE, rv_text_format("violated: %s happened too early", target));
}

static void leaked(struct rv_checking *checking, uint32_t thread, const char *name) {
    char *known = *name ? rv_text_copy(name) : name_of(checking, thread);
    fail(checking, RV_KIND_MISUSE,
         rv_text_format("the test has ended, and thread %u (%s) is still alive", thread, known));
    free(known);
}

static bool read_line(struct rv_checking *checking, const struct rv_fields *line) {
    uint32_t number, length;
    char *const *fields = line->list;
    bool known = line->count > 1 && rv_fields_number(fields[1], RV_CHECKING_THREADS, &number);
    if (known && rv_fields_are(line, "thread", 2))
        set_name(checking, number, fields[2]);
    else if (known && rv_fields_are(line, "event", 2))
        add_event(checking, number, fields[2]);
    else if (known && rv_fields_are(line, "leaked", 2))
        leaked(checking, number, fields[2]);
    else if (known && rv_fields_are(line, "violated", 3) &&
             rv_fields_number(fields[2], RV_PLAN_TEXT, &length))
        violated(checking, number, length, fields[3]);
    else if (rv_fields_are(line, "missing", 1))
        fail(checking, RV_KIND_SCHEDULE,
             rv_text_format("%s is in the schedule and never happened", fields[1]));
    else if (rv_fields_are(line, "assert", 1))
        fail(checking, RV_KIND_ASSERT, rv_text_copy(fields[1]));
    else if (rv_fields_are(line, "begin", 0))
        checking->begun = true;
    else if (rv_fields_are(line, "end", 0))
        checking->ended = true;
    else
        return false;
    return true;
}

void rv_checking_read(struct rv_checking *checking, const char *text, size_t size) {
    for (const char *at = text, *end = text + size; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline) return; /* the process died while it wrote */
        size_t length = (size_t)(newline - at);
        char *copy = rv_text_alloc(length + 1, 1);
        memcpy(copy, at, length);
        struct rv_fields line;
        if (!rv_fields_cut(&line, copy, length) || !read_line(checking, &line)) checking->damaged++;
        free(copy);
        at = newline + 1;
    }
}

void rv_checking_free(struct rv_checking *checking) {
    for (size_t i = 0; i < checking->name_count; i++) free(checking->names[i]);
    free(checking->names);
    free(checking->message);
    *checking = (struct rv_checking){0};
}
