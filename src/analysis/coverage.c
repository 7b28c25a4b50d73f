#include "analysis/coverage.h"

enum {
    PROBES = 64,
    USES_FROM = 512, /* executions of which the uses are looked at; later only of every fourth, */
    USES_EVERY = 4,  /* and of those that cover something new */
};

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t hash = (a ^ b * 0xbf58476d1ce4e5b9u) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 31;
}

/* ---- variables and locks ---- */

uint32_t rv_coverage_variable(struct rv_coverage *coverage, const struct rv_cover_variable *variable) {
    uint64_t at = mix(variable->key, variable->kind);
    for (uint32_t i = 0; i < PROBES; i++, at++) {
        struct rv_cover_variable *slot = &coverage->variables[at & (RV_COVER_VARIABLES - 1)];
        if (slot->kind == variable->kind && slot->key == variable->key)
            return (uint32_t)(at & (RV_COVER_VARIABLES - 1));
        if (slot->kind != RV_COVER_NOTHING) continue;
        *slot = *variable;
        coverage->variable_count++;
        return (uint32_t)(at & (RV_COVER_VARIABLES - 1));
    }
    coverage->dropped++;
    return UINT32_MAX;
}

uint32_t rv_coverage_lock(struct rv_coverage *coverage, uint32_t variable) {
    uint32_t count = coverage->lock_count < RV_COVER_LOCKS ? coverage->lock_count : RV_COVER_LOCKS;
    for (uint32_t i = 0; i < count; i++)
        if (coverage->locks[i] == variable) return i;
    if (count == RV_COVER_LOCKS) return UINT32_MAX;
    coverage->locks[count] = variable;
    coverage->lock_count = count + 1;
    return count;
}

/* ---- an execution ---- */

void rv_coverage_begin(struct rv_coverage *coverage, uint64_t index) {
    rv_patterns_begin(&coverage->patterns);
    coverage->release_count = 0;
    coverage->index = index;
    coverage->pending = 1;
}

void rv_coverage_access(struct rv_coverage *coverage, uint32_t object, uint32_t thread, uint32_t statement,
                        bool write, const struct rv_cover_held *held) {
    uint32_t before = coverage->patterns.event_count;
    rv_patterns_access(&coverage->patterns, object, thread, statement, write);
    if (coverage->patterns.event_count > before) coverage->held[before] = *held;
}

void rv_coverage_release(struct rv_coverage *coverage, uint32_t thread, uint32_t lock) {
    if (coverage->release_count >= RV_COVER_RELEASES) return; /* settle sees that it is full */
    coverage->releases[coverage->release_count++] = (struct rv_cover_release){
        .event = coverage->patterns.event_count, .thread = (uint16_t)thread, .lock = (uint16_t)lock};
}

static void add_pair(struct rv_coverage *coverage, struct rv_cover_pair pair) {
    uint64_t at = mix(pair.first, pair.second);
    for (uint32_t i = 0; i < PROBES; i++, at++) {
        struct rv_cover_pair *slot = &coverage->pairs[at & (RV_COVER_PAIRS - 1)];
        if (slot->first == pair.first && slot->second == pair.second) return;
        if (slot->first) continue;
        *slot = pair;
        coverage->pair_count++;
        return;
    }
    coverage->dropped++;
}

void rv_coverage_function(struct rv_coverage *coverage, uint32_t one) {
    add_pair(coverage, (struct rv_cover_pair){one + 1, UINT32_MAX});
}

void rv_coverage_pair(struct rv_coverage *coverage, uint32_t one, uint32_t other) {
    add_pair(coverage,
             (struct rv_cover_pair){(one < other ? one : other) + 1, (one < other ? other : one) + 1});
}

/* ---- instances ---- */

/* pattern 5 | three statements of 17; the fourth 17 | two variables of 13 */
static struct rv_cover_instance pack(const struct rv_instance *instance) {
    const uint32_t *s = instance->statements;
    return (struct rv_cover_instance){
        {(uint64_t)instance->pattern << 51 | (uint64_t)s[0] << 34 | (uint64_t)s[1] << 17 | s[2],
         (uint64_t)s[3] << 26 | (uint64_t)instance->variables[0] << 13 | instance->variables[1]}};
}

bool rv_coverage_instance(const struct rv_cover_instance *slot, struct rv_instance *instance) {
    uint64_t one = slot->words[0], two = slot->words[1], mask = RV_COVER_NUMBERS - 1;
    uint32_t pattern = (uint32_t)(one >> 51);
    if (pattern < 1 || pattern > RV_PATTERNS || two >> 43) return false;
    *instance =
        (struct rv_instance){.pattern = pattern,
                             .variables = {(uint32_t)(two >> 13) & (RV_COVER_VARIABLES - 1),
                                           (uint32_t)two & (RV_COVER_VARIABLES - 1)},
                             .statements = {(uint32_t)(one >> 34 & mask), (uint32_t)(one >> 17 & mask),
                                            (uint32_t)(one & mask), (uint32_t)(two >> 26 & mask)}};
    return true;
}

static void add_instance(void *context, const struct rv_instance *instance) {
    struct rv_coverage *coverage = context;
    struct rv_cover_instance packed = pack(instance);
    uint64_t at = mix(packed.words[0], packed.words[1]);
    for (uint32_t i = 0; i < PROBES; i++, at++) {
        struct rv_cover_instance *slot = &coverage->instances[at & (RV_COVER_INSTANCES - 1)];
        if (slot->words[0] == packed.words[0] && slot->words[1] == packed.words[1]) return;
        if (slot->words[0]) continue;
        if (coverage->instance_count >= RV_COVER_INSTANCES / 4 * 3) break;
        *slot = packed;
        coverage->instance_count++;
        return;
    }
    coverage->dropped++;
}

void rv_coverage_add(struct rv_coverage *coverage, const struct rv_instance *instance) {
    add_instance(coverage, instance);
}

bool rv_coverage_has(const struct rv_coverage *coverage, const struct rv_instance *instance) {
    struct rv_cover_instance packed = pack(instance);
    uint64_t at = mix(packed.words[0], packed.words[1]);
    for (uint32_t i = 0; i < PROBES; i++, at++) {
        const struct rv_cover_instance *slot = &coverage->instances[at & (RV_COVER_INSTANCES - 1)];
        if (slot->words[0] == packed.words[0] && slot->words[1] == packed.words[1]) return true;
        if (!slot->words[0]) return false;
    }
    return false;
}

/* ---- uses ---- */

static void add_use(struct rv_coverage *coverage, uint32_t variable, uint32_t statement,
                    const struct rv_cover_held *held) {
    uint64_t at = mix(variable, statement);
    for (uint32_t i = 0; i < PROBES; i++, at++) {
        struct rv_cover_use *use = &coverage->uses[at & (RV_COVER_USES - 1)];
        if (use->variable == variable + 1 && use->statement == statement) {
            use->locks &= held->locks;
            use->exclusive &= held->exclusive;
            if (held->epoch < use->epoch_min) use->epoch_min = held->epoch;
            if (held->epoch > use->epoch_max) use->epoch_max = held->epoch;
            return;
        }
        if (use->variable) continue;
        *use = (struct rv_cover_use){.variable = variable + 1,
                                     .statement = statement,
                                     .locks = held->locks,
                                     .exclusive = held->exclusive,
                                     .epoch_min = held->epoch,
                                     .epoch_max = held->epoch};
        coverage->use_count++;
        return;
    }
    coverage->dropped++;
}

static void add_step(struct rv_coverage *coverage, const struct rv_cover_step *step) {
    uint64_t at = mix(step->variable, (uint64_t)step->first << 32 | step->second);
    for (uint32_t i = 0; i < PROBES; i++, at++) {
        struct rv_cover_step *slot = &coverage->steps[at & (RV_COVER_STEPS - 1)];
        if (slot->variable == step->variable && slot->first == step->first && slot->second == step->second) {
            slot->locks &= step->locks;
            slot->exclusive &= step->exclusive;
            return;
        }
        if (slot->variable) continue;
        *slot = *step;
        coverage->step_count++;
        return;
    }
    coverage->dropped++;
}

/* What one thread did to one object so far: each statement with its first and last event. */
enum { LINES = 32 };
struct line {
    uint32_t thread, statement;
    uint32_t first, last;
};

/* By thread and lock: 1 + the event after which it was last released. */
static uint32_t released[RV_COVER_THREADS][RV_COVER_LOCKS];

/* Of these locks, which the thread of the events held at both: those that it held throughout. */
static uint64_t throughout(uint64_t locks, uint32_t thread, uint32_t first) {
    uint64_t kept = 0;
    if (thread >= RV_COVER_THREADS) return 0;
    for (; locks; locks &= locks - 1) {
        unsigned lock = (unsigned)__builtin_ctzll(locks);
        if (released[thread][lock] <= first + 1) kept |= UINT64_C(1) << lock;
    }
    return kept;
}

static void add_between(struct rv_coverage *coverage, uint32_t variable, const struct line *line,
                        uint32_t from, uint32_t to) {
    const struct rv_cover_held *one = &coverage->held[from], *two = &coverage->held[to];
    struct rv_cover_step step = {.variable = variable + 1,
                                 .first = line->statement,
                                 .second = coverage->patterns.events[to].statement,
                                 .locks = throughout(one->locks & two->locks, line->thread, from)};
    step.exclusive = step.locks & one->exclusive & two->exclusive;
    add_step(coverage, &step);
}

/* The events of an object are gone through in their order, and so are the releases: for each object anew. */
static void settle_object(struct rv_coverage *coverage, const struct rv_pattern_object *object) {
    const struct rv_patterns *patterns = &coverage->patterns;
    struct line lines[LINES];
    uint32_t count = 0, release = 0;
    bool full = coverage->release_count >= RV_COVER_RELEASES;
    for (uint32_t i = 0; i < coverage->release_count; i++)
        released[coverage->releases[i].thread % RV_COVER_THREADS]
                [coverage->releases[i].lock % RV_COVER_LOCKS] = 0;
    for (uint32_t at = object->first, next; at && at <= patterns->event_count; at = next) {
        const struct rv_pattern_event *event = &patterns->events[at - 1];
        next = event->next > at ? event->next : 0;
        add_use(coverage, object->variable, event->statement, &coverage->held[at - 1]);
        for (; release < coverage->release_count && coverage->releases[release].event < at; release++) {
            const struct rv_cover_release *it = &coverage->releases[release];
            if (it->thread < RV_COVER_THREADS && it->lock < RV_COVER_LOCKS)
                released[it->thread][it->lock] = it->event + 1;
        }
        struct line *own = NULL;
        for (uint32_t i = 0; i < count; i++) {
            struct line *line = &lines[i];
            if (line->thread != event->thread) continue;
            if (line->statement == event->statement) own = line;
            if (full) continue;
            add_between(coverage, object->variable, line, line->first, at - 1);
            if (line->last != line->first) add_between(coverage, object->variable, line, line->last, at - 1);
        }
        if (own)
            own->last = at - 1;
        else if (count < LINES)
            lines[count++] = (struct line){event->thread, event->statement, at - 1, at - 1};
    }
}

static void settle_uses(struct rv_coverage *coverage) {
    const struct rv_patterns *patterns = &coverage->patterns;
    for (uint32_t i = 0; i < patterns->object_count; i++)
        if (patterns->objects[i].shared && patterns->objects[i].written)
            settle_object(coverage, &patterns->objects[i]);
}

void rv_coverage_settle(struct rv_coverage *coverage) {
    struct rv_patterns *patterns = &coverage->patterns;
    if (!coverage->pending) return;
    if (patterns->event_count > RV_PATTERN_ACCESSES) patterns->event_count = RV_PATTERN_ACCESSES;
    if (patterns->object_count > RV_PATTERN_OBJECTS) patterns->object_count = RV_PATTERN_OBJECTS;
    if (coverage->release_count > RV_COVER_RELEASES) coverage->release_count = RV_COVER_RELEASES;
    uint32_t before = coverage->instance_count;
    rv_patterns_end(patterns, coverage->index, add_instance, coverage);
    bool usual = coverage->executions >= USES_FROM && coverage->instance_count == before;
    if (!usual || coverage->index % USES_EVERY == 0) settle_uses(coverage);
    coverage->pending = 0;
    coverage->cut += patterns->missed != 0;
    coverage->missed |= patterns->missed;
    uint64_t done = ++coverage->executions;
    if ((done & (done - 1)) == 0) {
        unsigned power = (unsigned)__builtin_ctzll(done);
        if (power < RV_COVER_GROWTH) coverage->growth[power] = coverage->instance_count;
    }
}
