#include "analysis/patterns.h"

enum { NEVER = 0xffff, NONE = 0xff, SEVERAL = 0xfffe, WORDS = RV_WANTED_KEYS / 64 };

uint8_t rv_wanted_slots[RV_PATTERN_OBJECTS];

/* Of one execution. Keys are numbered from 0; in key_of[] 1 is added, 0: there is none. */
static struct {
    uint32_t key_count, length, thread_count;
    uint32_t threads[RV_WANTED_THREADS];
    _Alignas(8) uint16_t key_of[RV_WANTED_VARIABLES][RV_WANTED_STATEMENTS][RV_WANTED_THREADS];
    uint8_t threads_of[RV_WANTED_VARIABLES][RV_WANTED_STATEMENTS]; /* who has a key there: bits */
    uint16_t order[RV_PATTERN_ACCESSES];
    uint16_t last[RV_WANTED_KEYS];
    _Alignas(8) uint16_t next[RV_WANTED_KEYS][RV_WANTED_KEYS];   /* [l][k]: the first l after the first k */
    _Alignas(8) uint16_t before[RV_WANTED_KEYS][RV_WANTED_KEYS]; /* [l][k]: the last l before the last k */
    uint16_t object_of[RV_WANTED_VARIABLES];
    uint8_t present[RV_WANTED_VARIABLES];
    uint32_t present_count;
} trace;
_Static_assert((int)RV_PATTERN_ACCESSES < (int)SEVERAL, "positions are 16 bits");

/* ---- variables ---- */

static uint32_t slot_of(struct rv_wanted *wanted, uint32_t variable) {
    uint32_t count =
        wanted->variable_count < RV_WANTED_VARIABLES ? wanted->variable_count : RV_WANTED_VARIABLES;
    for (uint32_t i = 0; i < count; i++)
        if (wanted->variables[i].variable == variable) return i;
    if (count == RV_WANTED_VARIABLES) return NONE;
    wanted->variables[count] = (struct rv_wanted_variable){.variable = variable};
    wanted->variable_count = count + 1;
    return count;
}

static void take_objects(struct rv_patterns *patterns, const uint16_t *objects, uint32_t count) {
    for (uint32_t i = 0; i < RV_WANTED_VARIABLES; i++) trace.object_of[i] = NEVER;
    for (uint32_t i = 0; i < patterns->object_count; i++) rv_wanted_slots[i] = NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = slot_of(&patterns->wanted, patterns->objects[objects[i]].variable);
        if (slot == NONE) continue;
        rv_wanted_slots[objects[i]] = (uint8_t)slot;
        trace.object_of[slot] = trace.object_of[slot] == NEVER ? objects[i] : SEVERAL;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *slot = &rv_wanted_slots[objects[i]];
        if (*slot != NONE && (trace.object_of[*slot] == SEVERAL ||
                              patterns->wanted.variables[*slot].count > RV_WANTED_STATEMENTS))
            *slot = NONE;
    }
    trace.present_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (rv_wanted_slots[objects[i]] != NONE)
            trace.present[trace.present_count++] = rv_wanted_slots[objects[i]];
}

static uint32_t thread_of(uint32_t thread) {
    for (uint32_t i = 0; i < trace.thread_count; i++)
        if (trace.threads[i] == thread) return i;
    if (trace.thread_count == RV_WANTED_THREADS) return RV_WANTED_THREADS;
    trace.threads[trace.thread_count] = thread;
    return trace.thread_count++;
}

static uint32_t statement_of(struct rv_wanted_variable *variable, uint32_t statement) {
    for (uint32_t i = 0; i < variable->count; i++)
        if (variable->statements[i] == statement) return i;
    if (variable->count < RV_WANTED_STATEMENTS) variable->statements[variable->count] = statement;
    return variable->count++;
}

/* False: too many keys, threads, or statements of a variable. The latter is for good. */
static bool list_keys(struct rv_patterns *patterns) {
    trace.key_count = trace.length = trace.thread_count = 0;
    for (uint32_t i = 0; i < trace.present_count; i++) {
        uint32_t slot = trace.present[i];
        uint64_t *row = (uint64_t *)(void *)trace.key_of[slot];
        for (uint32_t w = 0; w < sizeof trace.key_of[0] / sizeof *row; w++) row[w] = 0;
        for (uint32_t w = 0; w < RV_WANTED_STATEMENTS; w++) trace.threads_of[slot][w] = 0;
    }
    for (uint32_t i = 0; i < patterns->event_count; i++) {
        const struct rv_pattern_event *event = &patterns->events[i];
        if (event->object >= patterns->object_count || rv_wanted_slots[event->object] == NONE) continue;
        uint32_t slot = rv_wanted_slots[event->object], thread = thread_of(event->thread);
        uint32_t statement = statement_of(&patterns->wanted.variables[slot], event->statement);
        if (thread == RV_WANTED_THREADS || statement >= RV_WANTED_STATEMENTS) return false;
        uint16_t *key = &trace.key_of[slot][statement][thread];
        if (!*key && trace.key_count == RV_WANTED_KEYS) return false;
        if (!*key) *key = (uint16_t)++trace.key_count;
        trace.threads_of[slot][statement] |= (uint8_t)(1u << thread);
        if (trace.length && trace.order[trace.length - 1] == *key - 1) continue;
        trace.order[trace.length++] = (uint16_t)(*key - 1);
    }
    return true;
}

/* ---- tables ---- */

static void fill(uint16_t (*table)[RV_WANTED_KEYS], bool backwards) {
    static uint64_t known[RV_WANTED_KEYS][WORDS];
    uint64_t seen[WORDS] = {0};
    uint32_t words = (trace.key_count + 63) / 64;
    for (uint32_t i = 0; i < trace.key_count; i++) {
        uint64_t *row = (uint64_t *)(void *)table[i]; /* rows are multiples of words */
        for (uint32_t w = 0; w < (trace.key_count + 3) / 4; w++) row[w] = UINT64_MAX;
        for (uint32_t w = 0; w < words; w++) known[i][w] = 0;
    }
    for (uint32_t i = 0; i < trace.length; i++) {
        uint32_t at = backwards ? trace.length - 1 - i : i, key = trace.order[at];
        for (uint32_t w = 0; w < words; w++) {
            for (uint64_t fresh = seen[w] & ~known[key][w]; fresh; fresh &= fresh - 1)
                table[key][w * 64 + (uint32_t)__builtin_ctzll(fresh)] = (uint16_t)at;
            known[key][w] |= seen[w];
        }
        seen[key / 64] |= UINT64_C(1) << key % 64;
    }
}

static void fill_tables(void) {
    fill(trace.next, false);
    fill(trace.before, true);
    for (uint32_t at = 0; at < trace.length; at++) trace.last[trace.order[at]] = (uint16_t)at;
}

/* ---- lists ---- */

/* Appends what can be, step by step; false: no room. */
static bool list_pattern(struct rv_wanted *wanted, struct rv_wanted_pair *pair, struct rv_wanted_entry *entry,
                         unsigned step, const struct rv_wanted_variable *const variables[2]) {
    const struct rv_pattern *pattern = &rv_pattern_table[entry->pattern];
    if (step == pattern->steps) {
        if (pair->count == RV_WANTED_PAIR || wanted->pool_used >= RV_WANTED_POOL) return false;
        wanted->pool[wanted->pool_used++] = *entry;
        pair->count++;
        return true;
    }
    const struct rv_wanted_variable *variable = variables[pattern->step[step].other];
    for (uint32_t i = 0; i < variable->count; i++) {
        if ((variable->statements[i] & 1) != pattern->step[step].write) continue;
        entry->steps[step] = (uint8_t)i;
        if (!list_pattern(wanted, pair, entry, step + 1, variables)) return false;
    }
    return true;
}

static void list_pair(struct rv_wanted *wanted, uint32_t x, uint32_t y) {
    struct rv_wanted_pair *pair = &wanted->pairs[x][y];
    const struct rv_wanted_variable *const variables[2] = {&wanted->variables[x], &wanted->variables[y]};
    uint32_t start = wanted->pool_used < RV_WANTED_POOL ? wanted->pool_used : RV_WANTED_POOL;
    bool good = true;
    *pair = (struct rv_wanted_pair){
        .start = start, .x_count = (uint8_t)variables[0]->count, .y_count = (uint8_t)variables[1]->count};
    wanted->pool_used = start;
    for (unsigned i = 1; i <= RV_PATTERNS && good; i++) {
        struct rv_wanted_entry entry = {.pattern = (uint8_t)i};
        if (rv_pattern_is_wide(i) == (x != y)) good = list_pattern(wanted, pair, &entry, 0, variables);
    }
    if (good) return;
    wanted->pool_used = start;
    pair->count = RV_WANTED_NOT;
}

/* ---- looking ---- */

/* Steps 1 and 2 of the entries looked at last, which come in an order in which these are often the same: by threads a and b,
 * where the second can be at the earliest. */
static struct {
    uint32_t pattern, steps; /* steps: both, and the variables */
    uint32_t count;
    struct {
        uint8_t a, b;
        uint16_t at;
    } ways[RV_WANTED_THREADS * RV_WANTED_THREADS];
} begin;

static void find_begin(const struct rv_pattern *pattern, const struct rv_wanted_entry *entry, uint32_t x,
                       uint32_t y) {
    uint32_t other = pattern->step[1].other ? y : x;
    uint32_t one = entry->steps[0] % RV_WANTED_STATEMENTS, two = entry->steps[1] % RV_WANTED_STATEMENTS;
    begin.count = 0;
    for (unsigned as = trace.threads_of[x][one]; as; as &= as - 1) {
        unsigned a = (unsigned)__builtin_ctz(as);
        for (unsigned bs = trace.threads_of[other][two] & ~(1u << a); bs; bs &= bs - 1) {
            unsigned b = (unsigned)__builtin_ctz(bs);
            uint16_t at = trace.next[trace.key_of[other][two][b] - 1][trace.key_of[x][one][a] - 1];
            if (at == NEVER) continue;
            begin.ways[begin.count].a = (uint8_t)a;
            begin.ways[begin.count].b = (uint8_t)b;
            begin.ways[begin.count++].at = at;
        }
    }
}

static bool is_there(const struct rv_wanted_entry *entry, uint32_t x, uint32_t y) {
    uint32_t number = entry->pattern <= RV_PATTERNS ? entry->pattern : 0;
    const struct rv_pattern *pattern = &rv_pattern_table[number];
    uint32_t steps = (x << 24 | y << 16 | (uint32_t)entry->steps[0] << 8 | entry->steps[1]) + 1;
    if (!number) return false;
    if (begin.pattern != number || begin.steps != steps) {
        find_begin(pattern, entry, x, y);
        begin.pattern = number;
        begin.steps = steps;
    }
    if (pattern->steps == 2) return begin.count != 0;
    uint32_t third = pattern->step[2].other ? y : x, fourth = pattern->step[3].other ? y : x;
    const uint16_t *keys3 = trace.key_of[third][entry->steps[2] % RV_WANTED_STATEMENTS];
    const uint16_t *keys4 = trace.key_of[fourth][entry->steps[3] % RV_WANTED_STATEMENTS];
    for (uint32_t i = 0; i < begin.count; i++) {
        uint32_t key3 = keys3[pattern->step[2].second ? begin.ways[i].b : begin.ways[i].a];
        if (!key3) continue;
        if (pattern->steps == 3) {
            if (begin.ways[i].at < trace.last[key3 - 1]) return true;
            continue;
        }
        uint32_t key4 = keys4[pattern->step[3].second ? begin.ways[i].b : begin.ways[i].a];
        if (!key4) continue;
        uint32_t until = trace.before[key3 - 1][key4 - 1];
        if (until != NEVER && begin.ways[i].at < until) return true;
    }
    return false;
}

static void emit_entry(const struct rv_wanted *wanted, const struct rv_wanted_entry *entry, uint32_t x,
                       uint32_t y, rv_pattern_emit *emit, void *context) {
    const struct rv_pattern *pattern = &rv_pattern_table[entry->pattern];
    bool wide = rv_pattern_is_wide(entry->pattern);
    struct rv_instance instance = {
        .pattern = entry->pattern,
        .variables = {wanted->variables[x].variable, wide ? wanted->variables[y].variable : 0}};
    for (unsigned i = 0; i < pattern->steps; i++)
        instance.statements[i] =
            wanted->variables[pattern->step[i].other ? y : x].statements[entry->steps[i]] >> 1;
    emit(context, &instance);
}

static int64_t look_at_pair(struct rv_wanted *wanted, uint32_t x, uint32_t y, rv_pattern_emit *emit,
                            void *context) {
    struct rv_wanted_pair *pair = &wanted->pairs[x][y];
    if (pair->x_count != wanted->variables[x].count || pair->y_count != wanted->variables[y].count)
        list_pair(wanted, x, y);
    if (pair->count == RV_WANTED_NOT || pair->start + pair->count > RV_WANTED_POOL) return 0;
    struct rv_wanted_entry *entries = wanted->pool + pair->start;
    uint32_t looked = pair->count, kept = 0;
    for (uint32_t i = 0; i < looked; i++) {
        if (is_there(&entries[i], x, y))
            emit_entry(wanted, &entries[i], x, y, emit, context);
        else
            entries[kept++] = entries[i]; /* the order stays */
    }
    pair->count = (uint16_t)kept;
    return looked;
}

bool rv_wanted_took(const struct rv_patterns *patterns, uint32_t one, uint32_t other) {
    uint32_t x = rv_wanted_slots[one], y = rv_wanted_slots[other];
    return x != NONE && y != NONE && patterns->wanted.pairs[x][y].count != RV_WANTED_NOT;
}

void rv_wanted_look(struct rv_patterns *patterns, const uint16_t *objects, uint32_t count, uint64_t index,
                    rv_pattern_emit *emit, void *context) {
    struct rv_wanted *wanted = &patterns->wanted;
    take_objects(patterns, objects, count);
    if (!list_keys(patterns)) { /* too large: all of it the long way */
        for (uint32_t i = 0; i < count; i++) rv_wanted_slots[objects[i]] = NONE;
        return;
    }
    fill_tables();
    begin.pattern = 0;
    uint32_t present = trace.present_count;
    int64_t credit = wanted->spent < RV_WANTED_CREDIT ? RV_WANTED_CREDIT - wanted->spent : 0;
    int64_t work = credit + RV_WANTED_WORK_LEAST + (int64_t)RV_WANTED_WORK * patterns->event_count;
    for (uint32_t i = 0; i < present; i++)
        work -= look_at_pair(wanted, trace.present[i], trace.present[i], emit, context);
    for (uint32_t n = 0; n < present * present; n++) {
        uint64_t at = (n + index) % ((uint64_t)present * present);
        uint32_t x = trace.present[at / present], y = trace.present[at % present];
        if (x == y) continue;
        if (work > 0)
            work -= look_at_pair(wanted, x, y, emit, context);
        else if (wanted->pairs[x][y].count || !wanted->pairs[x][y].x_count)
            patterns->missed |= RV_MISSED_WORK;
    }
    if (work < credit) wanted->spent += credit - (work > 0 ? work : 0);
}
