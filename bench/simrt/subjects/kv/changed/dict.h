/*
 * The keys and their values: short texts, which may end at a time, and lists of texts. Buckets are shared out among a few locks;
 * all functions but dict_new and dict_free may be called by several threads at once, and each is one step for the others,
 * but those that go through all keys (dict_keys, dict_sweep, dict_clear, dict_count).
 */
#ifndef DICT_H
#define DICT_H

#include <stdbool.h>
#include <stddef.h>

enum { DICT_VALUE = 24, DICT_LIST = 8 };

typedef struct dict dict;

typedef enum dict_result {
    DICT_DONE,
    DICT_MISSING,
    DICT_WRONG_TYPE,
    DICT_NOT_A_NUMBER,
    DICT_FULL
} dict_result;

dict *dict_new(void);
void dict_free(dict *keys);

/* Times are of the server's clock; what has ended is as good as removed. */
dict_result dict_set(dict *keys, const char *key, const char *value, long now);
dict_result dict_get(dict *keys, const char *key, char value[DICT_VALUE], long now);
dict_result dict_append(dict *keys, const char *key, const char *value, long now);
dict_result dict_add(dict *keys, const char *key, long amount, long *result, long now);
dict_result dict_compare_and_set(dict *keys, const char *key, const char *old, const char *value, long now);
dict_result dict_remove(dict *keys, const char *key, long now);
bool dict_exists(dict *keys, const char *key, long now);

dict_result dict_push(dict *keys, const char *key, const char *value, long now);
dict_result dict_pop(dict *keys, const char *key, char value[DICT_VALUE], long now);
dict_result dict_length(dict *keys, const char *key, size_t *length, long now);

/* Ends is 0 for never. */
dict_result dict_expire(dict *keys, const char *key, long ends, long now);
dict_result dict_ends(dict *keys, const char *key, long *ends, long now);
/* How often the key was changed; 0 if it is not there. */
unsigned long dict_version(dict *keys, const char *key, long now);

size_t dict_keys(dict *keys, const char *pattern, long now, void (*each)(void *context, const char *key),
                 void *context);
size_t dict_sweep(dict *keys, long now); /* drops what has ended */
void dict_clear(dict *keys);
size_t dict_count(dict *keys);
/* How often keys that fall into the same slot were read. */
unsigned long dict_traffic(dict *keys, const char *key);

#endif
