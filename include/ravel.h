/* ravel.h: what a program may tell ravel, and ask it. Nothing here is needed for `ravel run` to work.
 *
 *   name                      | under `ravel run`                              | anywhere else
 *   ravel_active()            | 1                                              | 0
 *   RAVEL_POINT()             | another thread may run here                    | nothing
 *   RAVEL_YIELD()             | the same, and the caller says that it waits    | nothing
 *                             | for another thread: that one is preferred      |
 *   RAVEL_READS(at, size)     | treated as a read of these bytes, which the    | nothing
 *   RAVEL_WRITES(at, size)    | next statement does: a point if they are       |
 *                             | shared, checked against the heap               |
 *   RAVEL_HAPPENS_BEFORE(at)  | what this thread did so far happens before     | nothing
 *   RAVEL_HAPPENS_AFTER(at)   | what follows a later HAPPENS_AFTER of the same | nothing
 *                             | address, in any thread: for synchronisation    |
 *                             | that ravel cannot see; no point                |
 *   RAVEL_BENIGN_RACE(x)      | data races on the variable are not reported    | nothing
 *
 * ravel sees the memory accesses of code that `ravel cc` compiled. It does not see those of inline assembly and
 * of libraries compiled otherwise: RAVEL_READS, RAVEL_WRITES and RAVEL_POINT are for these. Loops that wait in
 * code that ravel does not see need a RAVEL_YIELD() to be fair (or sched_yield(), which does the same).
 *
 * A program that includes this header needs no library. The functions are weak references: they are there when
 * libravel is (a program built with `ravel cc`, or linked with -lravel), else the macros do nothing. In a program
 * built in another way and only run under ravel they may stay without effect, for its linker has already
 * decided that they are not there.
 *
 * Macros evaluate their arguments at most once. Those above may be called from any thread, and from signal handlers.
 *
 * Tests that say which schedule they mean (`ravel test`):
 *
 *   RAVEL_EVENT(name);                   | this thread is at a point of this name (an identifier, or dotted:
 *                                        | queue.full): what schedules speak of
 *   RAVEL_THREAD(name);                  | the current thread is called so in schedules: its start@name. The main
 *                                        | thread is called main from the beginning
 *   RAVEL_TEST(name) { ... }             | defines `static void name(void)` and makes it known as a test; called
 *                                        | like any function: by main, or in a framework's test
 *   RAVEL_TEST_SCOPE(name);              | first statement of a function of another shape, returning void: the rest
 *                                        | of the function is the test, which ends when the function is left
 *   RAVEL_TEST_SCOPE_RESULT(name, value);| the same in a function that returns something: `value` where the test is
 *                                        | not chosen
 *   RAVEL_SCHEDULE(test, "label", text); | at file scope, any number for a test: a schedule for it, as in
 *                                        | "finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2"
 *   ravel_schedule()                     | the label of the schedule under way in the chosen test; NULL: none
 *   RAVEL_MAIN                           | a main() that runs all tests of RAVEL_TEST, or those that its arguments
 *                                        | name; no semicolon
 *   RAVEL_ASSERT(condition)              | these print the expression, what it was about, and the thread; the
 *   RAVEL_ASSERT_EQ(a, b), _NE, _LT,     | test has failed. Integers (of any signedness), floating point numbers
 *   _LE, _GT, _GE                        | and pointers, compared by value
 *   RAVEL_ASSERT_STR_EQ(a, b)            | texts, or NULL
 *   RAVEL_FAIL(format, ...)              |
 *
 * `ravel test` runs the program with one test chosen: RAVEL_TEST and RAVEL_TEST_SCOPE of all others return at once. Under
 * control a thread that comes to an event waits there until the schedule allows it, and the test fails at once if that
 * can never be. Where threads run freely (ravel test --passive) events are only looked at: there block@t and unblock@t
 * are noticed when the next event happens, not before.
 *
 * Programs compiled by `ravel cc` and `ravel c++` have all of this (they define __RAVEL__), or those that define
 * RAVEL_ENABLE. Elsewhere events, threads, scopes and schedules are no code at all; RAVEL_TEST, RAVEL_MAIN and the
 * assertions do the same without the library, an assertion that fails then ends the program by abort().
 */
#ifndef RAVEL_H
#define RAVEL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RAVEL_VERSION_MAJOR 0
#define RAVEL_VERSION_MINOR 1
#define RAVEL_VERSION_PATCH 0
#define RAVEL_VERSION       "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* Not to be called directly: they may be NULL. */
extern int ravel__active(void) __attribute__((__weak__));
extern void ravel__point(void) __attribute__((__weak__));
extern void ravel__yield(void) __attribute__((__weak__));
extern void ravel__access(const volatile void *address, size_t size, int is_write) __attribute__((__weak__));
extern void ravel__order(const volatile void *object, int before) __attribute__((__weak__));
extern void ravel__benign(const volatile void *address, size_t size) __attribute__((__weak__));

/* A test (label NULL) or a schedule for one. */
struct ravel__registration {
    struct ravel__registration *next; /* of the program's own list */
    struct ravel__registration *also; /* of libravel's */
    const char *test, *label, *text;
    const char *file;
    int line;
    void (*function)(void); /* of a test */
};
extern void ravel__register(struct ravel__registration *registration) __attribute__((__weak__));
extern int ravel__enter(const char *test) __attribute__((__weak__));
extern void ravel__leave(const char *test) __attribute__((__weak__));
extern void ravel__event(const char *name) __attribute__((__weak__));
extern void ravel__thread(const char *name) __attribute__((__weak__));
extern const char *ravel__schedule(void) __attribute__((__weak__));
extern void ravel__failed(const char *file, int line, const char *function, const char *text)
    __attribute__((__weak__, __noreturn__));

/* Whether a schedule of ravel's drives this process. Use it to make a test smaller under ravel, or a time-out
 * longer; not to leave the interesting code out. */
static __inline__ int ravel_active(void) { return ravel__active ? ravel__active() : 0; }

/* Macros, so that reports name the line where they stand. */
#define RAVEL_POINT()          ((void)(ravel__point ? (ravel__point(), 0) : 0))
#define RAVEL_YIELD()          ((void)(ravel__yield ? (ravel__yield(), 0) : 0))
#define RAVEL_READS(at, size)  ((void)(ravel__access ? (ravel__access((at), (size), 0), 0) : 0))
#define RAVEL_WRITES(at, size) ((void)(ravel__access ? (ravel__access((at), (size), 1), 0) : 0))

#define RAVEL_HAPPENS_BEFORE(at) ((void)(ravel__order ? (ravel__order((at), 1), 0) : 0))
#define RAVEL_HAPPENS_AFTER(at)  ((void)(ravel__order ? (ravel__order((at), 0), 0) : 0))
#define RAVEL_BENIGN_RACE(x)     ((void)(ravel__benign ? (ravel__benign(&(x), sizeof(x)), 0) : 0))

/* ---- schedules of events ---- */

/* Check is an archive often, whose functions libravel cannot stand in for. */
#ifdef __RAVEL__
#ifdef CHECK_H
extern __typeof__(_ck_assert_failed) ravel__ck_assert_failed;
#endif
#define _ck_assert_failed ravel__ck_assert_failed
#endif

#if defined(__RAVEL__) || defined(RAVEL_ENABLE)
#define RAVEL__ENABLED 1
/* Names go into a section that is not loaded: for `ravel test`, which looks there before it runs anything. */
#define RAVEL__NOTE(section, name) \
    __asm__ __volatile__(".pushsection " section ",\"MS\",@progbits,1\n\t.asciz \"" name "\"\n\t.popsection")
#define RAVEL_EVENT(name)                                    \
    __extension__({                                          \
        RAVEL__NOTE(".ravel.events", #name);                 \
        (void)(ravel__event ? (ravel__event(#name), 0) : 0); \
    })
#define RAVEL_THREAD(name)                   ((void)(ravel__thread ? (ravel__thread(#name), 0) : 0))
#define RAVEL_TEST_SCOPE(name)               RAVEL__SCOPE(#name)
#define RAVEL_TEST_SCOPE_RESULT(name, value) RAVEL__SCOPE(#name)(value)
#define RAVEL__SCOPE(name)                                                      \
    RAVEL__NOTE(".ravel.tests", name);                                          \
    const char *ravel__scope __attribute__((__cleanup__(ravel__leave_scope))) = \
        !ravel__enter || ravel__enter(name) ? name : NULL;                      \
    if (!ravel__scope) return
#define RAVEL_SCHEDULE(name, label, text) RAVEL__ADD_SCHEDULE(__COUNTER__, #name, label, text)
#else
#define RAVEL__ENABLED                       0
#define RAVEL_EVENT(name)                    ((void)0)
#define RAVEL_THREAD(name)                   ((void)0)
#define RAVEL_TEST_SCOPE(name)               ((void)0)
#define RAVEL_TEST_SCOPE_RESULT(name, value) ((void)0)
#define RAVEL__SCOPE(name)                   ((void)0)
#define RAVEL_SCHEDULE(name, label, text)    struct ravel__registration
#endif

static __inline__ const char *ravel_schedule(void) {
    return RAVEL__ENABLED && ravel__schedule ? ravel__schedule() : NULL;
}

static __attribute__((__unused__, __noinline__)) void ravel__leave_scope(const char **test) {
    if (*test && ravel__leave) ravel__leave(*test);
}

/* All tests and schedules of the program, in their order. */
extern struct ravel__registration *ravel__registrations;
__attribute__((__weak__)) struct ravel__registration *ravel__registrations = NULL;

static __inline__ void ravel__add(struct ravel__registration *registration) {
    struct ravel__registration **end = &ravel__registrations;
    while (*end) end = &(*end)->next;
    *end = registration;
    if (ravel__register) ravel__register(registration);
}

#define RAVEL__JOIN(a, b)  RAVEL__PASTE(a, b)
#define RAVEL__PASTE(a, b) a##b
#define RAVEL__CONSTRUCTOR(unique, ...)                                                   \
    static __attribute__((__constructor__)) void RAVEL__JOIN(ravel__add_, unique)(void) { \
        static struct ravel__registration registration = {NULL, NULL, __VA_ARGS__};       \
        ravel__add(&registration);                                                        \
    }
#define RAVEL__ADD_SCHEDULE(unique, test, label, text)                      \
    RAVEL__CONSTRUCTOR(unique, test, label, text, __FILE__, __LINE__, NULL) \
    struct ravel__registration

#define RAVEL_TEST(name)                                                         \
    static void ravel__test_##name(void);                                        \
    static void name(void) {                                                     \
        RAVEL__SCOPE(#name);                                                     \
        ravel__test_##name();                                                    \
    }                                                                            \
    RAVEL__CONSTRUCTOR(__COUNTER__, #name, NULL, NULL, __FILE__, __LINE__, name) \
    static void ravel__test_##name(void)

/* How many tests have this name, having run them; NULL: any. */
static __inline__ int ravel__run(const char *name) {
    int count = 0;
    for (struct ravel__registration *each = ravel__registrations; each; each = each->next) {
        if (!each->function || (name && strcmp(name, each->test) != 0)) continue;
        each->function();
        count++;
    }
    return count;
}

static __inline__ int ravel__main(int argc, char **argv) {
    if (argc <= 1) (void)ravel__run(NULL);
    for (int i = 1; i < argc; i++) {
        if (ravel__run(argv[i])) continue;
        fprintf(stderr, "%s: no test '%s'\n", argv[0], argv[i]);
        return 2;
    }
    return 0;
}

#define RAVEL_MAIN \
    int main(int argc, char **argv) { return ravel__main(argc, argv); }

/* ---- assertions ---- */

enum ravel__kind { RAVEL__SIGNED, RAVEL__UNSIGNED, RAVEL__FLOAT, RAVEL__POINTER };
enum ravel__relation { RAVEL__EQ, RAVEL__NE, RAVEL__LT, RAVEL__LE, RAVEL__GT, RAVEL__GE };
struct ravel__value {
    enum ravel__kind kind;
    long long number; /* as unsigned long long: UNSIGNED, POINTER */
    long double real;
};
struct ravel__report {
    char text[400];
};

static __inline__ struct ravel__value ravel__signed(long long number) {
    struct ravel__value value = {RAVEL__SIGNED, number, (long double)number};
    return value;
}
static __inline__ struct ravel__value ravel__unsigned(unsigned long long number) {
    struct ravel__value value = {RAVEL__UNSIGNED, (long long)number, (long double)number};
    return value;
}
static __inline__ struct ravel__value ravel__float(long double real) {
    struct ravel__value value = {RAVEL__FLOAT, 0, real};
    return value;
}
static __inline__ struct ravel__value ravel__pointer(const volatile void *pointer) {
    struct ravel__value value = {RAVEL__POINTER, (long long)(size_t)pointer, (long double)(size_t)pointer};
    return value;
}

/* A long double holds every 64-bit integer exactly. */
static __inline__ int ravel__related(enum ravel__relation relation, long double a, long double b) {
    switch (relation) {
    case RAVEL__EQ: return !(a < b) && !(a > b) && a == a && b == b;
    case RAVEL__NE: return a < b || a > b || a != a || b != b;
    case RAVEL__LT: return a < b;
    case RAVEL__LE: return a <= b;
    case RAVEL__GT: return a > b;
    case RAVEL__GE: return a >= b;
    }
    return 0;
}

static __inline__ void ravel__show(char *to, size_t size, const struct ravel__value *value) {
    if (value->kind == RAVEL__SIGNED)
        (void)snprintf(to, size, "%lld", value->number);
    else if (value->kind == RAVEL__UNSIGNED)
        (void)snprintf(to, size, "%llu", (unsigned long long)value->number);
    else if (value->kind == RAVEL__FLOAT)
        (void)snprintf(to, size, "%.17Lg", value->real);
    else if (value->number)
        (void)snprintf(to, size, "%#llx", (unsigned long long)value->number);
    else
        (void)snprintf(to, size, "NULL");
}

/* "count == 3 does not hold: count is 2": a side that is written as what it is goes without saying. */
static __inline__ void ravel__tell(struct ravel__report *report, const char *a, const char *b,
                                   const char *relation, const char *a_is, const char *b_is) {
    int said_a = strcmp(a, a_is) == 0, said_b = strcmp(b, b_is) == 0;
    (void)snprintf(report->text, sizeof report->text,
                   "%.80s %s %.80s does not hold%s%.*s%s%.90s%s%.*s%s%.90s", a, relation, b,
                   said_a && said_b ? "" : ": ", said_a ? 0 : 80, a, said_a ? "" : " is ", said_a ? "" : a_is,
                   said_a || said_b ? "" : ", ", said_b ? 0 : 80, b, said_b ? "" : " is ",
                   said_b ? "" : b_is);
}

static __inline__ int ravel__compare(struct ravel__report *report, enum ravel__relation relation,
                                     const char *a_text, const char *b_text, struct ravel__value a,
                                     struct ravel__value b) {
    static const char *const relations[] = {"==", "!=", "<", "<=", ">", ">="};
    char a_is[64], b_is[64];
    if (ravel__related(relation, a.real, b.real)) return 1;
    ravel__show(a_is, sizeof a_is, &a);
    ravel__show(b_is, sizeof b_is, &b);
    ravel__tell(report, a_text, b_text, relations[relation], a_is, b_is);
    return 0;
}

static __inline__ int ravel__compare_texts(struct ravel__report *report, const char *a_text,
                                           const char *b_text, const char *a, const char *b) {
    char a_is[64], b_is[64];
    if (a == b || (a && b && strcmp(a, b) == 0)) return 1;
    (void)snprintf(a_is, sizeof a_is, a ? "\"%.60s\"" : "%s", a ? a : "NULL");
    (void)snprintf(b_is, sizeof b_is, b ? "\"%.60s\"" : "%s", b ? b : "NULL");
    ravel__tell(report, a_text, b_text, "==", a_is, b_is);
    return 0;
}

static __inline__ __attribute__((__format__(__printf__, 2, 3))) void ravel__say(struct ravel__report *report,
                                                                                const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(report->text, sizeof report->text, format, arguments);
    va_end(arguments);
}

static __attribute__((__noreturn__, __noinline__, __unused__)) void
ravel__die(const char *file, int line, const char *function, const char *text) {
    static const char body[] = "ravel__test_"; /* of RAVEL_TEST: people know it without */
    if (strncmp(function, body, sizeof body - 1) == 0) function += sizeof body - 1;
    (void)fflush(stdout);
    (void)fprintf(stderr, "%s:%d: %s: %s\n", file, line, function, text);
    abort();
}

#ifdef __cplusplus
}
static inline struct ravel__value ravel__value_of(bool value) { return ravel__unsigned(value); }
static inline struct ravel__value ravel__value_of(char value) { return ravel__signed(value); }
static inline struct ravel__value ravel__value_of(signed char value) { return ravel__signed(value); }
static inline struct ravel__value ravel__value_of(unsigned char value) { return ravel__unsigned(value); }
static inline struct ravel__value ravel__value_of(short value) { return ravel__signed(value); }
static inline struct ravel__value ravel__value_of(unsigned short value) { return ravel__unsigned(value); }
static inline struct ravel__value ravel__value_of(int value) { return ravel__signed(value); }
static inline struct ravel__value ravel__value_of(unsigned value) { return ravel__unsigned(value); }
static inline struct ravel__value ravel__value_of(long value) { return ravel__signed(value); }
static inline struct ravel__value ravel__value_of(unsigned long value) { return ravel__unsigned(value); }
static inline struct ravel__value ravel__value_of(long long value) { return ravel__signed(value); }
static inline struct ravel__value ravel__value_of(unsigned long long value) { return ravel__unsigned(value); }
static inline struct ravel__value ravel__value_of(float value) { return ravel__float(value); }
static inline struct ravel__value ravel__value_of(double value) { return ravel__float(value); }
static inline struct ravel__value ravel__value_of(long double value) { return ravel__float(value); }
static inline struct ravel__value ravel__value_of(const volatile void *value) {
    return ravel__pointer(value);
}
#define RAVEL__VALUE(x) ravel__value_of(x)
#else
#define RAVEL__VALUE(x)                          \
    _Generic((x), _Bool                          \
             : ravel__unsigned, char             \
             : ravel__signed, signed char        \
             : ravel__signed, unsigned char      \
             : ravel__unsigned, short            \
             : ravel__signed, unsigned short     \
             : ravel__unsigned, int              \
             : ravel__signed, unsigned           \
             : ravel__unsigned, long             \
             : ravel__signed, unsigned long      \
             : ravel__unsigned, long long        \
             : ravel__signed, unsigned long long \
             : ravel__unsigned, float            \
             : ravel__float, double              \
             : ravel__float, long double         \
             : ravel__float, default             \
             : ravel__pointer)(x)
#endif

/* In the macro, so that the failure is in the line where it stands. */
#define RAVEL__FAILED(text)                                            \
    (ravel__failed ? ravel__failed(__FILE__, __LINE__, __func__, text) \
                   : ravel__die(__FILE__, __LINE__, __func__, text))
#define RAVEL__COMPARE(relation, a_text, b_text, a, b)                                                   \
    do {                                                                                                 \
        struct ravel__report ravel__report;                                                              \
        if (!ravel__compare(&ravel__report, relation, a_text, b_text, RAVEL__VALUE(a), RAVEL__VALUE(b))) \
            RAVEL__FAILED(ravel__report.text);                                                           \
    } while (0)

#define RAVEL_ASSERT(condition) ((condition) ? (void)0 : RAVEL__FAILED(#condition " does not hold"))
#define RAVEL_ASSERT_EQ(a, b)   RAVEL__COMPARE(RAVEL__EQ, #a, #b, a, b)
#define RAVEL_ASSERT_NE(a, b)   RAVEL__COMPARE(RAVEL__NE, #a, #b, a, b)
#define RAVEL_ASSERT_LT(a, b)   RAVEL__COMPARE(RAVEL__LT, #a, #b, a, b)
#define RAVEL_ASSERT_LE(a, b)   RAVEL__COMPARE(RAVEL__LE, #a, #b, a, b)
#define RAVEL_ASSERT_GT(a, b)   RAVEL__COMPARE(RAVEL__GT, #a, #b, a, b)
#define RAVEL_ASSERT_GE(a, b)   RAVEL__COMPARE(RAVEL__GE, #a, #b, a, b)
#define RAVEL_ASSERT_STR_EQ(a, b)                                                                       \
    do {                                                                                                \
        struct ravel__report ravel__report;                                                             \
        if (!ravel__compare_texts(&ravel__report, #a, #b, (a), (b))) RAVEL__FAILED(ravel__report.text); \
    } while (0)
#define RAVEL_FAIL(...)                          \
    do {                                         \
        struct ravel__report ravel__report;      \
        ravel__say(&ravel__report, __VA_ARGS__); \
        RAVEL__FAILED(ravel__report.text);       \
    } while (0)

#endif
