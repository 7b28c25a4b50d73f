/* What an expression does, as far as it matters to other threads. */
#include <stdlib.h>
#include <string.h>

#include "migrate/source_private.h"
#include "report/text.h"

/*  what                        | functions */
static const char *const sleeping[] = {"usleep",     "sleep",    "nanosleep", "clock_nanosleep",
                                       "thrd_sleep", "g_usleep", "SDL_Delay", NULL};
static const char *const creating[] = {"pthread_create", "thrd_create", NULL};
static const char *const joining[] = {
    "pthread_join", "thrd_join", "pthread_timedjoin_np", "pthread_tryjoin_np", "pthread_detach",
    "thrd_detach",  NULL};
static const char *const meeting[] = {"pthread_barrier_wait", NULL};
/* Neither wait nor tell anybody anything. */
static const char *const silent[] = {"pthread_attr_init",
                                     "pthread_attr_destroy",
                                     "pthread_attr_setdetachstate",
                                     "pthread_attr_setstacksize",
                                     "pthread_barrier_init",
                                     "pthread_self",
                                     "sched_yield",
                                     "pthread_yield",
                                     "thrd_yield",
                                     NULL};

static bool is_one_of(const char *name, const char *const *names) {
    for (; *names; names++)
        if (strcmp(name, *names) == 0) return true;
    return false;
}

static bool is_zero(CXCursor argument) {
    CXEvalResult result = rv_clang->Cursor_Evaluate(argument);
    bool zero = result && rv_clang->EvalResult_getKind(result) == CXEval_Int &&
                rv_clang->EvalResult_getAsLongLong(result) == 0;
    if (result) rv_clang->EvalResult_dispose(result);
    return zero;
}

/* poll and select without descriptors sleep. */
static bool waits_for_nothing(const char *name, CXCursor call) {
    if (strcmp(name, "poll") == 0) return is_zero(rv_clang->Cursor_getArgument(call, 1));
    if (strcmp(name, "select") == 0 || strcmp(name, "pselect") == 0)
        return is_zero(rv_clang->Cursor_getArgument(call, 0));
    return false;
}

bool rv_name_asserts(const char *name);
bool rv_name_asserts(const char *name) {
    static const char *const words[] = {"assert", "ASSERT", "check", "CHECK", "ck_",
                                        "expect", "EXPECT", "fail",  NULL};
    for (const char *const *word = words; *word; word++)
        if (strstr(name, *word)) return true;
    return strncmp(name, "__", 2) == 0;
}

/* Whether this name stands in the text where the call does: else a macro makes the call. */
static bool written_out(const struct rv_reading *reading, CXCursor call, const char *name) {
    size_t begin, end, length = strlen(name);
    if (!length || !rv_cursor_range(reading, call, &begin, &end) || end - begin < length) return false;
    return memmem(reading->source->text + begin, end - begin, name, length) != NULL;
}

static void add_call(const struct rv_reading *reading, CXCursor call, struct rv_deeds *deeds) {
    CXCursor declaration = rv_clang->getCursorReferenced(call);
    char *name = rv_cursor_name(call);
    uint32_t function = rv_function_of(reading, declaration);
    const struct rv_function *known =
        function == RV_NO_FUNCTION ? NULL : &reading->source->functions[function];
    if (is_one_of(name, sleeping) || waits_for_nothing(name, call) || (known && known->sleeper))
        deeds->sleeps = true;
    else if (is_one_of(name, creating) || (known && known->creates))
        deeds->creates = true;
    else if (is_one_of(name, joining))
        deeds->joins = true;
    else if (is_one_of(name, meeting))
        deeds->meets = true;
    else if (!is_one_of(name, silent)) {
        deeds->calls = true;
        if (!deeds->callee && !rv_name_asserts(name) && written_out(reading, call, name))
            deeds->callee = rv_text_copy(name);
    }
    free(name);
}

/* What is assigned to: through a pointer, or a variable that is not local to its function, others can see. */
static bool is_shared(const struct rv_reading *reading, CXCursor target, char **name) {
    enum CXCursorKind kind = rv_clang->getCursorKind(target);
    if (kind == CXCursor_DeclRefExpr) {
        CXCursor variable = rv_clang->getCursorReferenced(target);
        if (rv_clang->getCursorKind(variable) == CXCursor_FunctionDecl ||
            rv_clang->getCursorKind(variable) == CXCursor_EnumConstantDecl)
            return false;
        if (name && !*name) *name = rv_cursor_name(target);
        CXCursor owner = rv_clang->getCursorSemanticParent(variable);
        return rv_clang->getCursorKind(owner) != CXCursor_FunctionDecl ||
               rv_clang->Cursor_getStorageClass(variable) == CX_SC_Static;
    }
    struct rv_cursors children = rv_children(target);
    bool shared = false;
    if (children.count > 0) {
        CXType base = rv_clang->getCanonicalType(rv_clang->getCursorType(children.items[0]));
        bool through =
            base.kind == CXType_Pointer && (kind == CXCursor_MemberRefExpr || kind == CXCursor_UnaryOperator);
        if (kind == CXCursor_MemberRefExpr && name && !*name) *name = rv_cursor_name(target);
        shared = is_shared(reading, children.items[0], name) || through;
    }
    free(children.items);
    return shared;
}

/* Text between the two operands, or before or after the only one. */
static bool has_operator(const struct rv_reading *reading, CXCursor cursor, const struct rv_cursors *operands,
                         bool (*wanted)(const char *text, size_t size)) {
    size_t begin, end, first_begin, first_end, second_begin, second_end;
    const char *text = reading->source->text;
    if (!operands->count || !rv_cursor_range(reading, cursor, &begin, &end) ||
        !rv_cursor_range(reading, operands->items[0], &first_begin, &first_end))
        return false;
    if (operands->count > 1)
        return rv_cursor_range(reading, operands->items[1], &second_begin, &second_end) &&
               second_begin >= first_end && wanted(text + first_end, second_begin - first_end);
    return (first_begin > begin && wanted(text + begin, first_begin - begin)) ||
           (end > first_end && wanted(text + first_end, end - first_end));
}

static bool is_assignment(const char *text, size_t size) {
    const char *sign = memchr(text, '=', size);
    if (!sign) return false;
    bool compares = (size_t)(sign - text) + 1 < size && sign[1] == '=';
    return !compares && (sign == text || !strchr("=!<>", sign[-1]));
}

static bool is_step(const char *text, size_t size) {
    return memmem(text, size, "++", 2) != NULL || memmem(text, size, "--", 2) != NULL;
}

static void add_change(const struct rv_reading *reading, CXCursor target, struct rv_deeds *deeds) {
    char *name = NULL;
    if (is_shared(reading, target, &name)) deeds->writes = true;
    if (deeds->changed)
        free(name);
    else
        deeds->changed = name;
}

void rv_deeds_of(const struct rv_reading *reading, CXCursor cursor, struct rv_deeds *deeds) {
    struct rv_cursors children = rv_children(cursor);
    enum CXCursorKind kind = rv_clang->getCursorKind(cursor);
    if (kind == CXCursor_CallExpr)
        add_call(reading, cursor, deeds);
    else if (kind == CXCursor_CompoundAssignOperator ||
             (kind == CXCursor_BinaryOperator && has_operator(reading, cursor, &children, is_assignment)) ||
             (kind == CXCursor_UnaryOperator && has_operator(reading, cursor, &children, is_step)))
        add_change(reading, children.items[0], deeds);
    else if ((kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr ||
              kind == CXCursor_UnaryOperator) &&
             is_shared(reading, cursor, NULL))
        deeds->looks = true;
    for (unsigned i = 0; i < children.count; i++) rv_deeds_of(reading, children.items[i], deeds);
    free(children.items);
}

void rv_deeds_free(struct rv_deeds *deeds) {
    free(deeds->callee);
    free(deeds->changed);
}
