/* The fast matcher: see patterns.h. A *key* is a statement as one thread does it to one of the objects looked at. */
#include "analysis/patterns.h"

enum { NEVER = 0xffff };
_Static_assert((int)RV_PATTERN_WINDOW < (int)NEVER, "positions are 16 bits");

struct key {
    uint32_t thread;
    uint32_t statement; /* without its lowest bit */
    bool write;
    bool other; /* of the second object */
    uint16_t first, last;
};

/* What is left of the trace when only one or two objects are looked at. */
struct projection {
    uint32_t length;
    uint32_t key_count;
    uint32_t missed;
    struct key keys[RV_PATTERN_KEYS];
    uint8_t order[RV_PATTERN_WINDOW];                  /* keys by position */
    uint16_t next[RV_PATTERN_KEYS][RV_PATTERN_KEYS];   /* [k][l]: the first l after the first k */
    uint16_t before[RV_PATTERN_KEYS][RV_PATTERN_KEYS]; /* [k][l]: the last l before the last k */
};

struct matcher {
    struct rv_patterns *patterns;
    rv_pattern_emit *emit;
    void *context;
    int64_t work; /* left */
    uint32_t variables[2];
};

static struct projection projection; /* one at a time; too large for a stack */

/* ---- the execution ---- */

void rv_patterns_begin(struct rv_patterns *patterns) {
    patterns->missed = 0;
    patterns->event_count = 0;
    patterns->object_count = 0;
}

uint32_t rv_patterns_object(struct rv_patterns *patterns, uint32_t variable) {
    if (patterns->object_count >= RV_PATTERN_OBJECTS) {
        patterns->missed |= RV_MISSED_OBJECTS;
        return UINT32_MAX;
    }
    patterns->objects[patterns->object_count] = (struct rv_pattern_object){.variable = variable};
    return patterns->object_count++;
}

void rv_patterns_access(struct rv_patterns *patterns, uint32_t object, uint32_t thread, uint32_t statement,
                        bool write) {
    if (object >= patterns->object_count) return;
    uint32_t count = patterns->event_count, what = statement << 1 | write;
    if (count && patterns->events[count - 1].object == object &&
        patterns->events[count - 1].thread == thread && patterns->events[count - 1].statement == what)
        return;
    if (count >= RV_PATTERN_ACCESSES) {
        patterns->missed |= RV_MISSED_ACCESSES;
        return;
    }
    struct rv_pattern_object *it = &patterns->objects[object];
    patterns->events[count] =
        (struct rv_pattern_event){.object = object, .statement = what, .thread = thread};
    if (it->last)
        patterns->events[it->last - 1].next = count + 1;
    else
        it->first = count + 1;
    if (!it->count++) it->thread = thread;
    it->last = count + 1;
    it->shared |= it->thread != thread;
    it->written |= write;
    patterns->event_count = count + 1;
}

/* ---- projections ---- */

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Goes through the accesses to two objects (or one: second 0) in their order. Positions are 1 + event, 0 at the end. */
struct walk {
    const struct rv_patterns *patterns;
    uint32_t first, second;
};

static uint32_t event_after(const struct rv_patterns *patterns, uint32_t at) {
    uint32_t next = patterns->events[at - 1].next;
    return next > at && next <= patterns->event_count ? next : 0; /* untrusted: it must go forward */
}

static uint32_t begin_of(const struct rv_patterns *patterns, const struct rv_pattern_object *object) {
    return object->first <= patterns->event_count ? object->first : 0;
}

static const struct rv_pattern_event *step(struct walk *walk, bool *other) {
    if (!walk->first && !walk->second) return NULL;
    *other = !walk->first || (walk->second && walk->second < walk->first);
    uint32_t *at = *other ? &walk->second : &walk->first;
    const struct rv_pattern_event *event = &walk->patterns->events[*at - 1];
    *at = event_after(walk->patterns, *at);
    return event;
}

/* Whether the projection is a new one; notes it. */
static bool is_new(struct matcher *matcher, struct walk walk, const uint32_t variables[2]) {
    bool other;
    const struct rv_pattern_event *event;
    uint64_t hash = mix(mix(0x51ed270b, variables[0]), variables[1]);
    while ((event = step(&walk, &other))) {
        hash = mix(hash, (uint64_t)event->statement << 32 | (uint64_t)event->thread << 1 | other);
        matcher->work--;
    }
    uint64_t *slot = &matcher->patterns->memo[hash >> 32 & (RV_PATTERN_MEMO - 1)];
    if (*slot == hash) {
        matcher->patterns->remembered++;
        return false;
    }
    *slot = hash;
    matcher->patterns->projections++;
    return true;
}

static uint32_t key_of(struct projection *p, const struct rv_pattern_event *event, bool other) {
    for (uint32_t i = 0; i < p->key_count; i++) {
        const struct key *key = &p->keys[i];
        if (key->thread == event->thread && key->other == other && key->write == (event->statement & 1) &&
            key->statement == event->statement >> 1)
            return i;
    }
    if (p->key_count == RV_PATTERN_KEYS) return RV_PATTERN_KEYS;
    p->keys[p->key_count] = (struct key){.thread = event->thread,
                                         .statement = event->statement >> 1,
                                         .write = event->statement & 1,
                                         .other = other,
                                         .first = NEVER};
    return p->key_count++;
}

static void collect(struct projection *p, struct walk walk) {
    bool other;
    const struct rv_pattern_event *event;
    p->length = p->key_count = p->missed = 0;
    while ((event = step(&walk, &other))) {
        uint32_t key = key_of(p, event, other);
        if (p->length && p->order[p->length - 1] == key) continue; /* adds nothing */
        if (key == RV_PATTERN_KEYS || p->length == RV_PATTERN_WINDOW) {
            p->missed = RV_MISSED_KEYS;
            continue;
        }
        if (p->keys[key].first == NEVER) p->keys[key].first = (uint16_t)p->length;
        p->keys[key].last = (uint16_t)p->length;
        p->order[p->length++] = (uint8_t)key;
    }
}

/* Each key once for each that was there before it: the tables cost their size, and the trace its length. */
static void fill_tables(struct projection *p) {
    uint64_t seen = 0, known[RV_PATTERN_KEYS] = {0};
    for (uint32_t i = 0; i < p->key_count; i++)
        for (uint32_t k = 0; k < p->key_count; k++) p->next[i][k] = p->before[i][k] = NEVER;
    for (uint32_t at = 0; at < p->length; at++) {
        uint32_t key = p->order[at];
        for (uint64_t fresh = seen & ~known[key]; fresh; fresh &= fresh - 1)
            p->next[__builtin_ctzll(fresh)][key] = (uint16_t)at;
        known[key] |= seen;
        seen |= UINT64_C(1) << key;
    }
    seen = 0;
    for (uint32_t i = 0; i < p->key_count; i++) known[i] = 0;
    for (uint32_t at = p->length; at-- > 0;) {
        uint32_t key = p->order[at];
        for (uint64_t fresh = seen & ~known[key]; fresh; fresh &= fresh - 1)
            p->before[__builtin_ctzll(fresh)][key] = (uint16_t)at;
        known[key] |= seen;
        seen |= UINT64_C(1) << key;
    }
}

/* ---- one object ---- */

static void emit(const struct matcher *matcher, uint32_t pattern, uint32_t s1, uint32_t s2, uint32_t s3,
                 uint32_t s4) {
    struct rv_instance instance = {
        .pattern = pattern,
        .variables = {matcher->variables[0], rv_pattern_is_wide(pattern) ? matcher->variables[1] : 0},
        .statements = {s1, s2, s3, s4}};
    matcher->emit(matcher->context, &instance);
}

/* By the writes of the steps, the first in the lowest bit. */
static const uint8_t pairs[4] = {0, 2, 1, 3};
static const uint8_t triples[8] = {0, 0, 4, 5, 0, 6, 7, 8};

static void match_single(struct matcher *matcher, const struct projection *p) {
    matcher->work -= (int64_t)p->key_count * p->key_count * p->key_count / 8;
    for (uint32_t one = 0; one < p->key_count; one++) {
        const struct key *first = &p->keys[one];
        for (uint32_t two = 0; two < p->key_count; two++) {
            const struct key *second = &p->keys[two];
            unsigned writes = (unsigned)first->write | (unsigned)second->write << 1;
            uint16_t at = p->next[one][two];
            if (first->thread == second->thread || at == NEVER || !writes) continue;
            emit(matcher, pairs[writes], first->statement, second->statement, 0, 0);
            for (uint32_t three = 0; three < p->key_count; three++) {
                const struct key *third = &p->keys[three];
                unsigned pattern = triples[writes | (unsigned)third->write << 2];
                if (third->thread == first->thread && third->last > at && pattern)
                    emit(matcher, pattern, first->statement, second->statement, third->statement, 0);
            }
        }
    }
}

static void look_at_one(struct matcher *matcher, const struct rv_pattern_object *object) {
    struct rv_patterns *patterns = matcher->patterns;
    struct walk walk = {patterns, begin_of(patterns, object), 0};
    matcher->variables[0] = object->variable;
    matcher->variables[1] = 0;
    if (!object->shared || !object->written) return;
    if (matcher->work <= 0) {
        patterns->missed |= RV_MISSED_WORK;
        patterns->unlooked++;
        return;
    }
    if (!is_new(matcher, walk, matcher->variables)) return;
    collect(&projection, walk);
    patterns->missed |= projection.missed;
    fill_tables(&projection);
    matcher->work -= projection.length + (int64_t)projection.key_count * projection.key_count * 2;
    match_single(matcher, &projection);
}

/* ---- two objects ---- */

/* The number of the pattern with these steps, by
 *     bit 0..3  the steps write   4..6  steps 2, 3, 4 are to y   7  a b a b, else a b b a */
static uint8_t wide[256];
static bool wide_ready;

static void prepare_wide(void) {
    for (unsigned i = 1; i <= RV_PATTERNS; i++) {
        const struct rv_pattern *pattern = &rv_pattern_table[i];
        if (!rv_pattern_is_wide(i)) continue;
        unsigned shape = pattern->step[3].second ? 128 : 0;
        for (unsigned k = 0; k < RV_PATTERN_STEPS; k++) {
            shape |= (unsigned)pattern->step[k].write << k;
            if (k) shape |= (unsigned)pattern->step[k].other << (3 + k);
        }
        wide[shape] = (uint8_t)i;
    }
    wide_ready = true;
}

/* Two steps that follow each other, with where they do. */
struct link {
    uint16_t at;
    uint8_t one, two;
    uint8_t shape; /* their bits */
};
static struct link heads[RV_PATTERN_KEYS * RV_PATTERN_KEYS], tails[RV_PATTERN_KEYS * RV_PATTERN_KEYS];

/* Steps 1 and 2, where step 1 is to the object that `swapped` says. */
static uint32_t list_heads(const struct projection *p, bool swapped) {
    uint32_t count = 0;
    for (uint32_t one = 0; one < p->key_count; one++) {
        const struct key *first = &p->keys[one];
        if (first->other != swapped) continue;
        for (uint32_t two = 0; two < p->key_count; two++) {
            const struct key *second = &p->keys[two];
            if (p->next[one][two] == NEVER || second->thread == first->thread) continue;
            unsigned shape = (unsigned)first->write | (unsigned)second->write << 1 |
                             (unsigned)(second->other != swapped) << 4;
            heads[count++] = (struct link){p->next[one][two], (uint8_t)one, (uint8_t)two, (uint8_t)shape};
        }
    }
    return count;
}

static uint32_t list_tails(const struct projection *p, bool swapped) {
    uint32_t count = 0;
    for (uint32_t four = 0; four < p->key_count; four++) {
        const struct key *last = &p->keys[four];
        for (uint32_t three = 0; three < p->key_count; three++) {
            const struct key *third = &p->keys[three];
            if (p->before[four][three] == NEVER || third->thread == last->thread) continue;
            if (third->other == swapped && last->other == swapped) continue;
            unsigned shape = (unsigned)third->write << 2 | (unsigned)last->write << 3 |
                             (unsigned)(third->other != swapped) << 5 |
                             (unsigned)(last->other != swapped) << 6;
            tails[count++] =
                (struct link){p->before[four][three], (uint8_t)three, (uint8_t)four, (uint8_t)shape};
        }
    }
    return count;
}

static void match_double(struct matcher *matcher, const struct projection *p, bool swapped) {
    uint32_t head_count = list_heads(p, swapped), tail_count = list_tails(p, swapped);
    int64_t cost = (int64_t)head_count * tail_count / 2;
    if (cost > RV_PATTERN_WORK_MOST) {
        matcher->patterns->missed |= RV_MISSED_KEYS;
        return;
    }
    matcher->work -= cost;
    for (uint32_t i = 0; i < head_count; i++) {
        const struct link head = heads[i];
        const struct key *one = &p->keys[head.one], *two = &p->keys[head.two];
        for (uint32_t k = 0; k < tail_count; k++) {
            const struct link tail = tails[k];
            if (head.at >= tail.at) continue;
            const struct key *three = &p->keys[tail.one], *four = &p->keys[tail.two];
            bool alternating = three->thread == one->thread;
            if (alternating ? four->thread != two->thread
                            : three->thread != two->thread || four->thread != one->thread)
                continue;
            unsigned pattern = wide[head.shape | tail.shape | (alternating ? 128u : 0u)];
            if (pattern)
                emit(matcher, pattern, one->statement, two->statement, three->statement, four->statement);
        }
    }
}

static void look_at_two(struct matcher *matcher, const struct rv_pattern_object *one,
                        const struct rv_pattern_object *two) {
    struct rv_patterns *patterns = matcher->patterns;
    struct walk walk = {patterns, begin_of(patterns, one), begin_of(patterns, two)};
    uint32_t variables[2] = {one->variable, two->variable};
    if (matcher->work <= 0) {
        patterns->missed |= RV_MISSED_WORK;
        patterns->unlooked++;
        return;
    }
    if (!is_new(matcher, walk, variables)) return;
    collect(&projection, walk);
    patterns->missed |= projection.missed;
    fill_tables(&projection);
    matcher->work -= projection.length + (int64_t)projection.key_count * projection.key_count * 2;
    for (unsigned swapped = 0; swapped < 2; swapped++) {
        matcher->variables[0] = variables[swapped];
        matcher->variables[1] = variables[!swapped];
        match_double(matcher, &projection, swapped);
    }
}

/* ---- all of them ---- */

/* Objects that several threads touched, one of them writing. */
static uint32_t list_shared(const struct rv_patterns *patterns, uint16_t shared[RV_PATTERN_OBJECTS]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < patterns->object_count; i++)
        if (patterns->objects[i].shared && patterns->objects[i].written) shared[count++] = (uint16_t)i;
    return count;
}

static void look_at_all(struct matcher *matcher, uint64_t index) {
    static uint16_t shared[RV_PATTERN_OBJECTS];
    const struct rv_pattern_object *objects = matcher->patterns->objects;
    uint32_t count = list_shared(matcher->patterns, shared);
    rv_wanted_look(matcher->patterns, shared, count, index, matcher->emit, matcher->context);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t one = shared[(i + index) % count];
        if (!rv_wanted_took(matcher->patterns, one, one)) look_at_one(matcher, &objects[one]);
    }
    matcher->work -= matcher->patterns->debt;
    for (uint32_t i = 0; i < count; i++) {
        const struct rv_pattern_object *one = &objects[shared[(i + index) % count]];
        for (uint32_t k = 0; k < count; k++) {
            const struct rv_pattern_object *two = &objects[shared[k]];
            if (one >= two || one->variable == two->variable) continue;
            uint32_t a = (uint32_t)(one - objects), b = (uint32_t)(two - objects);
            bool took[2] = {rv_wanted_took(matcher->patterns, a, b), rv_wanted_took(matcher->patterns, b, a)};
            if (!took[0] || !took[1]) look_at_two(matcher, one, two);
        }
    }
}

void rv_patterns_end(struct rv_patterns *patterns, uint64_t index, rv_pattern_emit *emit_to, void *context) {
    if (!wide_ready) prepare_wide();
    if (patterns->event_count > RV_PATTERN_ACCESSES) patterns->event_count = RV_PATTERN_ACCESSES;
    if (patterns->object_count > RV_PATTERN_OBJECTS) patterns->object_count = RV_PATTERN_OBJECTS;
    struct matcher matcher = {.patterns = patterns,
                              .emit = emit_to,
                              .context = context,
                              .work =
                                  RV_PATTERN_WORK_LEAST + (int64_t)RV_PATTERN_WORK * patterns->event_count};
    int64_t credit = patterns->spent < RV_PATTERN_CREDIT ? RV_PATTERN_CREDIT - patterns->spent : 0;
    matcher.work += credit;
    look_at_all(&matcher, index);
    if (matcher.work < credit) patterns->spent += credit - (matcher.work > 0 ? matcher.work : 0);
    patterns->debt = matcher.work < 0 ? -matcher.work : 0;
}
