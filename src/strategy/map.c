#include "strategy/map.h"

#include "strategy/rules.h"

enum {
    USES_MAX = 1 << 13,
    INSTANCES_MAX = 1 << 18,
    DRAWS = 16,  /* before an execution goes without a target */
    SINGLES = 8, /* patterns of one variable */
    EXTRA = 2 * SINGLES,
    TRIES = 6, /* for each target */
    SKIPS = 4, /* first steps that a later try passes over, at most */
};
#define LATE_ODDS RV_TIMEOUT_ODDS

/* A use of an object, as known from earlier executions. */
struct use {
    uint64_t object, site;
};

/* By hash of the instance. */
struct known {
    bool covered;
    uint8_t tries;
};

/* Addresses and sites in this execution. */
struct object {
    uint32_t generation, number;
};

struct map {
    struct rv_arena *arena;
    struct rv_rng rng;
    uint64_t seed;
    struct rv_map_target fixed; /* from the parameter */
    struct rv_map_target target;
    struct rv_map_match match;
    bool covered; /* fixed was */
    uint32_t generation;
    uint32_t occasions, most_occasions; /* to do the first step: in this execution, in one */
    uint32_t skip;                      /* first steps not to be taken for that */
    uint64_t switch_odds;               /* of the walk */

    struct rv_index statements; /* by site */
    struct rv_index shared;     /* by address: objects that several threads have used */
    struct rv_index objects;    /* by address */
    struct rv_index uses[2];    /* reads, writes; items: struct use */
    struct rv_index instances;  /* items: struct known */
    struct rv_patterns *patterns;
    uint64_t addresses[RV_PATTERN_OBJECTS]; /* by object of this execution */
};

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static const char *map_check(const char *params) {
    struct rv_map_target target;
    if (rv_map_parse(params, &target)) return NULL;
    return "nothing, or P,S1,S2[,S3[,S4]]: a pattern's number and the code locations of its steps, in hexadecimal";
}

static void *map_create(struct rv_arena *arena, const struct rv_strategy_config *config) {
    struct map *map = rv_arena_alloc(arena, sizeof *map);
    if (!map) return NULL;
    map->patterns = rv_arena_alloc(arena, sizeof *map->patterns);
    if (!map->patterns) return NULL;
    map->arena = arena;
    map->seed = config->seed;
    (void)rv_map_parse(config->params, &map->fixed);
    return map;
}

/* ---- the target ---- */

static struct known *known_of(struct map *map, uint64_t hash) {
    uint32_t number = rv_index_add(&map->instances, map->arena, hash, sizeof(struct known), INSTANCES_MAX);
    return number == RV_NO_NUMBER ? NULL : (struct known *)map->instances.items + number;
}

static uint64_t hash_of(uint32_t pattern, const uint64_t objects[2], const uint64_t *sites) {
    uint64_t hash = mix(mix(pattern, objects[0]), rv_pattern_is_wide(pattern) ? objects[1] : 0);
    for (unsigned i = 0; i < rv_pattern_table[pattern].steps; i++) hash = mix(hash, sites[i]);
    return hash;
}

/* Each with the same chance, however many statements use it. */
static uint64_t any_object(struct map *map) {
    if (!map->shared.count) return 0;
    return ((const uint64_t *)map->shared.items)[rv_rng_below(&map->rng, map->shared.count)];
}

/* A statement that uses this object in this way; NULL: not met in some draws. */
static const struct use *any_use_of(struct map *map, bool write, uint64_t object) {
    const struct rv_index *uses = &map->uses[write];
    for (unsigned i = 0; uses->count && i < 8 * DRAWS; i++) {
        const struct use *use = (const struct use *)uses->items + rv_rng_below(&map->rng, uses->count);
        if (use->object == object) return use;
    }
    return NULL;
}

/* A pattern, and objects for it. */
static bool draw_pattern(struct map *map, struct rv_map_target *target) {
    uint64_t which = rv_rng_below(&map->rng, RV_PATTERNS + EXTRA); /* those of one variable are more likely */
    *target = (struct rv_map_target){
        .pattern = (uint32_t)(which < RV_PATTERNS ? which : (which - RV_PATTERNS) % SINGLES) + 1};
    target->objects[0] = any_object(map);
    if (rv_pattern_is_wide(target->pattern)) target->objects[1] = any_object(map);
    return target->objects[0] && target->objects[0] != target->objects[1];
}

static bool draw_sites(struct map *map, struct rv_map_target *target) {
    const struct rv_pattern *pattern = &rv_pattern_table[target->pattern];
    for (unsigned i = 0; i < pattern->steps; i++) {
        const struct rv_pattern_step *step = &pattern->step[i];
        const struct use *use = any_use_of(map, step->write, target->objects[step->other]);
        if (!use) return false;
        target->sites[i] = use->site;
    }
    return true;
}

/* Later tries may pass over some occasions to begin, if there was more than one in some execution. */
static uint32_t occasions_to_skip(struct map *map) {
    uint64_t most = map->most_occasions < SKIPS ? map->most_occasions : SKIPS;
    return most > 1 && rv_rng_below(&map->rng, 2) ? (uint32_t)rv_rng_below(&map->rng, most) : 0;
}

/* Of the first few patterns and objects one that was never tried, if there is one: those with many statements shall not keep
 * the others from their turn. */
static void choose_target(struct map *map) {
    map->target = (struct rv_map_target){0};
    for (unsigned i = 0; i < DRAWS; i++) {
        struct rv_map_target target;
        if (!draw_pattern(map, &target)) continue;
        for (unsigned k = 0; k < DRAWS && draw_sites(map, &target); k++) {
            struct known *known = known_of(map, hash_of(target.pattern, target.objects, target.sites));
            if (!known || known->covered || known->tries >= (i < DRAWS / 2 ? 1 : TRIES)) continue;
            map->skip = known->tries ? occasions_to_skip(map) : 0;
            known->tries++;
            map->target = target;
            return;
        }
    }
}

static void map_begin(void *opaque, uint64_t index) {
    struct map *map = opaque;
    map->rng = rv_rng_stream(map->seed, index);
    map->switch_odds = UINT64_MAX >> (2 * rv_rng_below(&map->rng, 3));
    map->skip = 0;
    if (!map->fixed.pattern) {
        choose_target(map);
    } else {
        map->target = map->fixed;
        map->skip = map->generation ? occasions_to_skip(map) : 0;
    }
    map->generation++;
    map->occasions = 0;
    rv_map_match_begin(&map->match, &map->target);
    rv_patterns_begin(map->patterns);
}

/* ---- who goes on ---- */

enum rank { HELD, SPINNING, LATE, FREE, RANKS };

static bool is_next(const struct map *map, const struct rv_candidate *candidate) {
    return !candidate->timeout && !map->skip &&
           rv_map_fits(&map->target, &map->match, map->match.done, candidate->thread, &candidate->next);
}

/* It would do a later step of the target now. */
static bool is_early(const struct map *map, const struct rv_candidate *candidate) {
    for (unsigned i = map->match.done; i < rv_pattern_table[map->target.pattern].steps; i++)
        if (rv_map_fits(&map->target, &map->match, i, candidate->thread, &candidate->next))
            return i > map->match.done || !map->skip;
    return false;
}

static enum rank rank_of(const struct map *map, const struct rv_point *point, uint32_t index) {
    const struct rv_candidate *candidate = &point->candidates[index];
    if (!candidate->timeout && is_early(map, candidate)) return HELD;
    if (candidate->spinning) return SPINNING;
    return rv_ordinary(point, index) && !rv_ends_execution(&candidate->next) ? FREE : LATE;
}

static uint32_t any_of(struct map *map, const struct rv_point *point, uint32_t count, enum rank rank) {
    uint64_t n = rv_rng_below(&map->rng, count);
    uint32_t i = 0;
    while (rank_of(map, point, i) != rank || n--) i++;
    return i;
}

static uint32_t map_pick(void *opaque, const struct rv_point *point) {
    struct map *map = opaque;
    uint32_t count[RANKS] = {0};
    for (uint32_t i = 0; i < point->count; i++) {
        if (is_next(map, &point->candidates[i])) return i;
        count[rank_of(map, point, i)]++;
    }
    bool current = point->current_index >= 0 && rank_of(map, point, (uint32_t)point->current_index) == FREE;
    if (current && !rv_chance(&map->rng, map->switch_odds)) return (uint32_t)point->current_index;
    enum rank rank = FREE;
    if (!count[FREE] || (count[LATE] && rv_chance(&map->rng, LATE_ODDS))) rank = LATE;
    /* Those that only wait may wait for one that is held. */
    if (rank == LATE && (!count[LATE] || (count[HELD] && rv_rng_below(&map->rng, 2))))
        rank = count[HELD] ? HELD : count[SPINNING] ? SPINNING : LATE;
    return any_of(map, point, count[rank], rank);
}

static uint32_t map_choose(void *opaque, uint32_t n) {
    struct map *map = opaque;
    return rv_sample_choose(&map->rng, n);
}

/* ---- what was done ---- */

/* The object's number in this execution; UINT32_MAX: too many. */
static uint32_t object_of(struct map *map, uint64_t address) {
    uint32_t number = rv_index_add(&map->objects, map->arena, address, sizeof(struct object), 1 << 16);
    if (number == RV_NO_NUMBER) return UINT32_MAX;
    struct object *object = (struct object *)map->objects.items + number;
    if (object->generation == map->generation) return object->number;
    *object = (struct object){map->generation, rv_patterns_object(map->patterns, number)};
    if (object->number != UINT32_MAX) map->addresses[object->number] = address;
    return object->number;
}

static void note(struct map *map, uint32_t thread, const struct rv_operation *done, bool write) {
    uint32_t object = object_of(map, done->object);
    uint32_t statement = rv_index_add(&map->statements, map->arena, done->site, sizeof(uint64_t), 1 << 17);
    if (object == UINT32_MAX || statement == RV_NO_NUMBER) return;
    ((uint64_t *)map->statements.items)[statement] = done->site;
    rv_patterns_access(map->patterns, object, thread, statement, write);
}

static void map_observe(void *opaque, uint32_t thread, const struct rv_operation *done) {
    struct map *map = opaque;
    if (!(done->flags & RV_OPF_MEMORY) || !done->object || !done->site) return;
    bool begins = !map->match.done && rv_map_fits(&map->target, &map->match, 0, thread, done);
    map->occasions += begins;
    if (map->occasions > map->most_occasions) map->most_occasions = map->occasions;
    if (begins && map->skip)
        map->skip--;
    else
        rv_map_match_done(&map->target, &map->match, thread, done);
    bool updates = done->op == RV_OP_ATOMIC_RMW || done->op == RV_OP_ATOMIC_CAS;
    bool writes = (done->flags & RV_OPF_WRITE) && !done->unchanged;
    if (updates || !writes) note(map, thread, done, false);
    if (writes) note(map, thread, done, true);
}

static void cover(void *opaque, const struct rv_instance *instance) {
    struct map *map = opaque;
    uint64_t objects[2] = {0}, sites[RV_PATTERN_STEPS] = {0};
    const uint64_t *numbers = map->statements.items;
    for (unsigned i = 0; i < rv_pattern_table[instance->pattern].steps; i++)
        sites[i] = numbers[instance->statements[i]];
    /* Variables are numbers of addresses here. */
    for (unsigned i = 0; i < 2; i++)
        for (uint32_t k = 0; k < map->patterns->object_count; k++)
            if (map->patterns->objects[k].variable == instance->variables[i]) {
                objects[i] = map->addresses[k];
                break;
            }
    struct known *known = known_of(map, hash_of(instance->pattern, objects, sites));
    if (known) known->covered = true;
}

/* What was used by several threads can be aimed at. */
static void learn(struct map *map) {
    const struct rv_patterns *patterns = map->patterns;
    for (uint32_t i = 0; i < patterns->event_count; i++) {
        const struct rv_pattern_event *event = &patterns->events[i];
        const struct rv_pattern_object *object = &patterns->objects[event->object];
        if (!object->shared || !object->written) continue;
        struct use use = {map->addresses[event->object],
                          ((const uint64_t *)map->statements.items)[event->statement >> 1]};
        struct rv_index *uses = &map->uses[event->statement & 1];
        uint32_t known = rv_index_add(&map->shared, map->arena, use.object, sizeof use.object, USES_MAX);
        if (known != RV_NO_NUMBER) ((uint64_t *)map->shared.items)[known] = use.object;
        uint32_t number = rv_index_add(uses, map->arena, mix(use.object, use.site), sizeof use, USES_MAX);
        if (number != RV_NO_NUMBER) ((struct use *)uses->items)[number] = use;
    }
}

static bool map_end(void *opaque, const struct rv_strategy_end *outcome) {
    struct map *map = opaque;
    (void)outcome;
    if (map->fixed.pattern) {
        map->covered |= map->match.done == rv_pattern_table[map->fixed.pattern].steps;
        return !map->covered;
    }
    rv_patterns_end(map->patterns, map->generation, cover, map);
    learn(map);
    return true;
}

const struct rv_strategy rv_strategy_map = {
    .name = "map",
    .parameter = "[:P,S1,S2...]",
    .guarantee = "steers to memory-access patterns that no execution has covered (see ravel cover)",
    .sees_spinning = true,
    .check = map_check,
    .create = map_create,
    .begin = map_begin,
    .pick = map_pick,
    .choose = map_choose,
    .observe = map_observe,
    .end = map_end,
};
