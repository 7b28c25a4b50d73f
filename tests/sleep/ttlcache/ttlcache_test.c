#include "ttlcache.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct ttlcache *cache;
static int loads;
static pthread_mutex_t hold = PTHREAD_MUTEX_INITIALIZER; /* a loader gets no further while somebody has it */

static char *load(const char *key, void *user) {
    (void)user;
    loads++;
    char value[32];
    snprintf(value, sizeof value, "%s#%d", key, loads);
    return strdup(value);
}

static char *slow_load(const char *key, void *user) {
    //@ event startingLoad
    pthread_mutex_lock(&hold);
    pthread_mutex_unlock(&hold);
    return load(key, user);
}

static void expect(const char *key, const char *value) {
    char *got = ttlcache_get(cache, key);
    assert(got && strcmp(got, value) == 0);
    free(got);
}

//@ schedule
static void test_value_is_kept(void) {
    cache = ttlcache_open(1000, load, NULL);
    expect("a", "a#1");
    usleep(10000); //@ keep
    expect("a", "a#1");
    ttlcache_close(cache);
}

//@ schedule
static void test_value_expires(void) {
    cache = ttlcache_open(20, load, NULL);
    expect("a", "a#1");
    usleep(40000); // longer than it lives //@ keep
    assert(ttlcache_live(cache) == 0);
    expect("a", "a#2");
    ttlcache_close(cache);
}

static void *get_a(void *result) {
    *(char **)result = ttlcache_get(cache, "a");
    return NULL;
}

static pthread_barrier_t held;

static void *hold_for_a_while(void *unused) {
    pthread_mutex_lock(&hold);
    pthread_barrier_wait(&held);
    usleep(100000);
    //@ event startingLetGo
    pthread_mutex_unlock(&hold);
    return unused;
}

// Two threads want the same key: it is loaded once.
//@ schedule [startingLoad] -> startingGetMine, [startingGetMine] -> startingLetGo
static void test_loaded_once(void) {
    pthread_t holder, other;
    char *theirs = NULL;
    pthread_barrier_init(&held, NULL, 2);
    cache = ttlcache_open(1000, slow_load, NULL);
    pthread_create(&holder, NULL, hold_for_a_while, NULL);
    pthread_barrier_wait(&held);
    pthread_create(&other, NULL, get_a, &theirs);
    usleep(40000);
    //@ event startingGetMine
    expect("a", "a#1");
    pthread_join(other, NULL);
    pthread_join(holder, NULL);
    assert(strcmp(theirs, "a#1") == 0 && loads == 1);
    free(theirs);
    ttlcache_close(cache);
    pthread_barrier_destroy(&held);
}

// While one value is loaded others can be had.
//@ schedule [startingLoad] -> startingLiveCheck
static void test_loading_does_not_block_others(void) {
    pthread_t other;
    char *theirs = NULL;
    cache = ttlcache_open(1000, slow_load, NULL);
    expect("b", "b#1");
    pthread_mutex_lock(&hold);
    pthread_create(&other, NULL, get_a, &theirs);
    usleep(60000);
    //@ event startingLiveCheck
    assert(ttlcache_live(cache) == 1);
    expect("b", "b#1");
    assert(theirs == NULL);
    pthread_mutex_unlock(&hold);
    pthread_join(other, NULL);
    assert(strcmp(theirs, "a#2") == 0);
    free(theirs);
    ttlcache_close(cache);
}

static int dropped;

static void *drop_a(void *unused) {
    (void)unused;
    usleep(60000);
    //@ event startingDrop
    ttlcache_drop(cache, "a");
    dropped = 1;
    return NULL;
}

// A key that is being loaded is not dropped under the loader's feet.
//@ schedule [startingLoad] -> startingDrop, [startingDrop] -> startingCheckDropped
static void test_drop_waits_for_loader(void) {
    pthread_t getter, dropper;
    char *theirs = NULL;
    dropped = 0;
    cache = ttlcache_open(1000, slow_load, NULL);
    pthread_mutex_lock(&hold);
    pthread_create(&getter, NULL, get_a, &theirs);
    pthread_create(&dropper, NULL, drop_a, NULL);
    usleep(120000);
    //@ event startingCheckDropped
    assert(!dropped);
    pthread_mutex_unlock(&hold);
    pthread_join(getter, NULL);
    pthread_join(dropper, NULL);
    assert(dropped && strcmp(theirs, "a#1") == 0);
    free(theirs);
    expect("a", "a#2");
    ttlcache_close(cache);
}

#define RUN(test)                                                                                            \
    if (argc < 2 || strcmp(argv[1], #test) == 0) {                                                           \
        loads = 0;                                                                                           \
        test();                                                                                              \
        puts(#test);                                                                                         \
    }

int main(int argc, char **argv) {
    RUN(test_value_is_kept);
    RUN(test_value_expires);
    RUN(test_loaded_once);
    RUN(test_loading_does_not_block_others);
    RUN(test_drop_waits_for_loader);
    return 0;
}
