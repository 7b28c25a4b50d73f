#include "generate/probe.h"

#include "generate/make.h"

enum { TRIES = 5 };

static bool note_end(void *user, const struct rv_executed *executed) {
    bool *good = user;
    /* The last thing told is that the last call returned. */
    *good = executed->kind == RV_KIND_NONE && !executed->cut && executed->told_size > 2;
    return false;
}

/* Whether the call goes well with NULL, made by one thread after some others. */
static bool goes_well(struct rv_maker *maker, struct rv_runner *runner, const struct rv_test *made,
                      uint32_t method, uint32_t parameter) {
    struct rv_test test = *made;
    bool good = false;
    uint32_t at = 0;
    while (at < test.count && test.calls[at].phase == RV_PHASE_BEFORE) at++;
    if (at >= test.count || test.calls[at].method != method) return false;
    test.count = at + 1;
    test.calls[at].phase = RV_PHASE_BEFORE;
    test.calls[at].arguments[parameter] =
        maker->api->methods[method].parameters[parameter].kind == RV_PARAMETER_RESULT ? 0 : -1;
    const struct rv_parameter *all = maker->api->methods[method].parameters;
    for (uint32_t i = 0; i < maker->api->methods[method].count; i++)
        if (all[i].kind == RV_PARAMETER_LENGTH && all[i].length == (int)parameter)
            test.calls[at].arguments[i] = 0;
    test.threads = 0;
    struct rv_batch batch = {.strategy = "random", .seed = 1, .wanted = 1, .each = note_end, .user = &good};
    return rv_runner_do(runner, &test, &batch) && good;
}

static bool may_be_tried(const struct rv_method *method, uint32_t parameter) {
    const struct rv_parameter *one = &method->parameters[parameter];
    return (int)parameter != method->object && !one->may_be_null && one->kind != RV_PARAMETER_INTEGER &&
           one->kind != RV_PARAMETER_ENUM && one->kind != RV_PARAMETER_FLOAT &&
           one->kind != RV_PARAMETER_LENGTH;
}

void rv_probe_nulls(struct rv_api *api, struct rv_runner *runner, uint64_t seed) {
    struct rv_maker maker;
    bool possible = rv_maker_open(&maker, api, seed);
    for (uint32_t m = 0; possible && m < api->count; m++) {
        struct rv_method *method = &api->methods[m];
        if (!rv_api_callable(method)) continue;
        for (uint32_t p = 0; p < method->count; p++) {
            if (!may_be_tried(method, p)) continue;
            uint32_t good = 0, tries = 0;
            for (; tries < TRIES && good == tries; tries++) {
                struct rv_wish wish = {.calls = {{m}}, .count = {1, 0}};
                struct rv_test test;
                rv_maker_begin(&maker, seed, (uint64_t)m << 32 | p << 8 | tries);
                rv_maker_make(&maker, &wish, &test);
                good += goes_well(&maker, runner, &test, m, p);
            }
            method->parameters[p].may_be_null = good == TRIES;
        }
    }
    rv_maker_close(&maker);
}
