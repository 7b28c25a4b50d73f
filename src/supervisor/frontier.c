#include "supervisor/frontier.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"
#include "store/store.h"
#include "strategy/part.h"
#include "strategy/strategy.h"

enum { FRONTIER = 0x46726f6e };

/* ---- the data ---- */

static void put_data(struct rv_part_writer *to, const struct rv_pool_data *data) {
    rv_part_put64(to, data->size);
    rv_part_put(to, data->bytes, data->size);
}

static void put_part(struct rv_part_writer *to, const struct rv_pool_part *part) {
    rv_part_put64(to, part->number);
    rv_part_put64(to, part->parent);
    rv_part_put32(to, part->level);
    rv_part_put32(to, part->at);
    rv_part_put8(to, part->state == RV_POOL_WAITING);
    rv_part_put(to, &part->left, sizeof part->left);
    put_data(to, &part->data);
    rv_part_put32(to, (uint32_t)part->result_count);
    for (size_t i = 0; i < part->result_count; i++) {
        rv_part_put32(to, part->results[i].level);
        put_data(to, &part->results[i].data);
    }
}

static size_t put_all(const struct rv_frontier *from, void *buffer, size_t room) {
    struct rv_part_writer to;
    struct rv_part header = {.kind = RV_PART_STACK, .strategy = FRONTIER};
    rv_part_begin(&to, buffer, room, &header);
    rv_part_put64(&to, from->executions);
    rv_part_put32(&to, from->pool.tree);
    rv_part_put32(&to, from->pool.flags);
    rv_part_put32(&to, from->pool.ever);
    rv_part_put32(&to, from->module_count);
    for (uint32_t i = 0; i < from->module_count; i++) {
        rv_part_put(&to, from->paths[i], sizeof from->paths[i]);
        rv_part_put64(&to, from->places.bases[i]);
    }
    rv_part_put64(&to, from->places.main_stack);
    rv_part_put32(&to, (uint32_t)from->site_count);
    for (size_t i = 0; i < from->site_count; i++) {
        rv_part_put64(&to, from->sites[i].code);
        rv_part_put32(&to, from->sites[i].flags);
    }
    rv_part_put(&to, from->escaped, sizeof from->escaped);
    rv_part_put32(&to, (uint32_t)from->pool.count);
    for (size_t i = 0; i < from->pool.count; i++) put_part(&to, &from->pool.parts[i]);
    return rv_part_end(&to);
}

void *rv_frontier_write(const struct rv_frontier *frontier, size_t *size) {
    *size = put_all(frontier, NULL, 0);
    void *data = rv_allocate(*size);
    put_all(frontier, data, *size);
    return data;
}

static struct rv_pool_data get_data(struct rv_part_reader *from) {
    struct rv_pool_data data = {.size = rv_part_get64(from)};
    if (data.size > from->size - from->at) from->bad = true;
    if (from->bad) return (struct rv_pool_data){0};
    data.bytes = rv_allocate(data.size);
    rv_part_get(from, data.bytes, data.size);
    return data;
}

static void get_part(struct rv_part_reader *from, struct rv_pool *pool) {
    pool->parts = rv_text_realloc(pool->parts, pool->count + 1, sizeof *pool->parts);
    struct rv_pool_part *part = &pool->parts[pool->count++];
    *part = (struct rv_pool_part){.number = rv_part_get64(from)};
    part->parent = rv_part_get64(from);
    part->level = rv_part_get32(from);
    part->at = rv_part_get32(from);
    part->state = rv_part_get8(from) ? RV_POOL_WAITING : RV_POOL_READY;
    rv_part_get(from, &part->left, sizeof part->left);
    part->data = get_data(from);
    if (part->number > pool->numbers) pool->numbers = part->number;
    uint32_t count = rv_part_get32(from);
    for (uint32_t i = 0; i < count && !from->bad; i++) {
        part->results = rv_text_realloc(part->results, i + 1u, sizeof *part->results);
        part->results[i].level = rv_part_get32(from);
        part->results[i].data = get_data(from);
        part->result_count = i + 1u;
    }
}

static void get_knowledge(struct rv_part_reader *from, struct rv_frontier *to) {
    to->module_count = to->places.count = rv_part_get_most(from, RV_MAX_MODULES);
    for (uint32_t i = 0; i < to->module_count; i++) {
        rv_part_get(from, to->paths[i], sizeof to->paths[i]);
        to->paths[i][sizeof to->paths[i] - 1] = 0;
        to->places.bases[i] = rv_part_get64(from);
    }
    to->places.main_stack = rv_part_get64(from);
    to->site_count = rv_part_get_most(from, RV_MAX_SITES);
    if (to->site_count > (from->size - from->at) / 12) to->site_count = 0, from->bad = true;
    to->sites = rv_allocate(to->site_count * sizeof *to->sites);
    for (size_t i = 0; i < to->site_count; i++) {
        to->sites[i].code = rv_part_get64(from);
        to->sites[i].flags = rv_part_get32(from) & (RV_SITE_CONFLICT | RV_SITE_ALWAYS);
    }
    rv_part_get(from, to->escaped, sizeof to->escaped);
}

void rv_frontier_clear(struct rv_frontier *frontier) {
    rv_pool_free(&frontier->pool);
    free(frontier->sites);
    frontier->sites = NULL;
    frontier->site_count = 0;
    frontier->module_count = 0;
}

bool rv_frontier_read(struct rv_frontier *frontier, const void *data, size_t size) {
    struct rv_part_reader from;
    struct rv_part header;
    bool good = size && rv_part_open(&from, data, size, &header) && header.strategy == FRONTIER;
    if (!good) return false;
    frontier->executions = rv_part_get64(&from);
    frontier->pool.tree = rv_part_get32(&from);
    frontier->pool.flags = rv_part_get32(&from);
    frontier->pool.ever = rv_part_get32(&from);
    get_knowledge(&from, frontier);
    uint32_t count = rv_part_get32(&from);
    for (uint32_t i = 0; i < count && !from.bad; i++) get_part(&from, &frontier->pool);
    rv_pool_settle(&frontier->pool);
    if (rv_part_done(&from) && count && rv_pool_is_ready(&frontier->pool)) return true;
    rv_frontier_clear(frontier);
    return false;
}

/* ---- opening ---- */

static uint64_t hash_of(char *const *texts) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *texts; texts++)
        for (const char *at = *texts;; at++) {
            hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
            if (!*at) break;
        }
    return hash;
}

/* Everything that two searches of one build may differ in. */
static char *frontier_name(const struct rv_program *program, const struct rv_config *config) {
    return rv_text_format(
        "%s timing=%u spurious=%u max-steps=%llu expect-exit=%d memory=%llu fork=%u args=%016llx",
        config->strategy, config->timing, config->spurious, (unsigned long long)config->max_steps,
        config->expect_exit, (unsigned long long)config->memory_limit, config->isolation == RV_ISOLATION_FORK,
        (unsigned long long)hash_of(program->argv + 1));
}

static char *why_nothing(struct rv_store *store, const struct rv_frontier *frontier) {
    char *error = NULL;
    char **names = rv_store_names(store, RV_FRONTIER_KIND, frontier->key, &error);
    bool others = false;
    for (char **name = names; name && *name; name++) {
        struct rv_blob blob = {0};
        if (rv_store_get(store, RV_FRONTIER_KIND, frontier->key, *name, &blob, &error))
            others |= blob.size > 0;
        free(blob.data);
    }
    rv_store_names_free(names);
    free(error);
    if (others)
        return rv_text_format("--resume: the search of %s that was interrupted had other arguments, another "
                              "strategy or other options",
                              frontier->program->name);
    return rv_text_format("--resume: no search of this build of %s was interrupted", frontier->program->name);
}

static bool load(struct rv_frontier *frontier, bool resume, char **error) {
    struct rv_blob blob = {0};
    struct rv_store *store = rv_store_open(frontier->store, RV_STORE_READ, error);
    bool good = store && rv_store_get(store, RV_FRONTIER_KIND, frontier->key, frontier->name, &blob, error);
    frontier->stored = blob.size > 0;
    if (good && resume) {
        frontier->resuming = frontier->stored && rv_frontier_read(frontier, blob.data, blob.size);
        if (!frontier->stored)
            *error = why_nothing(store, frontier);
        else if (!frontier->resuming)
            *error = rv_text_format("--resume: %s: what was saved of the search is damaged", frontier->store);
        good = frontier->resuming;
    }
    free(blob.data);
    rv_store_close(store);
    return good;
}

bool rv_frontier_open(struct rv_frontier **frontier, const struct rv_program *program,
                      const struct rv_config *config, const char *store, bool resume, char **error) {
    const char *params;
    const struct rv_strategy *strategy = rv_strategy_find(config->strategy, &params);
    *frontier = NULL;
    bool can = strategy && strategy->division && (config->workers == 1 || strategy->division->split);
    if (!can && resume) {
        *error = strategy && strategy->division
                     ? rv_text_format("--resume: %s is carried on by one worker only (without --jobs)",
                                      strategy->name)
                     : rv_text_format(
                           "--resume: a search by %s cannot be carried on (dpor, dfs, pcb and delay can)",
                           strategy ? strategy->name : config->strategy);
        return false;
    }
    if (!can) return true;
    struct rv_frontier *made = rv_allocate(sizeof *made);
    made->program = program;
    made->store = rv_text_copy(store);
    made->name = frontier_name(program, config);
    rv_key_of_file(program->path, made->key);
    *frontier = made;
    if (load(made, resume, error)) return true;
    if (resume) return false;
    free(*error); /* it will be told when something is to be saved */
    *error = NULL;
    return true;
}

void rv_frontier_close(struct rv_frontier *frontier) {
    if (!frontier) return;
    rv_frontier_clear(frontier);
    free(frontier->store);
    free(frontier->name);
    free(frontier);
}

/* ---- in and out of a campaign ---- */

static void give_knowledge(const struct rv_frontier *frontier, struct rv_area *area) {
    area->module_count = frontier->module_count;
    for (uint32_t i = 0; i < frontier->module_count; i++)
        memcpy(area->modules[i].path, frontier->paths[i], sizeof area->modules[i].path);
    for (size_t i = 0; i < frontier->site_count; i++) {
        struct rv_site *site = rv_site_place(area->sites, frontier->sites[i].code);
        if (!site) site = &area->sites[RV_MAX_SITES - 1];
        site->code = frontier->sites[i].code;
        site->flags |= frontier->sites[i].flags;
    }
    memcpy(area->escaped, frontier->escaped, sizeof area->escaped);
}

void rv_frontier_give(struct rv_frontier *frontier, struct rv_explorer *explorer) {
    struct rv_shared *shared = explorer->channel.shared;
    for (unsigned i = 0; i < explorer->count; i++) give_knowledge(frontier, rv_area_of(shared, i));
    explorer->places = frontier->places;
    if (shared->config.divided) {
        rv_pool_free(&explorer->pool);
        explorer->pool = frontier->pool;
        frontier->pool = (struct rv_pool){0};
        return;
    }
    struct rv_exchange *x = &rv_area_of(shared, 0)->exchange;
    struct rv_pool_data data = rv_pool_deliver(&frontier->pool.parts[0]);
    x->in.size = data.size < sizeof x->in_data ? data.size : 0;
    if (x->in.size) memcpy(x->in_data, data.bytes, data.size);
    x->in.full = 1;
    free(data.bytes);
}

static void add_sites(struct rv_frontier *frontier, const struct rv_area *area) {
    for (uint32_t i = 0; i < RV_MAX_SITES; i++) {
        struct rv_site site = area->sites[i];
        if (!site.code || !(site.flags & RV_SITE_CONFLICT)) continue;
        frontier->sites = rv_text_realloc(frontier->sites, frontier->site_count + 1, sizeof site);
        frontier->sites[frontier->site_count++] = site;
    }
    for (uint32_t i = 0; i < sizeof area->escaped; i++) frontier->escaped[i] |= area->escaped[i];
}

static bool same_modules(const struct rv_area *a, const struct rv_area *b) {
    if (a->module_count != b->module_count || a->module_count > RV_MAX_MODULES) return false;
    for (uint32_t i = 0; i < a->module_count; i++)
        if (memcmp(a->modules[i].path, b->modules[i].path, sizeof a->modules[i].path) != 0) return false;
    return true;
}

/* Of workers that number their modules as the first one does: of the others nothing is known, then. */
static void take_knowledge(struct rv_frontier *frontier, const struct rv_explorer *explorer) {
    const struct rv_area *first = rv_area_of(explorer->channel.shared, 0);
    frontier->module_count = first->module_count < RV_MAX_MODULES ? first->module_count : RV_MAX_MODULES;
    frontier->places.count = frontier->module_count;
    frontier->places.main_stack = first->exchange.main_stack;
    for (uint32_t i = 0; i < frontier->module_count; i++) {
        memcpy(frontier->paths[i], first->modules[i].path, sizeof frontier->paths[i]);
        frontier->places.bases[i] = first->modules[i].base;
    }
    for (unsigned i = 0; i < explorer->count; i++) {
        const struct rv_area *area = rv_area_of(explorer->channel.shared, i);
        if (i == 0 || same_modules(area, first)) add_sites(frontier, area);
    }
}

/* The parts that are left, if all of them are known. */
static bool take_parts(struct rv_frontier *frontier, struct rv_explorer *explorer) {
    struct rv_pool *pool = &explorer->pool;
    if (!explorer->channel.shared->config.divided) {
        rv_pool_plant(pool);
        (void)rv_pool_next(pool, 0);
    }
    for (unsigned i = 0; i < explorer->count; i++) {
        const struct rv_seat *seat = &explorer->seats[i];
        if (seat->saved.size) rv_pool_put_back(pool, i, seat->saved.bytes, seat->saved.size);
    }
    for (size_t i = 0; i < pool->count; i++)
        if (pool->parts[i].state == RV_POOL_RUNNING) return false;
    rv_pool_settle(pool);
    if (!rv_pool_is_ready(pool)) return false;
    frontier->pool = *pool;
    *pool = (struct rv_pool){0};
    return true;
}

static bool store_as(struct rv_frontier *frontier, const void *data, size_t size, char **error) {
    struct rv_store *store = rv_store_open(frontier->store, RV_STORE_WRITE, error);
    bool good = store && rv_store_begin(store, error) &&
                rv_store_put(store, RV_FRONTIER_KIND, frontier->key, frontier->name, data, size, error) &&
                rv_store_commit(store, error);
    rv_store_close(store);
    frontier->stored = good ? size > 0 : frontier->stored;
    return good;
}

bool rv_frontier_save(struct rv_frontier *frontier, struct rv_explorer *explorer,
                      const struct rv_totals *totals, char **error) {
    uint64_t executions = frontier->executions + totals->executions;
    rv_frontier_clear(frontier);
    memset(frontier->escaped, 0, sizeof frontier->escaped);
    if (!take_parts(frontier,
                    explorer)) /* the end of the search, or of a worker that could not say what it had left */
        return !frontier->stored || store_as(frontier, NULL, 0, error);
    frontier->executions = executions;
    take_knowledge(frontier, explorer);
    size_t size;
    void *data = rv_frontier_write(frontier, &size);
    bool good = store_as(frontier, data, size, error);
    free(data);
    return good;
}
