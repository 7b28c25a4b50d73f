/* The language of plans: what each form means as a tree, what is refused, where exactly, and with which advice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

#include "plan_text.h"

static struct plan_memory memory;
static struct rv_plan_error error;

static const struct rv_plan *parse(const char *text) {
    const struct rv_plan *plan = rv_plan_parse(plan_arena(&memory), text, &error);
    if (!plan) fail_msg("%s: at %u: %s", text, error.at, error.message);
    return plan;
}

/* The tree written out with all the parentheses that its structure needs. */
static void means(const char *text, const char *written) {
    struct plan_text *out = malloc(sizeof *out);
    plan_put_all(out, parse(text));
    assert_string_equal(out->data, written);
    free(out);
}

/* carets: below the text, as many as the error is long; "|" for an error between two bytes. */
static void refuses(const char *text, const char *carets, const char *message, const char *hint) {
    size_t at = strspn(carets, " "), length = strspn(carets + at, "^");
    const struct rv_plan *plan = rv_plan_parse(plan_arena(&memory), text, &error);
    if (plan) fail_msg("accepted: %s", text);
    assert_true(length ? carets[at + length] == 0 : strcmp(carets + at, "|") == 0);
    if (error.at != at || error.length != length || strcmp(error.message, message) != 0 ||
        strcmp(error.hint, hint) != 0)
        fail_msg("%s\nexpected %zu+%zu %s / %s\nis       %u+%u %s / %s", text, at, length, message, hint,
                 error.at, error.length, error.message, error.hint);
    assert_int_equal(memory.arena.used, 0);
}

/* --- what is read --- */

static void test_forms(void **state) {
    (void)state;
    means("finishedAdd1 -> startingTake1, [startingTake2] -> startingAdd2",
          "finishedAdd1#1 -> startingTake1, [startingTake2] -> startingAdd2");
    means("put#2 -> take#1", "put#2 -> take#1");
    means("queue.put#3@producer -> cache.item._x9", "queue.put#3@producer -> cache.item._x9");
    means("start@a && end#2@b && block@c && unblock#3@d -> start@e",
          "start#1@a && end#2@b && block#1@c && unblock#3@d -> start@e");
    means("blocked@t -> block@t", "blocked@t -> block@t");
    means("[e#1] && [e] && [start@t] -> f", "[e#1] && [e] && [start@t] -> f");
    means("!a -> b, !!a -> c, !(a) -> d", "!a#1 -> b, !!a#1 -> c, !a#1 -> d");
    means("start_ && starts && blockedX -> ended", "start_#1 && starts#1 && blockedX#1 -> ended");
    means("start@start -> e@blocked", "start#1@start -> e@blocked");
}

static void test_precedence(void **state) {
    (void)state;
    means("a || b && c -> d", "a#1 || b#1 && c#1 -> d");
    means("(a || b) && c -> d", "(a#1 || b#1) && c#1 -> d");
    means("a && b || c && d -> e", "a#1 && b#1 || c#1 && d#1 -> e");
    means("!a && b -> c", "!a#1 && b#1 -> c");
    means("!(a && b) || c -> d", "!(a#1 && b#1) || c#1 -> d");
    means("a && (b && c) -> d", "a#1 && (b#1 && c#1) -> d");
    means("((a)) && (b) && c -> d", "a#1 && b#1 && c#1 -> d");
    means("a || (b || c) -> d", "a#1 || (b#1 || c#1) -> d");
    means("![a] && !blocked@t -> d", "![a] && !blocked@t -> d");
}

static void test_space_and_comments(void **state) {
    (void)state;
    means("a->b", "a#1 -> b");
    means(" \t\n\v\f\ra \n->/* why */b//x", "a#1 -> b");
    means("a # 2 @ t -> b @ t", "a#2@t -> b@t");
    means("a // one -> two\n -> b, /* x -> */ [ /**/ c ] -> d /* * / **/", "a#1 -> b, [c] -> d");
    means("a&&b||c->d", "a#1 && b#1 || c#1 -> d");
}

static void test_tree(void **state) {
    (void)state;
    const char *text = "a && !(b || [c#2@t]) -> e, e -> a#4";
    const struct rv_plan *plan = parse("  a && !(b || [c#2@t]) -> e, e -> a#4 ");
    assert_string_equal(plan->text + 2, "a && !(b || [c#2@t]) -> e, e -> a#4 ");
    text = plan->text;
    assert_int_equal(plan->ordering_count, 2);
    assert_int_equal(plan->atom_count, 6); /* a, b, c#2@t, e (each time), e#1, a#4 */
    assert_int_equal(plan->node_count, 7);
    const struct rv_plan_node *and = &plan->nodes[plan->orderings[0].condition],
                              *not = &plan->nodes[ and->right];
    const struct rv_plan_node * or = &plan->nodes[not ->left], *held = &plan->nodes[or->right];
    assert_int_equal(and->kind, RV_PLAN_AND);
    assert_int_equal(and->first, 0);
    assert_memory_equal(text + and->at, "a && !(b || [c#2@t])", 20);
    assert_int_equal(and->length, 20);
    assert_int_equal(not ->kind, RV_PLAN_NOT);
    assert_int_equal(not ->length, strlen("!(b || [c#2@t])"));
    assert_int_equal(or->kind, RV_PLAN_OR);
    assert_int_equal(or->first, 1);
    assert_memory_equal(text + or->at, "b || [c#2@t]", 12);
    assert_int_equal(held->kind, RV_PLAN_HELD);
    assert_false(held->last);
    assert_memory_equal(text + held->at, "[c#2@t]", held->length);
    const struct rv_plan_atom *c = &plan->atoms[held->atom];
    assert_string_equal(c->name, "c");
    assert_string_equal(c->thread, "t");
    assert_int_equal(c->count, 2);
    assert_memory_equal(text + c->at, "c#2@t", c->length);
    assert_int_equal(plan->atoms[plan->orderings[0].target].count, 0);
    assert_int_equal(plan->atoms[plan->orderings[1].target].count, 4);
    assert_int_equal(plan->orderings[1].at, strlen("  a && !(b || [c#2@t]) -> e, "));
    assert_int_equal(plan->orderings[1].length, strlen("e -> a#4"));
    assert_int_equal(plan->nodes[plan->orderings[1].condition].first, plan->orderings[1].condition);
}

static bool positive(const struct rv_plan *plan, const char *name) {
    for (uint32_t i = 0; i < plan->atom_count; i++)
        if (strcmp(plan->atoms[i].name, name) == 0) return plan->atoms[i].positive;
    fail_msg("no atom %s", name);
    return false;
}

static void test_signs(void **state) {
    (void)state;
    const struct rv_plan *plan =
        parse("a && !b && !(c || !d) && [f] && ![g] && !!h -> e, !i || j -> k, !k -> l");
    const char *yes[] = {"a", "d", "f", "h", "e", "j", "k", "l"}, *no[] = {"b", "c", "g", "i"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) assert_true(positive(plan, yes[i]));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) assert_false(positive(plan, no[i]));
}

static void test_momentary(void **state) {
    (void)state;
    assert_false(parse("a && (b#2 || c@t) -> d#3, start@t -> end@t")->momentary);
    assert_true(parse("[a] -> d")->momentary);
    assert_true(parse("a || !b -> d")->momentary);
    assert_true(parse("blocked@t -> d")->momentary);
    assert_true(parse("block@t -> d")->momentary);
    assert_true(parse("d -> unblock@t")->momentary);
}

static void test_atoms_are_shared(void **state) {
    (void)state;
    const struct rv_plan *plan = parse("a -> b, a#1 && a#2 && [a] -> c, a@t -> d");
    assert_int_equal(plan->atom_count, 6); /* a, b, a#2, c, a@t, d */
    assert_true(plan->nodes[0].atom == plan->nodes[1].atom);
    assert_ptr_equal(plan->atoms[0].name, plan->atoms[plan->nodes[3].atom].name);
}

/* --- what is refused --- */

#define FORM    "an ordering is CONDITION -> EVENT, for example: finishedPut -> startingTake"
#define NAMES   "names are letters, digits and '_', in parts joined by '.'"
#define MISSING "write '->' before the event that has to wait, '&&' or '||' between conditions"
#define COMMAS  "orderings are separated by ','"
#define OWN                                                                                                \
    "start, end, block, unblock and blocked are of a thread: start@t; an event of your own needs another " \
    "name"
#define BRACKETS "brackets hold one event: [a] && [b]"
#define THREADS  "behind '@' stands the name that RAVEL_THREAD gives, or main"
#define COUNTS   "behind '#' stands a whole number: e#2 is the second time"
#define BESIDES  "no execution can satisfy this: an event would have to come before itself"

static void test_no_condition(void **state) {
    (void)state;
    refuses("", "|", "expected a condition, found the end", FORM);
    refuses("  // a -> b", "|", "expected a condition, found the end", FORM);
    refuses("-> b", "^^", "expected a condition, found '->'",
            "an event that may come at any time needs no ordering");
    refuses("a -> b,", "       |", "expected a condition, found the end", "leave the last ',' out");
    refuses("a -> b, \n ", "       |", "expected a condition, found the end", "leave the last ',' out");
    refuses("a -> b,, c -> d", "       ^", "expected a condition, found ','", "leave one ',' out");
    refuses("a && -> b", "     ^^", "expected a condition, found '->'",
            "'&&' and '||' stand between two conditions");
    refuses("a || && b -> c", "     ^^", "expected a condition, found '&&'",
            "'&&' and '||' stand between two conditions");
    refuses("! -> b", "  ^^", "expected a condition, found '->'", "behind '!' stands a condition");
    refuses("() -> b", " ^", "expected a condition, found ')'", "between the parentheses stands a condition");
    refuses("@t -> b", "^", "expected a condition, found '@'", "an event stands before '@': e@t, start@t");
    refuses("#2 -> b", "^", "expected a condition, found '#'", "an event stands before '#': e#2");
    refuses("1a -> b", "^^", "expected a condition, found '1a'", NAMES);
    refuses("12 -> b", "^^", "expected a condition, found '12'", NAMES);
}

static void test_no_arrow(void **state) {
    (void)state;
    refuses("a", " |", "expected '->', found the end",
            "the event that has to wait is missing: CONDITION -> EVENT");
    refuses("a b", "  ^", "expected '->', found 'b'", MISSING);
    refuses("a [b] -> c", "  ^", "expected '->', found '['", MISSING);
    refuses("a, b -> c", " ^", "expected '->', found ','",
            "',' separates orderings; conditions are joined by '&&'");
    refuses("a => b", "  ^^", "expected '->', found '=>'", "write '->'");
    refuses("a --> b", "  ^^^", "expected '->', found '-->'", "write '->'");
    refuses("a - b", "  ^", "expected '->', found '-'", "write '->'");
    refuses("a > b", "  ^", "expected '->', found '>'", "write '->'");
    refuses("a <- b", "  ^^", "expected '->', found '<-'", "the condition comes first: CONDITION -> EVENT");
    refuses("a then b", "  ^^^^", "expected '->', found 'then'", "write '->'");
    refuses("a after b", "  ^^^^^", "expected '->', found 'after'",
            "the condition comes first: CONDITION -> EVENT");
    refuses("a & b -> c", "  ^", "expected '->', found '&'", "write '&&'");
    refuses("a &&& b -> c", "  ^^^", "expected '->', found '&&&'", "write '&&'");
    refuses("a | b -> c", "  ^", "expected '->', found '|'", "write '||'");
    refuses("a and b -> c", "  ^^^", "expected '->', found 'and'", "write '&&'");
    refuses("a or b -> c", "  ^^", "expected '->', found 'or'", "write '||'");
    refuses("not a -> c", "    ^", "expected '->', found 'a'", "write '!'");
    refuses("~a -> c", "^", "expected a condition, found '~'", "write '!'");
    refuses("a; b -> c", " ^", "expected '->', found ';'", COMMAS);
    refuses("a::b -> c", " ^^", "expected '->', found '::'", "the parts of a name are joined by '.'");
    refuses("a . b -> c", "  ^", "expected '->', found '.'",
            "'.' stands between two identifiers, without spaces");
    refuses("a..b -> c", " ^^", "expected '->', found '..'",
            "'.' stands between two identifiers, without spaces");
    refuses("'a' -> c", "^", "expected a condition, found '''", "names stand without quotes");
    refuses("put* -> c", "   ^", "expected '->', found '*'", "there are no wildcards: name each event");
}

static void test_parentheses_and_brackets(void **state) {
    (void)state;
    refuses("(a || b -> c", "        ^^", "expected ')', found '->'",
            "parentheses stand around conditions only, and are closed before '->'");
    refuses("(a -> b)", "   ^^", "expected ')', found '->'",
            "parentheses stand around conditions only, and are closed before '->'");
    refuses("x && (a || b", "            |", "expected ')', found the end", "'(a || b' is not closed");
    refuses("(a b) -> c", "   ^", "expected ')', found 'b'", "'(a' is not closed");
    refuses("a) -> b", " ^", "expected '->', found ')'", "no '(' belongs to it");
    refuses("a] -> b", " ^", "expected '->', found ']'", "no '[' belongs to it");
    refuses("[a -> b", "   ^^", "expected ']', found '->'", "'[a' is not closed");
    refuses("[a && b] -> c", "   ^^", "expected ']', found '&&'", BRACKETS);
    refuses("[[a]] -> b", " ^", "expected an event between the brackets, found '['", BRACKETS);
    refuses("[!a] -> b", " ^", "expected an event between the brackets, found '!'", BRACKETS);
    refuses("[] -> b", " ^", "expected an event between the brackets, found ']'", BRACKETS);
    refuses("[blocked@t] -> b", " ^^^^^^^", "expected an event between the brackets, found 'blocked'",
            "blocked@t stands without brackets");
    refuses("a && [end@t] -> b", "     ^^^^^^^", "this never holds: a thread that has ended is not blocked",
            "that it has ended is end@t, without brackets");
}

static void test_targets(void **state) {
    (void)state;
    refuses("a ->", "    |", "expected an event, found the end",
            "the event that has to wait stands behind '->'");
    refuses("a -> [b]", "     ^", "expected an event, found '['",
            "behind '->' stands the event itself; its thread being blocked is a condition: [e] -> other");
    refuses("a -> blocked@t", "     ^^^^^^^", "expected an event, found 'blocked'",
            "blocked@t is a state and stands in conditions; the event is block@t");
    refuses("a -> (b)", "     ^", "expected an event, found '('",
            "behind '->' stands one event, without parentheses");
    refuses("a -> !b", "     ^", "expected an event, found '!'", "'!' belongs into the condition: !c -> e");
    refuses("a -> 2", "     ^", "expected an event, found '2'", NAMES);
    refuses("a -> b -> c", "       ^^", "expected ',' or the end, found '->'",
            "a chain is several orderings: a -> b, b -> c");
    refuses("a -> b && c", "       ^^", "expected ',' or the end, found '&&'",
            "behind '->' stands one event: c -> a, c -> b");
    refuses("a -> b c -> d", "       ^", "expected ',' or the end, found 'c'", COMMAS);
    refuses("a -> b; c -> d", "      ^", "expected ',' or the end, found ';'", COMMAS);
    refuses("a -> b)", "      ^", "expected ',' or the end, found ')'", "no '(' belongs to it");
    refuses("a -> b and c", "       ^^^", "expected ',' or the end, found 'and'", "write '&&'");
}

static void test_threads_and_counts(void **state) {
    (void)state;
    refuses("start -> a", "      ^^", "expected '@' and a thread behind 'start', found '->'", OWN);
    refuses("a -> end", "        |", "expected '@' and a thread behind 'end', found the end", OWN);
    refuses("block#2 -> a", "        ^^", "expected '@' and a thread behind 'block#2', found '->'", OWN);
    refuses("blocked && a -> b", "        ^^", "expected '@' and a thread behind 'blocked', found '&&'", OWN);
    refuses("blocked#2@t -> b", "       ^", "expected '@' and a thread behind 'blocked', found '#'",
            "a state has no count: blocked@t");
    refuses("a@ -> b", "   ^^", "expected the name of a thread, found '->'", THREADS);
    refuses("a -> b@", "       |", "expected the name of a thread, found the end", THREADS);
    refuses("a@1 -> b", "  ^", "expected the name of a thread, found '1'", THREADS);
    refuses("a@x.y -> b", "  ^^^", "expected the name of a thread, found 'x.y'",
            "the name of a thread is one identifier, without '.'");
    refuses("a@t@u -> b", "   ^", "expected '->', found '@'", "a thread is named once, behind an event: e@t");
    refuses("a@t#2 -> b", "   ^", "expected '->', found '#'",
            "the count stands once, and before the thread: e#2@t");
    refuses("a#2#3 -> b", "   ^", "expected '->', found '#'",
            "the count stands once, and before the thread: e#2@t");
    refuses("a# -> b", "   ^^", "expected a count, found '->'", COUNTS);
    refuses("a#x -> b", "  ^", "expected a count, found 'x'", COUNTS);
    refuses("a#2x -> b", "  ^^", "expected a count, found '2x'", COUNTS);
    refuses("a#-1 -> b", "  ^", "expected a count, found '-'", "write '->'");
    refuses("a 2 -> b", "  ^", "expected '->', found '2'", "a count is written e#2");
    refuses("a#0 -> b", "  ^", "a count is at least 1",
            "the first time is e#1; a condition that asks for no event at all is !e");
    refuses("a -> b#000", "       ^^^", "a count is at least 1",
            "the first time is e#1; a condition that asks for no event at all is !e");
    refuses("a#1000000001 -> b", "  ^^^^^^^^^^", "this count is greater than 1000000000", "");
    refuses("a#99999999999999999999999 -> b", "  ^^^^^^^^^^^^^^^^^^^^^^^",
            "this count is greater than 1000000000", "");
    assert_int_equal(parse("a#1000000000 -> b")->atoms[0].count, 1000000000);
}

static void test_other_characters(void **state) {
    (void)state;
    refuses("a \xe2\x86\x92 b", "  ^^^", "expected '->', found U+2192", "write '->'");
    refuses("a \xe2\x88\xa7 b -> c", "  ^^^", "expected '->', found U+2227", "write '&&'");
    refuses("a \xe2\x88\xa8 b -> c", "  ^^^", "expected '->', found U+2228", "write '||'");
    refuses("\xc2\xac"
            "a -> c",
            "^^", "expected a condition, found U+00AC", "write '!'");
    refuses("a\xc2\xa0-> b", " ^^", "expected '->', found U+00A0",
            "this is a no-break space: write an ordinary one");
    refuses("gr\xc3\xb6\xc3\x9f"
            "e -> b",
            "  ^^", "expected '->', found U+00F6", NAMES);
    refuses("a -> \xf0\x9f\x90\x9b", "     ^^^^", "expected an event, found U+1F41B", NAMES);
    refuses("a \xff\xfe -> b", "  ^", "expected '->', found '\\xff'", NAMES);
    refuses("a \xc0\xaf -> b", "  ^^", "expected '->', found '\\xc0\\xaf'", NAMES);
    refuses("a \x01 -> b", "  ^", "expected '->', found '\\x01'", "");
    refuses("a /* -> b", "  ^^^^^^^", "expected '->', found a comment without an end",
            "a comment ends with '*/'");
    refuses("a -> b /*", "       ^^", "expected ',' or the end, found a comment without an end",
            "a comment ends with '*/'");
    refuses("a / b -> c", "  ^", "expected '->', found '/'", "");
}

/* --- bounds --- */

static char *repeated(const char *before, const char *piece, int count, const char *after) {
    size_t size = strlen(before) + strlen(piece) * (size_t)count + strlen(after) + 1;
    char *text = malloc(size), *at = stpcpy(text, before);
    while (count-- > 0) at = stpcpy(at, piece);
    strcpy(at, after);
    return text;
}

static void refuses_at(char *text, uint32_t at, uint32_t length, const char *message) {
    assert_null(rv_plan_parse(plan_arena(&memory), text, &error));
    assert_string_equal(error.message, message);
    assert_int_equal(error.at, at);
    assert_int_equal(error.length, length);
    free(text);
}

static void accepts(char *text) {
    parse(text);
    free(text);
}

static void test_depth(void **state) {
    (void)state;
    char *closed = repeated("", ")", 64, " -> b"), *open = repeated("a -> a2, ", "(", 64, "a");
    accepts(repeated(open, closed, 1, ""));
    free(closed);
    free(open);
    accepts(repeated("", "!", 64, "a -> b"));
    refuses_at(repeated("", "(", 65, "a"), 64, 1, "this is nested more than 64 deep");
    refuses_at(repeated("", "!", 65, "a -> b"), 64, 1, "this is nested more than 64 deep");
    refuses_at(repeated("", "(!", 2000, ""), 64, 1, "this is nested more than 64 deep");
    accepts(repeated("a", "||(a)", 400, " -> b"));
    accepts(repeated("a", "||!a", 300, " -> b"));
}

static void test_lengths(void **state) {
    (void)state;
    char name[80];
    memset(name, 'n', 63);
    strcpy(name + 63, " -> b");
    parse(name);
    memset(name, 'n', 64);
    strcpy(name + 64, " -> b");
    refuses_at(repeated("a -> c, ", name, 1, ""), 8, 64, "this name is longer than 63 characters");
    refuses_at(repeated("a -> b@", name, 1, ""), 7, 64, "this name is longer than 63 characters");
    accepts(repeated("a -> b", " ", 4095 - 6, ""));
    refuses_at(repeated("a -> b", " ", 4096 - 6, ""), 4095, 1, "the text is longer than 4095 bytes");
    refuses_at(repeated("a -> b", " ", 100000, ""), 4095, 1, "the text is longer than 4095 bytes");
}

/* "a1 && a2 && ..." */
static char *many(int count, const char *format, const char *after) {
    char *text = calloc(1, 8192), *at = text;
    for (int i = 1; i <= count; i++) at += sprintf(at, format, i);
    strcpy(at, after);
    return text;
}

static void test_numbers_of_things(void **state) {
    (void)state;
    accepts(many(255, "a%d&&", "a1->b"));
    refuses_at(many(256, "a%d&&", "a1->b"), 9 * 4 + 90 * 5 + 157 * 6 + 4, 1,
               "there are more than 256 different events");
    char *text = many(511, "a&&", "!a->b"); /* 512 leaves, 511 pairs, 1 negation: 1024 */
    assert_int_equal(parse(text)->node_count, 1024);
    free(text);
    refuses_at(many(511, "a&&", "!!a->b"), 0, 511 * 3 + 3, "there are more than 1024 parts of conditions");
    accepts(many(127, "a->b%d,", "a->c"));
    refuses_at(many(128, "a->b%d,", "a->c"), 9 * 6 + 90 * 7 + 29 * 8, 1, "there are more than 128 orderings");
}

static void test_memory(void **state) {
    (void)state;
    static alignas(16) char bytes[RV_PLAN_MEMORY];
    const char *text = "a && !b@t || [c#2] -> d, blocked@u -> e";
    struct rv_arena arena;
    size_t needed = 0;
    for (size_t size = 0; size < sizeof bytes; size += 16) {
        memset(bytes, 0xee, sizeof bytes);
        arena = (struct rv_arena){.base = bytes, .size = size, .high = size};
        if (rv_plan_parse(&arena, text, &error)) {
            needed = size;
            break;
        }
        assert_string_equal(error.message, "no memory for a schedule");
        assert_int_equal(arena.used, 0);
        for (size_t i = size; i < sizeof bytes; i++) assert_int_equal((unsigned char)bytes[i], 0xee);
    }
    assert_in_range(needed, 1, 8192);
}

/* As many of all things as a text can hold. */
static void test_the_largest_plan(void **state) {
    (void)state;
    char *text = calloc(1, 8192), *at = text;
    for (int i = 0; i < 128; i++) at += sprintf(at, "%s!y%d&&blocked@t||z->w%d", i ? "," : "", i % 127, i);
    assert_true(strlen(text) < RV_PLAN_TEXT);
    assert_int_equal(parse(text)->ordering_count, 128);
    assert_true(memory.arena.used > 32 * 1024);
    free(text);
}

/* --- contradictions --- */

static void test_circles(void **state) {
    (void)state;
    refuses("e -> e", "^^^^^^", "a circle: e -> e", BESIDES);
    refuses("a -> b, b -> a", "        ^^^^^^", "a circle: b -> a -> b", BESIDES);
    refuses("a -> b, x -> y, c && [b] -> c2, c2 -> a", "                                ^^^^^^^",
            "a circle: c2 -> a -> b -> c2", BESIDES);
    refuses("x && [e] -> e", "^^^^^^^^^^^^^", "a circle: e -> e", BESIDES);
    refuses("e#2 -> e", "^^^^^^^^", "a circle: e#2 -> e -> e#2", BESIDES);
    refuses("e#2 -> e#2", "^^^^^^^^^^", "a circle: e#2 -> e#2", BESIDES);
    refuses("put#2 -> take, take -> put#2", "               ^^^^^^^^^^^^^", "a circle: take -> put#2 -> take",
            BESIDES);
    refuses("put#2 -> take, take -> put#1", "               ^^^^^^^^^^^^^",
            "a circle: take -> put -> put#2 -> take", BESIDES);
    refuses("(x || y) && a -> b, b && !z -> a", "                    ^^^^^^^^^^^^", "a circle: b -> a -> b",
            BESIDES);
    refuses("e@t -> e", "^^^^^^^^", "a circle: e@t -> e -> e@t",
            "no execution can satisfy this: an event in a named thread is one in any thread, too");
    refuses("end@t -> start@t, start@t -> end@t", "                  ^^^^^^^^^^^^^^^^",
            "a circle: start@t -> end@t -> start@t", BESIDES);
}

static void test_what_is_no_circle(void **state) {
    (void)state;
    parse("e#1 -> e#2, e#2 -> e#3");
    parse("put#1 -> take#1, take#1 -> put#2, put#2 -> take#2");
    parse("a || x -> b, b || x -> a");
    parse("!a -> b, b -> a");
    parse("e -> e@t");
    parse("e@t -> e@u, e -> e#2@t");
    parse("blocked@t -> block@t");
    parse("a -> b, a -> b, a -> c, b -> d, c -> d");
    parse("e@t -> e#2");
}

static void test_long_circles(void **state) {
    (void)state;
    char *text = calloc(1, 8192), *at = text;
    for (int i = 1; i <= 100; i++) at += sprintf(at, "ev%d->ev%d,", i, i + 1);
    strcpy(at, "ev101->ev1");
    assert_null(rv_plan_parse(plan_arena(&memory), text, &error));
    assert_int_equal(error.at, at - text);
    assert_int_equal(error.length, strlen("ev101->ev1"));
    assert_true(strncmp(error.message, "a circle: ev101 -> ev1 -> ev2 -> ", 33) == 0);
    assert_string_equal(error.message + strlen(error.message) - 7, " -> ...");
    assert_true(strlen(error.message) < sizeof error.message - 1);
    free(text);
}

/* --- showing --- */

static void shows(const char *text, const char *expected) {
    char buffer[1024], *small;
    assert_null(rv_plan_parse(plan_arena(&memory), text, &error));
    size_t length = rv_plan_error_show(buffer, sizeof buffer, text, &error);
    assert_string_equal(buffer, expected);
    assert_int_equal(length, strlen(expected));
    for (size_t size = 0; size <= length; size++) { /* cut, and nothing behind the end is touched */
        small = malloc(size + 1);
        small[size] = 0x55;
        assert_int_equal(rv_plan_error_show(small, size, text, &error), length);
        assert_int_equal(small[size], 0x55);
        if (size) assert_int_equal(small[strlen(small)], 0);
        if (size) assert_memory_equal(small, expected, size - 1);
        free(small);
    }
}

static void test_shown(void **state) {
    (void)state;
    shows("finishedAdd1 => startingTake1", "  finishedAdd1 => startingTake1\n"
                                           "               ^^\n"
                                           "  expected '->', found '=>'\n"
                                           "  hint: write '->'\n");
    shows("a -> b,\n", "  line 1: a -> b,\n"
                       "                 ^\n"
                       "  expected a condition, found the end\n"
                       "  hint: leave the last ',' out\n");
    shows("a -> b,\n\tc \x1b[1m-> d,\n e -> f", "  line 2: \\tc \\x1b[1m-> d,\n"
                                                "              ^^^^\n"
                                                "  expected '->', found '\\x1b'\n");
    shows("a \xe2\x86\x92 b", "  a \\xe2\\x86\\x92 b\n"
                              "    ^^^^^^^^^^^^\n"
                              "  expected '->', found U+2192\n"
                              "  hint: write '->'\n");
    shows("a /* one\n two", "  line 1: a /* one\n"
                            "            ^^^^^^\n"
                            "  expected '->', found a comment without an end\n"
                            "  hint: a comment ends with '*/'\n");
}

static void test_long_lines_are_cut(void **state) {
    (void)state;
    shows("firstEventOfTheTest -> secondEventOfTheTest, secondEventOfTheTest => thirdEventOfTheTest, x -> y",
          "  ...ventOfTheTest, secondEventOfTheTest => thirdEventOfTheTest, x -> y\n"
          "                                         ^^\n"
          "  expected '->', found '=>'\n"
          "  hint: write '->'\n");
    shows(
        "a => firstEventOfTheTest, secondEventOfTheTest -> thirdEventOfTheTest, fourth -> fifthEventOfTheTest",
        "  a => firstEventOfTheTest, secondEventOfTheTest -> thirdEventOfTheTest...\n"
        "    ^^\n"
        "  expected '->', found '=>'\n"
        "  hint: write '->'\n");
    char *text = repeated("a -> b, ", "x && ", 60, "=> c, d -> e, f -> g, h -> i, j -> k, l -> m, n -> o");
    char buffer[512];
    assert_null(rv_plan_parse(plan_arena(&memory), text, &error));
    rv_plan_error_show(buffer, sizeof buffer, text, &error);
    assert_string_equal(buffer, "  ... x && x && x && x && x && x && x && => c, d -> e, f -> g, h -> i, ...\n"
                                "                                         ^^\n"
                                "  expected a condition, found '=>'\n"
                                "  hint: write '->'\n");
    free(text);
}

static void test_near(void **state) {
    (void)state;
    const char *names[] = {"finishedAdd1", "startingTake1", "queue.put", "ok"};
    assert_string_equal(rv_plan_near("finishedAdd2", names, 4), "finishedAdd1");
    assert_string_equal(rv_plan_near("startingtake1", names, 4), "startingTake1");
    assert_string_equal(rv_plan_near("startnigTake1", names, 4), "startingTake1");
    assert_string_equal(rv_plan_near("startingTake", names, 4), "startingTake1");
    assert_string_equal(rv_plan_near("STARTING", names, 2), "startingTake1");
    assert_string_equal(rv_plan_near("queue_put", names, 4), "queue.put");
    assert_string_equal(rv_plan_near("ko", names, 4), "ok");
    assert_null(rv_plan_near("removed", names, 4));
    assert_null(rv_plan_near("", names, 4));
    assert_null(rv_plan_near("ok", names, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_space_and_comments),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_momentary),
        cmocka_unit_test(test_atoms_are_shared),
        cmocka_unit_test(test_no_condition),
        cmocka_unit_test(test_no_arrow),
        cmocka_unit_test(test_parentheses_and_brackets),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_threads_and_counts),
        cmocka_unit_test(test_other_characters),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_numbers_of_things),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_the_largest_plan),
        cmocka_unit_test(test_circles),
        cmocka_unit_test(test_what_is_no_circle),
        cmocka_unit_test(test_long_circles),
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_long_lines_are_cut),
        cmocka_unit_test(test_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
