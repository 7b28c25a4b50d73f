/* The parser and the monitor against the logic itself: random plans, made as trees and written out with random white space
 * and parentheses, over random histories with random naming and blocking. What each ordering says about each moment is
 * computed here from the whole history by the definition in plan/plan.h, each time anew, without counters and without
 * anything from src/plan.
 *
 * Held against it at each moment: what happens, all else that could happen instead, conditions, counts; at the end, what is
 * missing. By the way: a second monitor is told of known events only, the first is saved and put back elsewhere in between,
 * plans that are refused for a circle have one, and a plan written out again from its tree is the same one.
 *
 * RAVEL_FIRST_PLAN and RAVEL_PLANS choose others than the first 10,000. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/rng.h"
#include "plan/monitor.h"
#include "plan_text.h"

enum { THREADS = 5, LONGEST = 40, TERMS = 64, ORDERINGS = 5, COUNTS = 3, NAMES = 3, TAGS = 4 };
enum { WHATS = 5, KEYS = WHATS * NAMES * TAGS * COUNTS };

static const char *const event_names[NAMES] = {"put", "queue.take", "x"};
static const char *const thread_names[TAGS] = {NULL, "t", "u", "main"};
static const char *const what_names[WHATS] = {"", "start", "end", "block", "unblock"};

enum form { BASIC, HELD, BLOCKED, NOT, AND, OR };

struct term {
    enum form form;
    enum rv_plan_what what;
    int name, tag;  /* tag 0: any thread, or none */
    uint32_t count; /* 0: none given */
    const struct term *left, *right;
};

struct history {
    struct entry {
        bool naming; /* the thread gets the name `tag` (0: one that no plan has), else `what` happens */
        enum rv_plan_what what;
        int name, tag;
        uint32_t thread;
        bool blocked[THREADS];
    } entries[LONGEST + 1];
    uint32_t length;
};

struct subject {
    struct rv_rng rng;
    struct term terms[TERMS];
    uint32_t term_count;
    struct {
        const struct term *condition, *target;
    } orderings[ORDERINGS];
    uint32_t ordering_count;
    struct history history;
    struct plan_text text;
};

static struct subject subject;

static uint32_t below(uint32_t n) { return (uint32_t)rv_rng_below(&subject.rng, n); }

/* --- random plans --- */

static struct term *new_term(enum form form) {
    struct term *term = &subject.terms[subject.term_count++];
    *term = (struct term){.form = form};
    return term;
}

static struct term *random_basic(enum form form) {
    struct term *term = new_term(form);
    bool own = below(4) > 0;
    do term->what = own ? RV_PLAN_EVENT : (enum rv_plan_what)(1 + below(WHATS - 1));
    while (form == HELD && term->what == RV_PLAN_END); /* refused, for it cannot be */
    if (own) term->name = (int)below(NAMES);
    term->tag = own ? (below(2) ? 0 : (int)below(TAGS)) : 1 + (int)below(TAGS - 1);
    term->count = below(2) ? 0 : 1 + below(COUNTS);
    return term;
}

static const struct term *random_condition(int depth) {
    uint32_t choice = below(depth > 0 ? 12 : 6);
    if (choice < 3) return random_basic(BASIC);
    if (choice < 5) return random_basic(HELD);
    if (choice < 6) {
        struct term *term = new_term(BLOCKED);
        term->tag = 1 + (int)below(TAGS - 1);
        return term;
    }
    struct term *term = new_term(choice < 8 ? NOT : choice < 10 ? AND : OR);
    term->left = random_condition(depth - 1);
    if (term->form != NOT) term->right = random_condition(depth - 1);
    return term;
}

static void random_plan(void) {
    subject.term_count = 0;
    subject.ordering_count = 1 + below(ORDERINGS);
    for (uint32_t i = 0; i < subject.ordering_count; i++) {
        subject.orderings[i].condition =
            random_condition((int)below(4)); /* at most 15 terms below 3 joints */
        subject.orderings[i].target = random_basic(BASIC);
        if (subject.term_count > TERMS - 16) subject.ordering_count = i + 1;
    }
}

static void random_space(void) {
    static const char *const spaces[] = {" ", "\n", "\t ", "/* a -> b */", "// , ||\n"};
    while (below(3) == 0) plan_put(&subject.text, spaces[below(5)]);
}

static void put(const char *text) {
    random_space();
    plan_put(&subject.text, text);
}

static void put_basic(const struct term *term) {
    char count[16];
    put(term->what == RV_PLAN_EVENT ? event_names[term->name] : what_names[term->what]);
    snprintf(count, sizeof count, "%u", term->count);
    if (term->count) put("#"), put(count);
    if (term->tag) put("@"), put(thread_names[term->tag]);
}

static void put_term(const struct term *term, int level) {
    int own = term->form == OR ? 0 : term->form == AND ? 1 : 2;
    bool parentheses = own < level || below(8) == 0;
    if (parentheses) put("(");
    switch (term->form) {
    case BASIC: put_basic(term); break;
    case HELD: put("["), put_basic(term), put("]"); break;
    case BLOCKED: put("blocked"), put("@"), put(thread_names[term->tag]); break;
    case NOT: put("!"), put_term(term->left, 2); break;
    case AND:
    case OR: put_term(term->left, own), put(own ? "&&" : "||"), put_term(term->right, own + 1); break;
    }
    if (parentheses) put(")");
}

static void put_plan(void) {
    subject.text.length = 0;
    for (uint32_t i = 0; i < subject.ordering_count; i++) {
        if (i) put(",");
        put_term(subject.orderings[i].condition, 0);
        put("->");
        put_basic(subject.orderings[i].target);
    }
    random_space();
}

/* --- random histories --- */

static struct entry random_entry(bool may_name) {
    struct entry entry = {.thread = below(THREADS), .naming = may_name && below(6) == 0};
    entry.tag = entry.naming ? (int)below(TAGS) : 0;
    uint32_t what = below(14);
    entry.what = what < WHATS ? (enum rv_plan_what)what : RV_PLAN_EVENT;
    if (entry.what == RV_PLAN_END && below(2)) entry.what = RV_PLAN_START;
    entry.name = (int)below(NAMES);
    for (int i = 0; i < THREADS; i++) entry.blocked[i] = below(2);
    return entry;
}

static void random_history(void) {
    subject.history.length = 1 + below(LONGEST);
    for (uint32_t i = 0; i < subject.history.length; i++) subject.history.entries[i] = random_entry(true);
}

/* --- the logic, by definition: moment i is judged with entries 0 .. i - 1 before it --- */

static int tag_at(uint32_t i, uint32_t thread) {
    for (; i-- > 0;) {
        const struct entry *entry = &subject.history.entries[i];
        if (entry->thread != thread) continue;
        if (entry->naming) return entry->tag;
        if (entry->what == RV_PLAN_END) return 0;
    }
    return thread == 0 ? 3 /* main */ : 0;
}

static bool is(uint32_t i, const struct term *term) {
    const struct entry *entry = &subject.history.entries[i];
    return !entry->naming && entry->what == term->what &&
           (term->what != RV_PLAN_EVENT || entry->name == term->name) &&
           (!term->tag || term->tag == tag_at(i, entry->thread));
}

static uint32_t times(const struct term *term, uint32_t i) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < i; j++) count += is(j, term);
    return count;
}

static uint32_t at_least_one(uint32_t count) { return count ? count : 1; }

static bool held(const struct term *term, uint32_t i) {
    uint32_t time = 0, thread = THREADS;
    for (uint32_t j = 0; j < i; j++) {
        if (!is(j, term)) continue;
        time++;
        if (!term->count || time == term->count) thread = subject.history.entries[j].thread;
    }
    return thread < THREADS && subject.history.entries[i].blocked[thread];
}

static bool all_blocked(int tag, uint32_t i) {
    uint32_t alive = 0, waiting = 0;
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        alive += tag_at(i, thread) == tag;
        waiting += tag_at(i, thread) == tag && subject.history.entries[i].blocked[thread];
    }
    return alive && alive == waiting;
}

static bool holds(const struct term *term, uint32_t i) {
    switch (term->form) {
    case BASIC: return times(term, i) >= at_least_one(term->count);
    case HELD: return held(term, i);
    case BLOCKED: return all_blocked(term->tag, i);
    case NOT: return !holds(term->left, i);
    case AND: return holds(term->left, i) && holds(term->right, i);
    case OR: return holds(term->left, i) || holds(term->right, i);
    }
    return false;
}

/* The first ordering that moment i violates, or -1. */
static int violated(uint32_t i) {
    for (uint32_t k = 0; k < subject.ordering_count; k++) {
        const struct term *target = subject.orderings[k].target;
        if (!is(i, target) || (target->count && times(target, i) + 1 != target->count)) continue;
        if (!holds(subject.orderings[k].condition, i)) return (int)k;
    }
    return -1;
}

/* --- what is missing, and circles --- */

static int key_of(enum rv_plan_what what, int name, int tag, uint32_t count) {
    return (((int)what * NAMES + name) * TAGS + tag) * COUNTS + (int)at_least_one(count) - 1;
}

static int key_of_term(const struct term *term) {
    return key_of(term->what, term->name, term->tag, term->count);
}

static bool late(const struct term *term) {
    return times(term, subject.history.length) < at_least_one(term->count);
}

/* Whether the term could be true (or false) by now as far as events go. */
static bool content(const struct term *term, bool wanted) {
    switch (term->form) {
    case BASIC:
    case HELD: return !wanted || !late(term);
    case BLOCKED: return true;
    case NOT: return content(term->left, !wanted);
    case AND:
    case OR: break;
    }
    bool left = content(term->left, wanted), right = content(term->right, wanted);
    return (term->form == AND) == wanted ? left && right : left || right;
}

static void collect(const struct term *term, bool wanted, bool *keys) {
    if (content(term, wanted)) return;
    if (term->form == BASIC || term->form == HELD) {
        keys[key_of_term(term)] = true;
    } else if (term->form == NOT) {
        collect(term->left, !wanted, keys);
    } else {
        collect(term->left, wanted, keys);
        collect(term->right, wanted, keys);
    }
}

typedef bool relation[KEYS][KEYS];

static void before(relation edges, const struct term *term, int target) {
    if (term->form == BASIC || term->form == HELD) edges[key_of_term(term)][target] = true;
    if (term->form != AND) return;
    before(edges, term->left, target);
    before(edges, term->right, target);
}

/* Whether something comes before itself: the closure of what orderings, counts and tags say. */
static bool has_circle(void) {
    static relation edges;
    memset(edges, 0, sizeof edges);
    for (int x = 0; x < KEYS; x++) {
        for (int y = 0; y < KEYS; y++) {
            bool same = x / (COUNTS * TAGS) == y / (COUNTS * TAGS);
            int tag_x = x / COUNTS % TAGS, tag_y = y / COUNTS % TAGS;
            edges[x][y] = x != y && same && x % COUNTS <= y % COUNTS && (tag_x == tag_y || tag_x == 0);
        }
    }
    for (uint32_t k = 0; k < subject.ordering_count; k++)
        before(edges, subject.orderings[k].condition, key_of_term(subject.orderings[k].target));
    for (int via = 0; via < KEYS; via++)
        for (int x = 0; x < KEYS; x++)
            for (int y = 0; edges[x][via] && y < KEYS; y++) edges[x][y] |= edges[via][y];
    for (int x = 0; x < KEYS; x++)
        if (edges[x][x]) return true;
    return false;
}

/* --- one against the other --- */

static uint64_t number; /* of the pair under way */

static void differ(const char *what, uint32_t i) {
    static const char *const tags[] = {"elsewhere", "t", "u", "main"};
    print_error("plan %llu: %s at moment %u\n%s\n", (unsigned long long)number, what, i, subject.text.data);
    for (uint32_t j = 0; j <= i && j < subject.history.length; j++) {
        const struct entry *entry = &subject.history.entries[j];
        print_error("%3u: thread %u %s %s, blocked:", j, entry->thread,
                    entry->naming ? "is named" : what_names[entry->what],
                    entry->naming                  ? tags[entry->tag]
                    : entry->what == RV_PLAN_EVENT ? event_names[entry->name]
                                                   : "");
        for (int thread = 0; thread < THREADS; thread++)
            if (entry->blocked[thread]) print_error(" %d", thread);
        print_error("\n");
    }
    fail_msg("the monitor and the logic differ");
}

#define SAME(what, i, condition) ((condition) ? (void)0 : differ(what, i))

static struct rv_moment moment_of(const struct entry *entry) {
    return (struct rv_moment){entry->what, entry->what == RV_PLAN_EVENT ? event_names[entry->name] : NULL,
                              entry->thread};
}

static bool is_blocked(const void *user, uint32_t thread) { return ((const bool *)user)[thread]; }

static int index_of(const struct rv_plan *plan, const struct rv_plan_ordering *ordering) {
    return ordering ? (int)(ordering - plan->orderings) : -1;
}

/* Any entry in place of i. */
static void check_allows(const struct rv_plan *plan, const struct rv_monitor *monitor, uint32_t i) {
    const struct entry *entry = &subject.history.entries[i];
    const struct rv_monitor_view view = {is_blocked, entry->blocked};
    const struct rv_moment moment = moment_of(entry);
    const struct rv_plan_ordering *why;
    bool held_back = entry->what == RV_PLAN_BLOCK || entry->what == RV_PLAN_UNBLOCK;
    bool allowed = rv_monitor_allows(monitor, &moment, &view, &why);
    SAME("rv_monitor_allows", i, index_of(plan, why) == (held_back ? -1 : violated(i)));
    SAME("why", i, allowed == !why);
    for (uint32_t k = 0; k < subject.ordering_count; k++)
        SAME("rv_monitor_holds", i,
             rv_monitor_holds(monitor, plan->orderings[k].condition, &view) ==
                 holds(subject.orderings[k].condition, i));
}

/* An entry that the history does not have is put there for the question, and taken out. */
static void check_others(const struct rv_plan *plan, const struct rv_monitor *monitor, uint32_t i) {
    struct entry real = subject.history.entries[i];
    subject.history.entries[i] = random_entry(false);
    check_allows(plan, monitor, i);
    subject.history.entries[i] = real;
}

static void check_missing(const struct rv_monitor *monitor) {
    bool expected[KEYS] = {false}, found[KEYS] = {false};
    uint32_t cursor = 0;
    for (uint32_t k = 0; k < subject.ordering_count; k++) {
        const struct term *target = subject.orderings[k].target;
        if (late(target)) expected[key_of_term(target)] = true;
        collect(subject.orderings[k].condition, true, expected);
    }
    for (const struct rv_plan_atom *atom; (atom = rv_monitor_missing(monitor, &cursor));) {
        int name = 0, tag = 0;
        while (atom->what == RV_PLAN_EVENT && strcmp(event_names[name], atom->name) != 0) name++;
        while (atom->thread && (!tag || strcmp(thread_names[tag], atom->thread) != 0)) tag++;
        found[key_of(atom->what, name, tag, atom->count)] = true;
        SAME("a missing atom that is not positive", subject.history.length, atom->positive);
    }
    SAME("rv_monitor_missing", subject.history.length, memcmp(expected, found, sizeof found) == 0);
}

struct monitors {
    struct rv_monitor *told, *lazy; /* the second is told of known events only */
    void *spare;
    size_t size;
};

/* Saved, spoiled, and put back into other memory. */
static void move(struct monitors *monitors) {
    void *saved = malloc(monitors->size);
    const struct rv_monitor_view view = {is_blocked, subject.history.entries[0].blocked};
    memcpy(saved, monitors->told, monitors->size);
    for (uint32_t n = below(8); n > 0; n--) {
        struct entry entry = random_entry(true);
        const struct rv_moment moment = moment_of(&entry);
        if (entry.naming) rv_monitor_name(monitors->told, entry.thread, thread_names[1 + below(TAGS - 1)]);
        rv_monitor_happen(monitors->told, &moment, &view);
    }
    memset(monitors->spare, 0xa5, monitors->size);
    memcpy(monitors->spare, saved, monitors->size);
    void *old = monitors->told;
    monitors->told = monitors->spare;
    monitors->spare = old;
    free(saved);
}

static void check_moment(const struct rv_plan *plan, struct monitors *monitors, uint32_t i) {
    const struct entry *entry = &subject.history.entries[i];
    const struct rv_monitor_view view = {is_blocked, entry->blocked};
    const struct rv_moment moment = moment_of(entry);
    int expected = violated(i);
    if (entry->naming) {
        const char *name = entry->tag ? thread_names[entry->tag] : "elsewhere";
        rv_monitor_name(monitors->told, entry->thread, name);
        rv_monitor_name(monitors->lazy, entry->thread, name);
        return;
    }
    check_allows(plan, monitors->told, i);
    check_others(plan, monitors->told, i);
    SAME("rv_monitor_happen", i,
         index_of(plan, rv_monitor_happen(monitors->told, &moment, &view)) == expected);
    int lazily = -1;
    if (rv_monitor_known(monitors->lazy, &moment))
        lazily = index_of(plan, rv_monitor_happen(monitors->lazy, &moment, &view));
    SAME("rv_monitor_known", i, lazily == expected);
    for (uint32_t k = 0; k < subject.ordering_count; k++)
        SAME("rv_monitor_count", i,
             rv_monitor_count(monitors->told, plan->orderings[k].target) ==
                 times(subject.orderings[k].target, i + 1));
}

static void check_pair(const struct rv_plan *plan) {
    struct monitors monitors = {.size = rv_monitor_size(plan)};
    monitors.told = rv_monitor_begin(malloc(monitors.size), plan);
    monitors.lazy = rv_monitor_begin(malloc(monitors.size), plan);
    monitors.spare = malloc(monitors.size);
    for (uint32_t i = 0; i < subject.history.length; i++) {
        check_moment(plan, &monitors, i);
        if (below(8) == 0) move(&monitors);
    }
    check_missing(monitors.told);
    check_missing(monitors.lazy);
    free(monitors.told);
    free(monitors.lazy);
    free(monitors.spare);
}

static void check_written_again(const struct rv_plan *plan) {
    static struct plan_memory memory;
    static struct plan_text first, second;
    struct rv_plan_error error;
    plan_put_all(&first, plan);
    const struct rv_plan *again = rv_plan_parse(plan_arena(&memory), first.data, &error);
    SAME("a plan written again is refused", 0, again != NULL);
    plan_put_all(&second, again);
    SAME("a plan written again is another", 0, strcmp(first.data, second.data) == 0);
    SAME("its atoms", 0, again->atom_count == plan->atom_count && again->node_count == plan->node_count);
    SAME("its signs", 0, again->momentary == plan->momentary);
}

/* No history satisfies a plan that was refused, if its targets happen. */
static void check_refused(const struct rv_plan_error *error) {
    SAME("refused", 0, strncmp(error->message, "a circle: ", 10) == 0);
    SAME("refused without a circle", 0, has_circle());
    bool satisfied = true;
    for (uint32_t i = 0; i < subject.history.length; i++) satisfied &= violated(i) < 0;
    for (uint32_t k = 0; k < subject.ordering_count; k++) satisfied &= !late(subject.orderings[k].target);
    SAME("refused and satisfied", subject.history.length, !satisfied);
}

static uint64_t from_environment(const char *name, uint64_t otherwise) {
    const char *value = getenv(name);
    return value ? strtoull(value, NULL, 10) : otherwise;
}

static void test_random_plans(void **state) {
    (void)state;
    static struct plan_memory memory;
    uint64_t first = from_environment("RAVEL_FIRST_PLAN", 1), count = from_environment("RAVEL_PLANS", 10000);
    uint64_t pairs = 0, refused = 0, violations = 0, satisfied = 0;
    for (number = first; pairs < count; number++) {
        struct rv_plan_error error;
        subject.rng = rv_rng_stream(number, 0);
        random_plan();
        random_history();
        put_plan();
        const struct rv_plan *plan = rv_plan_parse(plan_arena(&memory), subject.text.data, &error);
        if (!plan) {
            check_refused(&error);
            refused++;
            continue;
        }
        SAME("a circle that was not seen", 0, !has_circle());
        check_written_again(plan);
        check_pair(plan);
        bool fine = true;
        for (uint32_t i = 0; i < subject.history.length; i++) fine &= violated(i) < 0;
        *(fine ? &satisfied : &violations) += 1;
        pairs++;
    }
    print_message("plans %llu to %llu: %llu pairs (%llu histories satisfy their plan), %llu plans refused\n",
                  (unsigned long long)first, (unsigned long long)number - 1, (unsigned long long)pairs,
                  (unsigned long long)satisfied, (unsigned long long)refused);
    if (count < 1000) return;
    assert_true(satisfied > count / 10 && violations > count / 10 && refused > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_plans)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
