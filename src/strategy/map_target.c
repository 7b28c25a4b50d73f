/* One instance to aim at: what the parameter means, and how far an execution has come with it. */
#include "strategy/map.h"

enum { DIGITS_MAX = 16 };

static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* What follows the number, or NULL. */
static const char *number(const char *text, int base, uint64_t *value) {
    unsigned digits = 0;
    *value = 0;
    for (; digit(*text) >= 0 && digit(*text) < base; text++) {
        if (++digits > DIGITS_MAX) return NULL;
        *value = *value * (uint64_t)base + (uint64_t)digit(*text);
    }
    return digits ? text : NULL;
}

bool rv_map_parse(const char *params, struct rv_map_target *target) {
    uint64_t pattern;
    *target = (struct rv_map_target){0};
    if (!params) return true;
    const char *text = number(params, 10, &pattern);
    if (!text || pattern < 1 || pattern > RV_PATTERNS) return false;
    for (unsigned i = 0; i < rv_pattern_table[pattern].steps; i++) {
        if (*text != ',') return false;
        text = number(text + 1, 16, &target->sites[i]);
        if (!text) return false;
    }
    target->pattern = *text ? 0 : (uint32_t)pattern;
    return !*text;
}

void rv_map_match_begin(struct rv_map_match *match, const struct rv_map_target *target) {
    *match = (struct rv_map_match){.threads = {RV_NO_THREAD, RV_NO_THREAD},
                                   .objects = {target->objects[0], target->objects[1]}};
}

static bool does(const struct rv_operation *operation, bool write) {
    if (!(operation->flags & RV_OPF_MEMORY)) return false;
    bool updates = operation->op == RV_OP_ATOMIC_RMW || operation->op == RV_OP_ATOMIC_CAS;
    bool writes = (operation->flags & RV_OPF_WRITE) && !operation->unchanged;
    return write ? writes : updates || !(operation->flags & RV_OPF_WRITE);
}

bool rv_map_fits(const struct rv_map_target *target, const struct rv_map_match *match, unsigned number,
                 uint32_t thread, const struct rv_operation *operation) {
    const struct rv_pattern *pattern = &rv_pattern_table[target->pattern];
    if (number >= pattern->steps || operation->site != target->sites[number]) return false;
    const struct rv_pattern_step *step = &pattern->step[number];
    if (!does(operation, step->write)) return false;
    uint32_t mine = match->threads[step->second], other = match->threads[!step->second];
    if (mine == RV_NO_THREAD ? other == thread : mine != thread) return false;
    uint64_t object = match->objects[step->other], another = match->objects[!step->other];
    return object ? object == operation->object : another != operation->object;
}

void rv_map_match_done(const struct rv_map_target *target, struct rv_map_match *match, uint32_t thread,
                       const struct rv_operation *operation) {
    if (!target->pattern || !rv_map_fits(target, match, match->done, thread, operation)) return;
    const struct rv_pattern_step *step = &rv_pattern_table[target->pattern].step[match->done];
    match->threads[step->second] = thread;
    match->objects[step->other] = operation->object;
    match->done++;
}
