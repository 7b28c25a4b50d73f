/*
 * A table in which every string is kept once, and counted. All functions but strtab_new and strtab_free may be called by several
 * threads at once; a handle may be used by whoever holds a reference.
 */
#ifndef STRTAB_H
#define STRTAB_H

#include <stdbool.h>
#include <stddef.h>

struct strtab;
struct string;

struct strtab *strtab_new(void);
void strtab_free(struct strtab *table);

/* A new reference to the string, which is put into the table if it is not there. NULL: no memory. */
struct string *strtab_intern(struct strtab *table, const char *text);
/* The same, but NULL if it is not there. */
struct string *strtab_find(struct strtab *table, const char *text);
struct string *strtab_retain(struct strtab *table, struct string *string);
/* What nobody refers to stays in the table until the next strtab_sweep. */
void strtab_release(struct strtab *table, struct string *string);
/* How many strings were dropped. */
size_t strtab_sweep(struct strtab *table);

const char *strtab_text(const struct string *string);
size_t strtab_length(const struct string *string);
unsigned strtab_references(const struct string *string);
size_t strtab_count(struct strtab *table);
size_t strtab_bytes(struct strtab *table);
/* How often one of the strings that were used last was asked for. */
unsigned long strtab_repeats(struct strtab *table);
void strtab_forget(struct strtab *table);

#endif
