/* The cache is full. One thread asks for the oldest key, the other one puts a new one, for which it has to go. */
#include "drive.h"
#include "lru.h"

static lru *cache;

static void get(void) {
    int value = 10;
    lru_get(cache, 1, &value);
    assert(value == 10);
}

static void put(void) { lru_put(cache, 3, 30); }

int main(void) {
    cache = lru_new(2);
    lru_put(cache, 1, 10);
    lru_put(cache, 2, 20);
    drive_two(get, put);
    assert(lru_size(cache) == 2);
    lru_free(cache);
    return 0;
}
