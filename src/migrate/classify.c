/* Which functions of the test file are tests, which are followed, which only sleep: source.h has the words. */
#include <string.h>

#include "migrate/source_private.h"

/* A function that runs tests, between main and them: it calls several. */
static bool runs_tests(const struct rv_source *source, const struct rv_function *function) {
    uint32_t tests = 0;
    for (uint32_t i = 0; i < function->call_count; i++)
        if (strstr(source->functions[function->calls[i]].name, "test")) tests++;
    return tests > 1;
}

static void mark_called(struct rv_source *source) {
    for (uint32_t i = 0; i < source->function_count; i++) {
        const struct rv_function *caller = &source->functions[i];
        bool runner = caller->is_main || runs_tests(source, caller);
        for (uint32_t c = 0; c < caller->call_count; c++) {
            struct rv_function *callee = &source->functions[caller->calls[c]];
            if (runner)
                callee->shown = true;
            else
                callee->called = true;
        }
    }
}

/* Functions that call one that is involved are so, too. */
static void spread_involved(struct rv_source *source) {
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < source->function_count; i++) {
            struct rv_function *caller = &source->functions[i];
            for (uint32_t c = 0; !caller->involved && c < caller->call_count; c++)
                if (source->functions[caller->calls[c]].involved) again = caller->involved = true;
        }
    }
}

static bool is_test(const struct rv_source *source, const struct rv_function *function) {
    return function->shown && function->involved && function->like_test && !function->called &&
           !function->is_main && !function->sleeper && !runs_tests(source, function);
}

void rv_functions_classify(struct rv_source *source) {
    mark_called(source);
    for (uint32_t i = 0; i < source->function_count; i++) {
        struct rv_function *function = &source->functions[i];
        function->involved = function->calls_sleep || function->creates || function->hands_on;
    }
    spread_involved(source);
    bool any = false;
    for (uint32_t i = 0; i < source->function_count; i++) {
        source->functions[i].is_test = is_test(source, &source->functions[i]);
        any |= source->functions[i].is_test;
    }
    for (uint32_t i = 0; i < source->function_count; i++) {
        struct rv_function *function = &source->functions[i];
        if (function->is_main) function->is_test = !any && function->involved;
        function->followed = !function->sleeper && (function->is_test || function->calls_sleep ||
                                                    (function->address_taken && !function->is_main));
    }
}
