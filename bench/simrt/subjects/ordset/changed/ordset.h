/*
 * An ordered set of integers, as a skip list. All functions but ordset_new and ordset_free may be called by several threads at once;
 * those that only look do not hinder each other.
 */
#ifndef ORDSET_H
#define ORDSET_H

#include <stdbool.h>
#include <stddef.h>

struct ordset;

struct ordset *ordset_new(void);
void ordset_free(struct ordset *set);

bool ordset_add(struct ordset *set, int key); /* false if it is there, or there is no memory */
bool ordset_remove(struct ordset *set, int key);
size_t ordset_remove_range(struct ordset *set, int from, int to); /* both inclusive */
void ordset_clear(struct ordset *set);

bool ordset_contains(struct ordset *set, int key);
bool ordset_first(struct ordset *set, int *key);
bool ordset_last(struct ordset *set, int *key);
/* The largest that is not above key. */
bool ordset_floor(struct ordset *set, int key, int *found);
bool ordset_at(struct ordset *set, size_t index, int *key);
size_t ordset_count_range(struct ordset *set, int from, int to);
size_t ordset_size(struct ordset *set);
/* How many levels are in use, and how many lookups there have been. */
int ordset_height(struct ordset *set);
unsigned long ordset_lookups(struct ordset *set);

#endif
