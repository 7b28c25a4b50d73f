#include "supervisor/pool.h"

#include <stdlib.h>

#include "report/text.h"
#include "strategy/part.h"
#include "supervisor/util.h"

static void free_part(struct rv_pool_part *part) {
    for (size_t i = 0; i < part->result_count; i++) free(part->results[i].data.bytes);
    free(part->results);
    free(part->data.bytes);
}

void rv_pool_free(struct rv_pool *pool) {
    for (size_t i = 0; i < pool->count; i++) free_part(&pool->parts[i]);
    free(pool->parts);
    *pool = (struct rv_pool){0};
}

static struct rv_pool_part *add(struct rv_pool *pool) {
    pool->parts = rv_text_realloc(pool->parts, pool->count + 1, sizeof *pool->parts);
    struct rv_pool_part *part = &pool->parts[pool->count++];
    *part = (struct rv_pool_part){.number = ++pool->numbers};
    return part;
}

static void drop(struct rv_pool *pool, struct rv_pool_part *part) {
    uint64_t number = part->number;
    free_part(part);
    *part = pool->parts[--pool->count];
    for (size_t i = 0; i < pool->count; i++)
        if (pool->parts[i].parent == number) pool->parts[i].parent = 0;
}

static struct rv_pool_part *numbered(struct rv_pool *pool, uint64_t number) {
    for (size_t i = 0; number && i < pool->count; i++)
        if (pool->parts[i].number == number) return &pool->parts[i];
    return NULL;
}

struct rv_pool_part *rv_pool_of(struct rv_pool *pool, unsigned worker) {
    for (size_t i = 0; i < pool->count; i++)
        if (pool->parts[i].state == RV_POOL_RUNNING && pool->parts[i].worker == worker)
            return &pool->parts[i];
    return NULL;
}

static bool header_of(const void *data, size_t size, struct rv_part *header) {
    struct rv_part_reader reader;
    return size && rv_part_open(&reader, data, size, header);
}

static struct rv_pool_data copy(const void *data, size_t size) {
    return (struct rv_pool_data){.bytes = rv_copy(data, size), .size = size};
}

void rv_pool_plant(struct rv_pool *pool) {
    pool->ever |= pool->flags & RV_PART_NONDETERMINISTIC;
    if ((pool->flags & RV_PART_MISMATCH) && !(pool->flags & RV_PART_LEARNED))
        pool->ever |= RV_PART_NONDETERMINISTIC;
    pool->flags = 0;
    pool->tree++;
    add(pool)->left = 1;
}

/* Whether all that the part waits for is back. */
static bool all_back(const struct rv_pool *pool, const struct rv_pool_part *part) {
    for (size_t i = 0; i < pool->count; i++)
        if (pool->parts[i].parent == part->number && pool->parts[i].level == part->at) return false;
    return true;
}

void rv_pool_settle(struct rv_pool *pool) {
    for (size_t i = 0; i < pool->count; i++)
        if (pool->parts[i].state == RV_POOL_WAITING && all_back(pool, &pool->parts[i]))
            pool->parts[i].state = RV_POOL_READY;
}

bool rv_pool_is_ready(const struct rv_pool *pool) {
    for (size_t i = 0; i < pool->count; i++)
        if (pool->parts[i].state == RV_POOL_READY) return true;
    return false;
}

struct rv_pool_part *rv_pool_next(struct rv_pool *pool, unsigned worker) {
    for (size_t i = 0; i < pool->count; i++) {
        if (pool->parts[i].state != RV_POOL_READY) continue;
        pool->parts[i].state = RV_POOL_RUNNING;
        pool->parts[i].worker = worker;
        return &pool->parts[i];
    }
    return NULL;
}

struct rv_pool_data rv_pool_deliver(struct rv_pool_part *part) {
    struct rv_pool_data all = part->data;
    size_t kept = 0;
    part->data = (struct rv_pool_data){0};
    for (size_t i = 0; i < part->result_count; i++) {
        struct rv_pool_result *result = &part->results[i];
        if (result->level != part->at) {
            part->results[kept++] = *result;
            continue;
        }
        all.bytes = rv_text_realloc(all.bytes, all.size + result->data.size, 1);
        memcpy(all.bytes + all.size, result->data.bytes, result->data.size);
        all.size += result->data.size;
        free(result->data.bytes);
    }
    part->result_count = kept;
    return all;
}

void rv_pool_split(struct rv_pool *pool, unsigned worker, const void *data, size_t size) {
    struct rv_part header;
    struct rv_pool_part *parent = rv_pool_of(pool, worker);
    if (!header_of(data, size, &header) || header.kind != RV_PART_STACK || !parent) {
        pool->flags |= RV_PART_CUT;
        return;
    }
    uint64_t number = parent->number;
    struct rv_pool_part *part = add(pool);
    part->parent = number;
    part->level = header.level;
    part->left = header.left;
    part->data = copy(data, size);
}

static void deliver_to_parent(struct rv_pool *pool, const struct rv_pool_part *part, const void *data,
                              size_t size) {
    struct rv_pool_part *parent = numbered(pool, part->parent);
    if (!parent) return;
    parent->results = rv_text_realloc(parent->results, parent->result_count + 1, sizeof *parent->results);
    parent->results[parent->result_count++] =
        (struct rv_pool_result){.level = part->level, .data = copy(data, size)};
}

void rv_pool_hand_in(struct rv_pool *pool, unsigned worker, const void *data, size_t size) {
    struct rv_part header;
    struct rv_pool_part *part = rv_pool_of(pool, worker);
    if (!part) return;
    bool good = header_of(data, size, &header) && header.kind != RV_PART_STACK;
    pool->flags |= good ? header.flags : RV_PART_CUT;
    if (good && header.kind == RV_PART_WAITS) {
        part->state = RV_POOL_WAITING;
        part->at = header.level;
        part->left = header.left;
        part->data = copy(data, size);
    } else {
        if (good) deliver_to_parent(pool, part, data, size);
        drop(pool, part);
    }
    rv_pool_settle(pool);
}

void rv_pool_put_back(struct rv_pool *pool, unsigned worker, const void *data, size_t size) {
    struct rv_part header;
    struct rv_pool_part *part = rv_pool_of(pool, worker);
    if (!part) return;
    if (!header_of(data, size, &header) || header.kind != RV_PART_STACK) {
        rv_pool_hand_in(pool, worker, NULL, 0);
        return;
    }
    pool->flags |= header.flags;
    free(part->data.bytes);
    part->data = copy(data, size);
    part->left = header.left;
    part->state = RV_POOL_READY;
}

void rv_pool_lose(struct rv_pool *pool, unsigned worker) {
    struct rv_pool_part *part = rv_pool_of(pool, worker);
    if (part) rv_pool_hand_in(pool, worker, NULL, 0);
}

double rv_pool_left(const struct rv_pool *pool) {
    double left = 0;
    for (size_t i = 0; i < pool->count; i++) {
        const struct rv_pool_part *part = &pool->parts[i];
        if (part->state != RV_POOL_RUNNING && part->left > 0 && part->left <= 1) left += part->left;
    }
    return left < 1 ? left : 1;
}

uint32_t rv_pool_judge(struct rv_pool *pool, unsigned worker) {
    uint32_t flags = pool->flags | pool->ever;
    rv_pool_plant(pool);
    (void)rv_pool_next(pool, worker);
    return flags;
}
