/* The cache is full. Two threads use what is in it, a third one puts a key: the one that was not used has to go. */
#include "drive.h"
#include "rwcache.h"

static rwcache *cache;
static int first_value, last_value;

static void use_one(void) { assert(!rwcache_get(cache, 1, &first_value) || first_value == 10); }

static void use_others(void) {
    assert(rwcache_get(cache, 2, &last_value) && last_value == 20);
    if (rwcache_get(cache, 1, &last_value)) assert(last_value == 10);
}

static void put(void) { rwcache_put(cache, 3, 30); }

int main(void) {
    drive_part *parts[] = {use_one, use_others, put};
    int key = 0, value = 0;
    cache = rwcache_new(3);
    rwcache_put(cache, 1, 10);
    rwcache_put(cache, 2, 20);
    rwcache_put(cache, 3, 33);
    drive(parts, 3);
    assert(rwcache_size(cache) == 3 && rwcache_oldest(cache, &key) && key != 1);
    rwcache_put(cache, 4, 40); /* nobody uses 1 before 2, whatever the order */
    assert(!rwcache_peek(cache, key, &value) && rwcache_peek(cache, 1, &value) && value == 10);
    assert(rwcache_remove(cache, 4) && rwcache_size(cache) == 2);
    rwcache_free(cache);
    return 0;
}
