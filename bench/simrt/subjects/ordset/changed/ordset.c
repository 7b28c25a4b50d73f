#include "ordset.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 4 };

struct node {
    int key;
    int height;
    struct node *next[LEVELS];
};

struct ordset {
    pthread_rwlock_t lock; /* over all that follows but lookups */
    struct node head;      /* its key does not count */
    int height;
    size_t size;
    struct {
        int asked;
        bool some;
        int answer;
    } floor; /* the last question to ordset_floor, whose callers tend to ask twice */
    atomic_ulong lookups;
};

struct ordset *ordset_new(void) {
    struct ordset *set = calloc(1, sizeof *set);
    if (!set) return NULL;
    pthread_rwlock_init(&set->lock, NULL);
    set->height = 1;
    return set;
}

/* Write-locked. */
static void free_all(struct ordset *set) {
    for (struct node *node = set->head.next[0], *next; node; node = next) {
        next = node->next[0];
        free(node);
    }
    memset(set->head.next, 0, sizeof set->head.next);
    set->size = 0;
}

void ordset_free(struct ordset *set) {
    if (!set) return;
    free_all(set);
    pthread_rwlock_destroy(&set->lock);
    free(set);
}

/* A key's height is always the same, so that a set looks the same however it came about. */
static int height_of(int key) {
    unsigned hash = (unsigned)key * 2654435761u;
    int height = 1;
    for (hash >>= 8; height < LEVELS && hash % 2; hash >>= 1) height++;
    return height;
}

/* The last node with a smaller key, on each level in before if that is not NULL. Locked. */
static struct node *find_before(struct ordset *set, int key, struct node **before) {
    struct node *node = &set->head;
    for (int level = LEVELS - 1; level >= 0; level--) {
        while (node->next[level] && node->next[level]->key < key) node = node->next[level];
        if (before) before[level] = node;
    }
    return node;
}

/* Write-locked. */
static void lower(struct ordset *set) {
    while (set->height > 1 && !set->head.next[set->height - 1]) set->height--;
}

/* Write-locked. */
static void unlink_node(struct ordset *set, struct node **before, struct node *node) {
    for (int level = 0; level < node->height; level++)
        if (before[level]->next[level] == node) before[level]->next[level] = node->next[level];
    free(node);
    set->size--;
}

bool ordset_add(struct ordset *set, int key) {
    struct node *before[LEVELS], *node = NULL;
    pthread_rwlock_wrlock(&set->lock);
    struct node *after = find_before(set, key, before)->next[0];
    if (!after || after->key != key) node = calloc(1, sizeof *node);
    if (node) {
        node->key = key;
        node->height = height_of(key);
        for (int level = 0; level < node->height; level++) {
            node->next[level] = before[level]->next[level];
            before[level]->next[level] = node;
        }
        if (node->height > set->height) set->height = node->height;
        set->size++;
    }
    pthread_rwlock_unlock(&set->lock);
    return node != NULL;
}

size_t ordset_remove_range(struct ordset *set, int from, int to) {
    struct node *before[LEVELS];
    size_t removed = 0;
    pthread_rwlock_wrlock(&set->lock);
    struct node *node = find_before(set, from, before)->next[0];
    while (node && node->key <= to) {
        struct node *next = node->next[0];
        unlink_node(set, before, node);
        node = next;
        removed++;
    }
    lower(set);
    pthread_rwlock_unlock(&set->lock);
    return removed;
}

bool ordset_remove(struct ordset *set, int key) { return ordset_remove_range(set, key, key) > 0; }

void ordset_clear(struct ordset *set) {
    pthread_rwlock_wrlock(&set->lock);
    free_all(set);
    pthread_rwlock_unlock(&set->lock);
    set->height = 1;
}

bool ordset_contains(struct ordset *set, int key) {
    pthread_rwlock_rdlock(&set->lock);
    const struct node *node = find_before(set, key, NULL)->next[0];
    bool found = node && node->key == key;
    pthread_rwlock_unlock(&set->lock);
    set->lookups++;
    return found;
}

bool ordset_last(struct ordset *set, int *key) {
    pthread_rwlock_rdlock(&set->lock);
    const struct node *node = &set->head;
    for (int level = LEVELS - 1; level >= 0; level--)
        while (node->next[level]) node = node->next[level];
    bool some = node != &set->head;
    if (some) *key = node->key;
    pthread_rwlock_unlock(&set->lock);
    return some;
}

bool ordset_first(struct ordset *set, int *key) {
    pthread_rwlock_rdlock(&set->lock);
    const struct node *node = set->head.next[0];
    if (node) *key = node->key;
    pthread_rwlock_unlock(&set->lock);
    return node != NULL;
}

bool ordset_floor(struct ordset *set, int key, int *found) {
    pthread_rwlock_rdlock(&set->lock);
    const struct node *node = find_before(set, key, NULL);
    if (node->next[0] && node->next[0]->key == key) node = node->next[0];
    bool some = node != &set->head;
    if (some) *found = node->key;
    set->floor.asked = key;
    set->floor.some = some;
    if (some) set->floor.answer = node->key;
    pthread_rwlock_unlock(&set->lock);
    set->lookups++;
    return some;
}

bool ordset_at(struct ordset *set, size_t index, int *key) {
    pthread_rwlock_rdlock(&set->lock);
    const struct node *node = index < set->size ? set->head.next[0] : NULL;
    for (; node && index > 0; index--) node = node->next[0];
    if (node) *key = node->key;
    pthread_rwlock_unlock(&set->lock);
    return node != NULL;
}

size_t ordset_count_range(struct ordset *set, int from, int to) {
    size_t inside = 0;
    pthread_rwlock_rdlock(&set->lock);
    const struct node *node = find_before(set, from, NULL)->next[0];
    for (; node && node->key <= to; node = node->next[0]) inside++;
    pthread_rwlock_unlock(&set->lock);
    return inside;
}

size_t ordset_size(struct ordset *set) {
    pthread_rwlock_rdlock(&set->lock);
    size_t size = set->size;
    pthread_rwlock_unlock(&set->lock);
    return size;
}

int ordset_height(struct ordset *set) { return set->height; }

unsigned long ordset_lookups(struct ordset *set) { return set->lookups; }
