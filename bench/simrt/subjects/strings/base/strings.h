/*
 * A table in which every string is kept once, and counted. All functions but strings_new and strings_free may be called by several
 * threads at once; a handle may be used by whoever holds a reference.
 */
#ifndef STRINGS_H
#define STRINGS_H

#include <stdbool.h>
#include <stddef.h>

struct strings;
struct string;

struct strings *strings_new(void);
void strings_free(struct strings *table);

/* A new reference to the string, which is put into the table if it is not there. NULL: no memory. */
struct string *strings_intern(struct strings *table, const char *text);
/* The same, but NULL if it is not there. */
struct string *strings_find(struct strings *table, const char *text);
struct string *strings_retain(struct strings *table, struct string *string);
/* What nobody refers to stays in the table until the next strings_sweep. */
void strings_release(struct strings *table, struct string *string);
/* How many strings were dropped. */
size_t strings_sweep(struct strings *table);

const char *strings_text(const struct string *string);
size_t strings_length(const struct string *string);
unsigned strings_references(const struct string *string);
size_t strings_count(struct strings *table);
size_t strings_bytes(struct strings *table);
/* How often one of the strings that were used last was asked for. */
unsigned long strings_repeats(struct strings *table);
void strings_forget(struct strings *table);

#endif
