#include "suite/cases.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/protocol.h"
#include "base/suggest.h"
#include "report/text.h"

enum { ARENA = 1 << 20, SHOWN = 3 * RV_PLAN_TEXT };

static const char *nearest(const char *typed, const char *best) {
    return best && strcmp(best, typed) != 0 ? best : NULL;
}

static void set_problem(struct rv_suite_case *one, const struct rv_plan_error *error) {
    char *shown = rv_text_alloc(SHOWN, 1);
    rv_plan_error_show(shown, SHOWN, one->text, error);
    one->details = shown;
    one->problem =
        rv_text_format("%s:%u: schedule \"%s\", character %u: %s%s%s", one->file, one->line, one->label,
                       error->at + 1, error->message, *error->hint ? "; " : "", error->hint);
}

/* An event that the plan names and no marker has. */
static bool unknown_event(const struct rv_plan *plan, const struct rv_listing *listing,
                          struct rv_plan_error *error) {
    for (uint32_t i = 0; i < plan->atom_count && !listing->open; i++) {
        const struct rv_plan_atom *atom = &plan->atoms[i];
        if (atom->what != RV_PLAN_EVENT || rv_listing_has_event(listing, atom->name)) continue;
        const char *near =
            rv_plan_near(atom->name, (const char *const *)listing->events, listing->event_count);
        *error = (struct rv_plan_error){.at = atom->at, .length = atom->length};
        snprintf(error->message, sizeof error->message, "no event marker of this name: %.60s", atom->name);
        if (near)
            snprintf(error->hint, sizeof error->hint, "did you mean '%.60s'?", near);
        else if (listing->event_count == 0)
            snprintf(error->hint, sizeof error->hint, "nothing in the program was built with RAVEL_EVENT()");
        return true;
    }
    return false;
}

static void check_plan(struct rv_suite_case *one, const struct rv_listing *listing) {
    struct rv_arena arena;
    struct rv_plan_error error = {0};
    void *memory =
        mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* hardly used */
    if (memory == MAP_FAILED) {
        one->problem = rv_text_copy("no memory to read the schedule");
        return;
    }
    rv_arena_init(&arena, memory, ARENA);
    const struct rv_plan *plan = rv_plan_parse(&arena, one->text, &error);
    if (!plan || unknown_event(plan, listing, &error))
        set_problem(one, &error);
    else
        one->momentary = plan->momentary;
    munmap(memory, ARENA);
}

static void check_test(struct rv_suite_case *one, const struct rv_listing *listing) {
    size_t same = 0;
    for (size_t i = 0; i < listing->test_count; i++) same += strcmp(listing->tests[i].name, one->test) == 0;
    if (same == 1) return;
    if (same > 1) {
        one->problem =
            rv_text_format("%zu tests have the name %s: it cannot be told which is meant", same, one->test);
        return;
    }
    struct rv_suggestion suggestion = {.typed = one->test};
    for (size_t i = 0; i < listing->test_count; i++) rv_suggest_offer(&suggestion, listing->tests[i].name);
    const char *near = nearest(one->test, suggestion.best);
    one->problem = rv_text_format("%s:%u: schedule \"%s\" is for a test that does not exist: %s%s%s%s",
                                  one->file, one->line, one->label, one->test, near ? "; did you mean '" : "",
                                  near ? near : "", near ? "'?" : "");
}

static void check_names(struct rv_suite_case *one) {
    const struct rv_config *config = NULL;
    if (one->scheduled && !*one->label)
        one->problem = rv_text_format("%s:%u: the schedule has no label", one->file, one->line);
    else if (strlen(one->test) >= sizeof config->test)
        one->problem =
            rv_text_format("the name of the test is longer than %zu bytes", sizeof config->test - 1);
    else if (strlen(one->label) >= sizeof config->plan_label)
        one->problem = rv_text_format("%s:%u: the label is longer than %zu bytes", one->file, one->line,
                                      sizeof config->plan_label - 1);
}

static struct rv_suite_case *add(struct rv_suite_cases *cases, const struct rv_listed_test *test,
                                 const struct rv_listed_schedule *schedule) {
    size_t count = cases->count;
    if ((count & (count + 1)) == 0)
        cases->cases = rv_text_realloc(cases->cases, count * 2 + 2, sizeof *cases->cases);
    struct rv_suite_case *one = &cases->cases[cases->count++];
    *one = (struct rv_suite_case){.test = test ? test->name : schedule->test,
                                  .label = schedule ? schedule->label : "",
                                  .text = schedule ? schedule->text : "",
                                  .file = schedule ? schedule->file : test->file,
                                  .line = schedule ? schedule->line : test->line,
                                  .scheduled = schedule,
                                  .chosen = true};
    one->name = schedule ? rv_text_format("%s/%s", one->test, one->label) : rv_text_copy(one->test);
    return one;
}

/* Another schedule with the same label before this one. */
static bool is_second(const struct rv_suite_cases *cases, const struct rv_suite_case *one) {
    for (const struct rv_suite_case *other = cases->cases; other < one; other++)
        if (other->scheduled && strcmp(other->name, one->name) == 0) return true;
    return false;
}

static void check(const struct rv_suite_cases *cases, struct rv_suite_case *one,
                  const struct rv_listing *listing) {
    check_names(one);
    if (!one->problem) check_test(one, listing);
    if (!one->problem && one->scheduled && is_second(cases, one))
        one->problem =
            rv_text_format("%s:%u: the test has a schedule \"%s\" already", one->file, one->line, one->label);
    if (!one->problem && one->scheduled) check_plan(one, listing);
    if (!one->details) one->details = rv_text_copy("");
}

static bool is_of(const struct rv_listed_schedule *schedule, const struct rv_listed_test *test) {
    return strcmp(schedule->test, test->name) == 0;
}

void rv_suite_cases_make(struct rv_suite_cases *cases, const struct rv_listing *listing) {
    *cases = (struct rv_suite_cases){0};
    for (size_t i = 0; i < listing->test_count; i++) {
        const struct rv_listed_test *test = &listing->tests[i];
        bool alone = true;
        if (rv_listing_test(listing, test->name) != test) continue; /* its name was there already */
        for (size_t j = 0; j < listing->schedule_count; j++) {
            if (!is_of(&listing->schedules[j], test)) continue;
            add(cases, test, &listing->schedules[j]);
            alone = false;
        }
        if (alone) add(cases, test, NULL);
    }
    for (size_t j = 0; j < listing->schedule_count; j++)
        if (!rv_listing_test(listing, listing->schedules[j].test)) add(cases, NULL, &listing->schedules[j]);
    for (size_t i = 0; i < cases->count; i++) check(cases, &cases->cases[i], listing);
}

const char *rv_suite_cases_choose(struct rv_suite_cases *cases, char *const *patterns, size_t count) {
    for (size_t i = 0; i < cases->count && count; i++) cases->cases[i].chosen = false;
    for (size_t p = 0; p < count; p++) {
        bool any = false;
        for (size_t i = 0; i < cases->count; i++) {
            struct rv_suite_case *one = &cases->cases[i];
            if (fnmatch(patterns[p], one->test, 0) != 0 && fnmatch(patterns[p], one->name, 0) != 0) continue;
            one->chosen = any = true;
        }
        if (!any) return patterns[p];
    }
    return NULL;
}

const char *rv_suite_cases_near(const struct rv_suite_cases *cases, const char *pattern) {
    struct rv_suggestion suggestion = {.typed = pattern};
    for (size_t i = 0; i < cases->count; i++) {
        rv_suggest_offer(&suggestion, cases->cases[i].test);
        rv_suggest_offer(&suggestion, cases->cases[i].name);
    }
    return suggestion.best;
}

void rv_suite_cases_free(struct rv_suite_cases *cases) {
    for (size_t i = 0; i < cases->count; i++) {
        free(cases->cases[i].name);
        free(cases->cases[i].problem);
        free(cases->cases[i].details);
    }
    free(cases->cases);
    *cases = (struct rv_suite_cases){0};
}
