#include "generate/make.h"

#include <stdlib.h>
#include <string.h>

/* ---- chance ---- */

static uint32_t below(struct rv_maker *maker, uint32_t n) { return (uint32_t)rv_rng_below(&maker->rng, n); }
static bool chance(struct rv_maker *maker, uint32_t percent) { return below(maker, 100) < percent; }

static const int64_t small_numbers[] = {0, 1, 2, 3, 1, 2, 4, 5, 6, 7, 8, -1, 10, 16, 100};
enum { SMALL_NUMBERS = sizeof small_numbers / sizeof *small_numbers };

static int64_t any_number(struct rv_maker *maker) {
    const struct rv_api *api = maker->api;
    if (api->constant_count && chance(maker, 8))
        return api->constants[below(maker, api->constant_count)] + (int64_t)below(maker, 3) - 1;
    if (chance(maker, 2)) return chance(maker, 50) ? INT32_MAX : INT32_MIN;
    return small_numbers[below(maker, SMALL_NUMBERS)];
}

static int64_t any_string(struct rv_maker *maker) {
    if (!maker->api->string_count) return -1;
    return below(maker, maker->api->string_count);
}

static void choose_domain(struct rv_maker *maker) {
    static const int64_t starts[][3] = {{0, 1, 2}, {1, 2, 3}, {1, 0, 2}, {1, 2, 0}};
    maker->number_count = 2 + below(maker, 3);
    const int64_t *start = starts[below(maker, 4)];
    for (uint32_t i = 0; i < maker->number_count; i++)
        maker->numbers[i] = i < 3 && chance(maker, 80) ? start[i] : any_number(maker);
    maker->string_count = 1 + below(maker, 3);
    for (uint32_t i = 0; i < maker->string_count; i++) maker->strings[i] = any_string(maker);
}

/* ---- arguments ---- */

static int64_t new_size(struct rv_maker *maker) {
    static const int64_t sizes[] = {1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 8, 16};
    if (chance(maker, 6)) return any_number(maker);
    return sizes[below(maker, sizeof sizes / sizeof *sizes)];
}

static int64_t fitting(const struct rv_parameter *parameter, int64_t value) {
    if (parameter->bytes == 0) return value & 1;
    if (parameter->bytes == 1) return value >= 0 && value < 8 ? 'a' + value : (signed char)value;
    return value;
}

static int64_t buffer_length(struct rv_maker *maker, const struct rv_parameter *parameter) {
    static const int64_t lengths[] = {1, 2, 3, 4, 5, 6, 8, 0, 12, 16, 3, 4};
    if (parameter->length < 0) return 1; /* one thing */
    if (parameter->kind == RV_PARAMETER_OUTPUT && chance(maker, 70)) return 16;
    return lengths[below(maker, sizeof lengths / sizeof *lengths)];
}

static int64_t argument(struct rv_maker *maker, const struct rv_method *method, uint32_t at) {
    const struct rv_parameter *parameter = &method->parameters[at];
    if (parameter->may_be_null && chance(maker, 5)) return parameter->kind == RV_PARAMETER_RESULT ? 0 : -1;
    if (parameter->value_count) return parameter->values[below(maker, parameter->value_count)];
    switch (parameter->kind) {
    case RV_PARAMETER_OBJECT: return below(maker, maker->objects);
    case RV_PARAMETER_INTEGER:
    case RV_PARAMETER_ENUM:
        if (method->role == RV_ROLE_CONSTRUCTOR) return fitting(parameter, new_size(maker));
        return fitting(parameter, chance(maker, 85) ? maker->numbers[below(maker, maker->number_count)]
                                                    : any_number(maker));
    case RV_PARAMETER_FLOAT: return maker->numbers[below(maker, maker->number_count)] * 2;
    case RV_PARAMETER_STRING:
        if (chance(maker, 85)) return maker->strings[below(maker, maker->string_count)];
        return any_string(maker);
    case RV_PARAMETER_INPUT:
    case RV_PARAMETER_OUTPUT: return buffer_length(maker, parameter);
    case RV_PARAMETER_LENGTH: return 0; /* set from its buffer */
    case RV_PARAMETER_RESULT: return 1;
    case RV_PARAMETER_CALLBACK: return chance(maker, 25);
    case RV_PARAMETER_POINTER: return below(maker, 3);
    }
    return 0;
}

static struct rv_case_call make_call(struct rv_maker *maker, uint32_t number, enum rv_phase phase,
                                     uint8_t thread) {
    const struct rv_method *method = &maker->api->methods[number];
    struct rv_case_call call = {.method = (uint16_t)number, .phase = (uint8_t)phase, .thread = thread};
    for (uint32_t i = 0; i < method->count; i++) call.arguments[i] = argument(maker, method, i);
    for (uint32_t i = 0; i < method->count; i++)
        if (method->parameters[i].kind == RV_PARAMETER_LENGTH) {
            int64_t length = call.arguments[method->parameters[i].length];
            call.arguments[i] = length < 0 ? 0 : length;
        }
    return call;
}

/* ---- the whole ---- */

static void make_before(struct rv_maker *maker, struct rv_test *test) {
    uint32_t count = below(maker, 4) + (chance(maker, 35) ? below(maker, 5) : 0);
    bool fill = chance(maker, 30) && maker->changer_count;
    uint32_t again = maker->changer_count ? maker->changers[below(maker, maker->changer_count)] : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t method = maker->methods[below(maker, maker->method_count)];
        if (maker->changer_count && chance(maker, 75))
            method = maker->changers[below(maker, maker->changer_count)];
        if (fill && chance(maker, 75)) method = again;
        struct rv_case_call call = make_call(maker, method, RV_PHASE_BEFORE, 0);
        (void)rv_test_add(test, &call);
    }
}

static void make_during(struct rv_maker *maker, const struct rv_wish *wish, struct rv_test *test) {
    for (uint8_t thread = 0; thread < 2; thread++) {
        for (uint32_t i = 0; i < wish->count[thread]; i++) {
            struct rv_case_call call = make_call(maker, wish->calls[thread][i], RV_PHASE_DURING, thread);
            (void)rv_test_add(test, &call);
        }
        uint32_t more = wish->count[thread] < 3 && chance(maker, 35);
        for (uint32_t i = 0; i < more; i++) {
            struct rv_case_call call = make_call(maker, rv_maker_any(maker), RV_PHASE_DURING, thread);
            (void)rv_test_add(test, &call);
        }
    }
}

static void make_after(struct rv_maker *maker, struct rv_test *test) {
    enum { MOST = 10 };
    uint32_t each = maker->observer_count <= 3 ? 3 : maker->observer_count <= 5 ? 2 : 1;
    uint32_t count = 0, start = maker->observer_count ? below(maker, maker->observer_count) : 0;
    for (uint32_t i = 0; i < maker->observer_count; i++)
        for (uint32_t n = 0; n < each && count < MOST; n++) {
            uint32_t method = maker->observers[(start + i) % maker->observer_count];
            if (n > 0 && maker->api->methods[method].count < 2 && maker->objects < 2) break;
            struct rv_case_call call = make_call(maker, method, RV_PHASE_AFTER, 0);
            (void)rv_test_add(test, &call);
            count++;
        }
    uint32_t more = chance(maker, 40) ? 1 + below(maker, 2) : 0;
    for (uint32_t i = 0; i < more; i++) {
        struct rv_case_call call =
            make_call(maker, maker->methods[below(maker, maker->method_count)], RV_PHASE_AFTER, 0);
        (void)rv_test_add(test, &call);
    }
    int destructor = rv_api_destructor(maker->api);
    for (uint32_t object = 0; destructor >= 0 && object < test->objects; object++) {
        struct rv_case_call call = {.method = (uint16_t)destructor, .phase = RV_PHASE_AFTER};
        call.arguments[0] = object;
        (void)rv_test_add(test, &call);
    }
}

static bool comes_before(const struct rv_test *test, uint32_t method, uint32_t call) {
    for (uint32_t i = 0; i < call; i++)
        if (test->calls[i].phase == RV_PHASE_BEFORE && test->calls[i].method == method) return true;
    return false;
}

/* What a method needs is called first, on each object that it is called on. */
static void make_needed(struct rv_maker *maker, struct rv_test *test) {
    for (uint32_t round = 0; round < 4; round++) /* what is needed may need something */
        for (uint32_t i = 0; i < test->count; i++) {
            const struct rv_method *method = &maker->api->methods[test->calls[i].method];
            for (uint32_t n = 0; n < method->need_count; n++) {
                const struct rv_method *needed = &maker->api->methods[method->needs[n]];
                if (comes_before(test, method->needs[n], i) || test->count == RV_CASE_CALLS) continue;
                for (uint32_t object = 0; object < test->objects && test->count < RV_CASE_CALLS; object++) {
                    struct rv_case_call call = make_call(maker, method->needs[n], RV_PHASE_BEFORE, 0);
                    if (needed->object >= 0) call.arguments[needed->object] = object;
                    memmove(test->calls + 1, test->calls, test->count++ * sizeof call);
                    test->calls[0] = call;
                }
            }
        }
}

void rv_maker_make(struct rv_maker *maker, const struct rv_wish *wish, struct rv_test *test) {
    memset(test, 0, sizeof *test);
    choose_domain(maker);
    test->threads = 2;
    test->objects = maker->objects = maker->api->objects > 1 && chance(maker, 75) ? maker->api->objects : 1;
    uint32_t constructor = maker->constructors[below(maker, maker->constructor_count)];
    for (uint32_t i = 0; i < test->objects; i++) {
        if (i == 0 || chance(maker, 50))
            test->made[i] = make_call(maker, constructor, RV_PHASE_BEFORE, 0);
        else
            test->made[i] = test->made[0];
    }
    make_before(maker, test);
    make_during(maker, wish, test);
    make_after(maker, test);
    make_needed(maker, test);
}

uint32_t rv_maker_any(struct rv_maker *maker) {
    return maker->concurrent[below(maker, maker->concurrent_count)];
}

void rv_maker_begin(struct rv_maker *maker, uint64_t seed, uint64_t index) {
    maker->rng = rv_rng_stream(seed, index);
}

static void append(uint32_t **list, uint32_t *count, uint32_t number) {
    *list = rv_text_realloc(*list, *count + 1, sizeof **list);
    (*list)[(*count)++] = number;
}

bool rv_maker_open(struct rv_maker *maker, const struct rv_api *api, uint64_t seed) {
    *maker = (struct rv_maker){.api = api};
    rv_maker_begin(maker, seed, 0);
    for (uint32_t i = 0; i < api->count; i++) {
        const struct rv_method *method = &api->methods[i];
        if (method->role == RV_ROLE_CONSTRUCTOR) append(&maker->constructors, &maker->constructor_count, i);
        if (!rv_api_callable(method)) continue;
        append(&maker->methods, &maker->method_count, i);
        if (method->observes)
            append(&maker->observers, &maker->observer_count, i);
        else
            append(&maker->changers, &maker->changer_count, i);
        if (!method->unsafe) append(&maker->concurrent, &maker->concurrent_count, i);
    }
    return maker->constructor_count && maker->concurrent_count;
}

void rv_maker_close(struct rv_maker *maker) {
    free(maker->methods);
    free(maker->changers);
    free(maker->concurrent);
    free(maker->observers);
    free(maker->constructors);
    *maker = (struct rv_maker){0};
}
