#include "plan/index.h"

#include <string.h>

static uint32_t bucket_of(enum rv_plan_what what, const char *name) {
    uint32_t hash = 2166136261u ^ (uint32_t)what;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
    return (hash ^ hash >> 15) % RV_PLAN_BUCKETS;
}

static uint32_t source_of(struct rv_plan_index *index, const struct rv_plan_atom *atom) {
    uint32_t *bucket = &index->buckets[bucket_of(atom->what, atom->name)], *link = bucket;
    for (; *link != RV_PLAN_NONE; link = &index->sources[*link].next) {
        const struct rv_plan_source *source = &index->sources[*link];
        if (source->what == atom->what && source->name == atom->name && source->thread == atom->thread)
            return *link;
    }
    *link = index->source_count;
    index->sources[index->source_count] = (struct rv_plan_source){.what = atom->what,
                                                                  .name = atom->name,
                                                                  .thread = atom->thread,
                                                                  .next = RV_PLAN_NONE,
                                                                  .first_atom = RV_PLAN_NONE,
                                                                  .first_ordering = RV_PLAN_NONE};
    return index->source_count++;
}

static void add_thread(struct rv_plan_index *index, const char *name) {
    for (uint32_t i = 0; name && i < index->thread_count; i++)
        if (index->threads[i] == name) name = NULL;
    if (name) index->threads[index->thread_count++] = name;
}

static void fill(struct rv_plan_index *index, const struct rv_plan *plan) {
    for (uint32_t i = 0; i < RV_PLAN_BUCKETS; i++) index->buckets[i] = RV_PLAN_NONE;
    for (uint32_t atom = 0; atom < plan->atom_count; atom++) {
        uint32_t source = source_of(index, &plan->atoms[atom]);
        index->source_of[atom] = source;
        index->next_atom[atom] = index->sources[source].first_atom;
        index->sources[source].first_atom = atom;
        add_thread(index, plan->atoms[atom].thread);
    }
    for (uint32_t i = plan->ordering_count; i-- > 0;) {
        struct rv_plan_source *source = &index->sources[index->source_of[plan->orderings[i].target]];
        index->next_ordering[i] = source->first_ordering;
        source->first_ordering = i;
    }
    for (uint32_t i = 0; i < plan->node_count; i++)
        if (plan->nodes[i].kind == RV_PLAN_BLOCKED) add_thread(index, plan->nodes[i].thread);
}

const struct rv_plan_index *rv_plan_index_make(struct rv_arena *arena, const struct rv_plan *plan) {
    struct rv_plan_index *index = rv_arena_alloc(arena, sizeof *index);
    if (!index) return NULL;
    uint32_t blocked = 0;
    for (uint32_t i = 0; i < plan->node_count; i++) blocked += plan->nodes[i].kind == RV_PLAN_BLOCKED;
    index->sources = rv_arena_alloc(arena, plan->atom_count * sizeof *index->sources);
    index->source_of = rv_arena_alloc(arena, plan->atom_count * sizeof *index->source_of);
    index->next_atom = rv_arena_alloc(arena, plan->atom_count * sizeof *index->next_atom);
    index->next_ordering = rv_arena_alloc(arena, plan->ordering_count * sizeof *index->next_ordering);
    index->threads = rv_arena_alloc(arena, (plan->atom_count + blocked) * sizeof *index->threads);
    if (!index->sources || !index->source_of || !index->next_atom || !index->next_ordering || !index->threads)
        return NULL;
    fill(index, plan);
    return index;
}

uint32_t rv_plan_index_find(const struct rv_plan_index *index, enum rv_plan_what what, const char *name,
                            uint32_t from) {
    uint32_t at = from == RV_PLAN_NONE ? index->buckets[bucket_of(what, name)] : index->sources[from].next;
    while (at != RV_PLAN_NONE &&
           (index->sources[at].what != what || strcmp(index->sources[at].name, name) != 0))
        at = index->sources[at].next;
    return at;
}

const char *rv_plan_index_thread(const struct rv_plan_index *index, const char *name) {
    for (uint32_t i = 0; i < index->thread_count; i++)
        if (strcmp(index->threads[i], name) == 0) return index->threads[i];
    return NULL;
}
