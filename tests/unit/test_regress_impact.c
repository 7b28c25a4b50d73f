/* What a change affects: each of the five rules, with a twin that it must not affect; and what is no change at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "regress/impact.h"
#include "sketch.h"

struct pair {
    struct sketch old, new;
    const char *source; /* of the new one */
    struct rv_match match;
    struct rv_impact impact;
};

static void compare(struct pair *pair, const char *old, const char *new) {
    sketch_make(&pair->old, old);
    sketch_make(&pair->new, new);
    pair->source = new;
    rv_match_make(&pair->match, &pair->old.version, &pair->new.version);
    rv_impact_make(&pair->impact, &pair->match);
}

static void end(struct pair *pair) {
    rv_impact_free(&pair->impact);
    rv_match_free(&pair->match);
    sketch_free(&pair->old);
    sketch_free(&pair->new);
}

static unsigned count(const struct pair *pair) {
    unsigned impacted = 0;
    for (uint32_t i = 0; i < pair->new.model->site_count; i++)
        impacted += pair->impact.sites[i].reason != RV_UNIMPACTED;
    return impacted;
}

static void impacts(const struct pair *pair, const char *line, enum rv_reason reason) {
    enum rv_reason found = pair->impact.sites[sketch_site(pair->source, &pair->new, line, 0)].reason;
    if (found != reason) fail_msg("%s: %s, not %s", line, rv_reason_names[found], rv_reason_names[reason]);
}

static void changes_nothing(const char *old, const char *new) {
    struct pair pair;
    compare(&pair, old, new);
    assert_int_equal(count(&pair), 0);
    assert_int_equal(pair.impact.changed, 0);
    assert_int_equal(pair.impact.gone, 0);
    for (uint32_t s = 0; s < pair.new.model->statement_count; s++) assert_false(pair.impact.branches[s]);
    end(&pair);
}

static const char two[] =
    "function f\nblock a -> 1:b 0:c\n read r:x\nblock b -> c\n write w:x\nblock c\n done r:y\n"
    "function g\nblock d\n write w:y\n";

static void test_what_is_no_change(void **state) {
    (void)state;
    changes_nothing(two, two);
    /* lines, comments */
    changes_nothing(
        two,
        "# c\n\n\nfunction f\nblock a -> 1:b 0:c\n\n read r:x\nblock b -> c\n# c\n write w:x\nblock c\n done r:y\n"
        "function g\nblock d\n write w:y\n");
    /* the order of functions, another file, names of blocks, the order of blocks in the text */
    changes_nothing(
        two,
        "function g in other.c\nblock d\n write w:y\n"
        "function f in other.c\nblock p -> 1:q 0:r\n read r:x\nblock r\n done r:y\nblock q -> r\n write w:x\n");
    /* functions of one name, in files that were renamed and changed places */
    changes_nothing("function f.1 in a.c\nblock a\n one w:x\nfunction f.2 in b.c\nblock b\n two w:y\n",
                    "function f.1 in b.c\nblock a\n two w:y\nfunction f.2 in c.c\nblock b\n one w:x\n");
}

static void test_renamed_locals(void **state) {
    (void)state;
    static const char old[] = "function f\nblock a\n $i = $n\n x[ $i ] w:x\n y[ $n ] w:y\n";
    changes_nothing(old, "function f\nblock a\n $k = $n\n x[ $k ] w:x\n y[ $n ] w:y\n");
    changes_nothing(old, "function f\nblock a\n $k = $m\n x[ $k ] w:x\n y[ $m ] w:y\n");
    /* another local is no other name */
    struct pair pair;
    compare(&pair, old, "function f\nblock a\n $i = $n\n x[ $n ] w:x\n y[ $n ] w:y\n");
    assert_int_equal(pair.impact.changed, 1);
    end(&pair);
    compare(&pair, old, "function f\nblock a\n $n = $i\n x[ $n ] w:x\n y[ $i ] w:y\n"); /* exchanged */
    assert_true(pair.impact.changed > 0);
    end(&pair);
    compare(&pair, old, "function f\nblock a\n $k = $n\n x[ $k ] w:x\n y[ $k ] w:y\n"); /* not everywhere */
    assert_int_equal(pair.impact.changed, 1);
    end(&pair);
}

static void test_added_and_modified(void **state) {
    (void)state;
    struct pair pair;
    compare(
        &pair, two,
        "function f\nblock a -> 1:b 0:c\n read r:x\n more r:z\nblock b -> c\n write2 w:x\nblock c\n done r:y\n"
        "function g\nblock d\n write w:y\n");
    impacts(&pair, "more", RV_IMPACT_ADDED);
    impacts(&pair, "write2", RV_IMPACT_MODIFIED);
    impacts(&pair, " write w:y", RV_UNIMPACTED);
    assert_int_equal(pair.impact.changed, 2);
    assert_int_equal(pair.impact.gone, 1);
    end(&pair);
}

/* A change without accesses that nothing depends on. */
static void test_a_change_that_affects_nothing(void **state) {
    (void)state;
    struct pair pair;
    compare(&pair, "function f\nblock a\n log\n read r:x\n", "function f\nblock a\n log louder\n read r:x\n");
    assert_int_equal(count(&pair), 0);
    assert_int_equal(pair.impact.changed, 1);
    end(&pair);
}

static void test_functions_added_and_newly_called(void **state) {
    (void)state;
    static const char old[] =
        "function f\nblock a\n one w:x\nfunction help\nblock b\n touch w:y\n deeper call:low\n"
        "function low\nblock c\n bottom r:z\nfunction other\nblock d\n else w:y\n then call:help\n";
    struct pair pair;
    compare(
        &pair, old,
        "function f\nblock a\n one w:x\n now call:help\nfunction help\nblock b\n touch w:y\n deeper call:low\n"
        "function low\nblock c\n bottom r:z\nfunction other\nblock d\n else w:y\n then call:help\n"
        "function brand\nblock e\n new w:q\n");
    impacts(&pair, "touch", RV_IMPACT_CALLED);
    impacts(&pair, "bottom", RV_IMPACT_CALLED);
    impacts(&pair, "new w:q", RV_IMPACT_FUNCTION);
    impacts(&pair, "one", RV_UNIMPACTED);
    impacts(&pair, "else", RV_UNIMPACTED);
    end(&pair);
    /* a call with other arguments in the same place is not an added one; one that has moved is */
    compare(&pair,
            "function f\nblock a\n one w:x\n go 1 call:help\n two w:x\nfunction help\nblock b\n touch w:y\n",
            "function f\nblock a\n one w:x\n go 2 call:help\n two w:x\nfunction help\nblock b\n touch w:y\n");
    impacts(&pair, "touch", RV_UNIMPACTED);
    end(&pair);
    compare(&pair,
            "function f\nblock a\n one w:x\n go call:help\n two w:x\nfunction help\nblock b\n touch w:y\n",
            "function f\nblock a\n one w:x\n two w:x\n go call:help\nfunction help\nblock b\n touch w:y\n");
    /* which of the two has moved is not known: one of them has */
    assert_true(
        pair.impact.sites[sketch_site(pair.source, &pair.new, "touch", 0)].reason == RV_IMPACT_CALLED ||
        pair.impact.sites[sketch_site(pair.source, &pair.new, "two", 0)].reason == RV_IMPACT_MODIFIED);
    end(&pair);
}

#define GUARDED(lock, unlock)                                \
    "function f\nblock a -> 1:b 0:c\n before w:x\n" lock     \
    " inside w:x\nblock b -> c\n branch r:y\n help call:h\n" \
    "block c\n last r:x\n" unlock                            \
    " after r:y\nfunction h\nblock d\n helped w:z\nfunction o\nblock e\n other w:z\n"

static void check_guarded(const char *old, const char *new) {
    struct pair pair;
    compare(&pair, old, new);
    impacts(&pair, "inside", RV_IMPACT_GUARDED);
    impacts(&pair, "branch", RV_IMPACT_GUARDED);
    impacts(&pair, "helped", RV_IMPACT_GUARDED);
    impacts(&pair, "last", RV_IMPACT_GUARDED);
    impacts(&pair, "before", RV_UNIMPACTED);
    impacts(&pair, "after", RV_UNIMPACTED);
    impacts(&pair, "other", RV_UNIMPACTED);
    end(&pair);
}

static void test_locks_added_removed_and_changed(void **state) {
    (void)state;
    static const char without[] = GUARDED("", ""), with[] = GUARDED(" l lock:m\n", " u unlock:m\n");
    static const char another[] = GUARDED(" l lock:n\n", " u unlock:n\n");
    static const char reading[] = GUARDED(" l rdlock:m\n", " u unlock:m\n");
    static const char semaphore[] = GUARDED(" l sem_wait:m\n", " u sem_post:m\n");
    check_guarded(with, without);
    check_guarded(without, with);
    check_guarded(with, another);
    check_guarded(with, reading);
    check_guarded(without, semaphore);
    check_guarded(semaphore, without);
    changes_nothing(with, with);
}

/* Waiting and signalling guard nothing. */
static void test_conditions_do_not_count(void **state) {
    (void)state;
    struct pair pair;
    compare(&pair, GUARDED(" l lock:m\n", " u unlock:m\n"),
            GUARDED(" l lock:m\n s signal:c\n", " w wait:c\n u unlock:m\n"));
    assert_int_equal(count(&pair), 0);
    end(&pair);
}

static void test_a_lock_that_ends_earlier(void **state) {
    (void)state;
    struct pair pair;
    compare(&pair, "function f\nblock a\n l lock:m\n one w:x\n two w:y\n u unlock:m\n three w:z\n",
            "function f\nblock a\n l lock:m\n one w:x\n u unlock:m\n two w:y\n three w:z\n");
    /* "two" is not moved, its unlock is: it is guarded no more */
    impacts(&pair, "three", RV_UNIMPACTED);
    assert_true(pair.impact.sites[sketch_site(pair.source, &pair.new, "two", 0)].reason != RV_UNIMPACTED);
    end(&pair);
}

/* Functions that lock and leave it locked are locks to their callers. */
static void test_locks_in_functions_of_their_own(void **state) {
    (void)state;
#define WRAPPED(lock)                                                             \
    "function enter\nblock a\n" lock " e\nfunction leave\nblock b\n u unlock:m\n" \
    "function f\nblock c\n go call:enter\n inside w:x\n out call:leave\n after w:y\n"
    static const char with[] = WRAPPED(" l lock:m\n"), without[] = WRAPPED("");
    struct pair pair;
    compare(&pair, with, without);
    impacts(&pair, "inside", RV_IMPACT_GUARDED);
    end(&pair);
    compare(&pair, without, with);
    impacts(&pair, "inside", RV_IMPACT_GUARDED);
    impacts(&pair, "after", RV_UNIMPACTED);
    end(&pair);
    compare(&pair, with,
            "function enter\nblock a\n l lock:m\n e\nfunction leave\nblock b\n u unlock:m\n"
            "function f\nblock c\n inside w:x\n after w:y\n");
    impacts(&pair, "inside", RV_IMPACT_GUARDED);
    impacts(&pair, "after", RV_UNIMPACTED);
    end(&pair);
}

/* What came after a join does not any more. */
static void test_joins(void **state) {
    (void)state;
    struct pair pair;
    compare(
        &pair,
        "function main\nblock a\n s start:w\n one w:x\n j join:t\n two w:x\nfunction w\nblock b\n three w:x\n",
        "function main\nblock a\n s start:w\n one w:x\n two w:x\nfunction w\nblock b\n three w:x\n");
    impacts(&pair, "two", RV_IMPACT_GUARDED);
    impacts(&pair, "one", RV_UNIMPACTED);
    end(&pair);
}

static void test_volatile_and_atomic(void **state) {
    (void)state;
    static const char *const old =
        "function f\nblock a\n s wa:x\n v wv:y\nfunction g\nblock b\n l r:x\n m r:y\n n r:z\n";
    struct pair pair;
    compare(&pair, old,
            "function f\nblock a\n s w:x\n v wv:y\nfunction g\nblock b\n l r:x\n m r:y\n n r:z\n");
    impacts(&pair, "l r:x", RV_IMPACT_PLAIN);
    impacts(&pair, "m r:y", RV_UNIMPACTED);
    end(&pair);
    compare(&pair, old,
            "function f\nblock a\n s wa:x\n v w:y\nfunction g\nblock b\n l r:x\n m r:y\n n r:z\n");
    impacts(&pair, "m r:y", RV_IMPACT_PLAIN);
    impacts(&pair, "l r:x", RV_UNIMPACTED);
    end(&pair);
    /* From plain to atomic: who reads it is affected by what is written, by no more than that. */
    compare(&pair, "function f\nblock a\n s w:x\nfunction g\nblock b\n l w:x\n",
            "function f\nblock a\n s wa:x\nfunction g\nblock b\n l w:x\n");
    impacts(&pair, "s wa:x", RV_IMPACT_MODIFIED);
    impacts(&pair, "l w:x", RV_UNIMPACTED);
    end(&pair);
}

#define SLICED(first, read)                                                                          \
    "function f\nblock a -> 1:b 0:c\n " first " =l flow:v aim:u\n value =v w:x\n use =u w:t\n " read \
    " r:y\nblock b -> c\n"                                                                           \
    " when w:p\n then call:h\nblock c\n always w:q\nfunction h\nblock d\n helped w:z\n"              \
    "function g\nblock e\n reader r:x\n follows p:x w:s\n result w:r\n"

static void test_slices(void **state) {
    (void)state;
    struct pair pair;
    static const char old[] = SLICED("local 1", "read");
    /* data: by a local, by a variable. It matters for an address, and not for what is stored or read. */
    compare(&pair, old, SLICED("local 2", "read"));
    impacts(&pair, "use", RV_IMPACT_SLICE);
    impacts(&pair, "follows", RV_IMPACT_SLICE);
    impacts(&pair, "value", RV_UNIMPACTED);
    impacts(&pair, "reader", RV_UNIMPACTED);
    impacts(&pair, "result", RV_UNIMPACTED);
    impacts(&pair, "when", RV_UNIMPACTED);
    end(&pair);
    /* control: by a branch, into what is called */
    compare(&pair, old, SLICED("local 1", "read2"));
    impacts(&pair, "when", RV_IMPACT_SLICE);
    impacts(&pair, "helped", RV_IMPACT_SLICE);
    impacts(&pair, "always", RV_UNIMPACTED);
    impacts(&pair, "follows", RV_UNIMPACTED);
    end(&pair);
}

/* What is gone had an effect, too. */
static void test_slices_of_what_is_gone(void **state) {
    (void)state;
    struct pair pair;
    compare(&pair, "function f\nblock a -> 1:b 0:c\n if r:y\nblock b -> c\n when w:p\nblock c\n always w:q\n",
            "function f\nblock a\n when w:p\n always w:q\n");
    impacts(&pair, "when", RV_IMPACT_SLICE);
    impacts(&pair, "always", RV_UNIMPACTED);
    end(&pair);
    compare(&pair, "function f\nblock a\n init w:x\n one\nfunction g\nblock b\n reader p:x\n other r:y\n",
            "function f\nblock a\n one\nfunction g\nblock b\n reader p:x\n other r:y\n");
    impacts(&pair, "reader", RV_IMPACT_SLICE);
    impacts(&pair, "other", RV_UNIMPACTED);
    end(&pair);
}

/* The two ways of a branch exchanged: nothing else differs. */
static void test_a_branch_that_turned(void **state) {
    (void)state;
    struct pair pair;
    compare(
        &pair,
        "function f\nblock a -> 1:b 0:c\n if\nblock b -> d\n yes w:x\nblock c -> d\n no w:y\nblock d\n end w:z\n",
        "function f\nblock a -> 0:b 1:c\n if\nblock b -> d\n yes w:x\nblock c -> d\n no w:y\nblock d\n end w:z\n");
    assert_true(count(&pair) >= 2);
    assert_true(pair.impact.sites[sketch_site(pair.source, &pair.new, "yes", 0)].reason != RV_UNIMPACTED);
    assert_true(pair.impact.sites[sketch_site(pair.source, &pair.new, "no w:y", 0)].reason != RV_UNIMPACTED);
    impacts(&pair, "end", RV_UNIMPACTED);
    end(&pair);
}

static void test_first_values(void **state) {
    (void)state;
    struct pair pair;
    compare(
        &pair,
        "initial limit 1\ninitial same 2\nfunction f\nblock a\n read p:limit\n other p:same\n write w:limit\n",
        "initial limit 3\ninitial same 2\nfunction f\nblock a\n read p:limit\n other p:same\n write w:limit\n");
    impacts(&pair, "read p:limit", RV_IMPACT_SLICE);
    impacts(&pair, "other", RV_UNIMPACTED);
    impacts(&pair, "write", RV_UNIMPACTED);
    end(&pair);
}

/* Inserting a condition splits a block: what is behind it is not taken for new. */
static void test_blocks_that_are_split(void **state) {
    (void)state;
    struct pair pair;
    compare(&pair, "function f\nblock a\n one w:x\n two w:y\n",
            "function f\nblock a -> 1:b 0:c\n one w:x\n if bad\nblock b\n return\nblock c\n two w:y\n");
    impacts(&pair, "one", RV_UNIMPACTED);
    impacts(&pair, "two", RV_IMPACT_SLICE);
    end(&pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_no_change),
        cmocka_unit_test(test_renamed_locals),
        cmocka_unit_test(test_added_and_modified),
        cmocka_unit_test(test_a_change_that_affects_nothing),
        cmocka_unit_test(test_functions_added_and_newly_called),
        cmocka_unit_test(test_locks_added_removed_and_changed),
        cmocka_unit_test(test_conditions_do_not_count),
        cmocka_unit_test(test_a_lock_that_ends_earlier),
        cmocka_unit_test(test_locks_in_functions_of_their_own),
        cmocka_unit_test(test_joins),
        cmocka_unit_test(test_volatile_and_atomic),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_slices_of_what_is_gone),
        cmocka_unit_test(test_a_branch_that_turned),
        cmocka_unit_test(test_first_values),
        cmocka_unit_test(test_blocks_that_are_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
