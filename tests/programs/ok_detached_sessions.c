/* Detached threads with attributes and names, counted out by a condition variable; session numbers come from the
 * system's random numbers and are made unique by a table: correct. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { SESSIONS = 3, STACK = 128 << 10 };

static struct office {
    pthread_mutex_t lock;
    pthread_cond_t left;
    uint32_t numbers[SESSIONS]; /* under lock, as all below */
    int open, opened;
} office = {.lock = PTHREAD_MUTEX_INITIALIZER, .left = PTHREAD_COND_INITIALIZER};

static bool known(const struct office *o, uint32_t number) {
    for (int i = 0; i < o->opened; i++)
        if (o->numbers[i] == number) return true;
    return false;
}

static uint32_t new_number(struct office *o) {
    uint32_t number;
    do assert(getrandom(&number, sizeof number, 0) == sizeof number);
    while (known(o, number));
    return number;
}

static void check_own_attributes(const char *name) {
    pthread_attr_t attributes;
    char my_name[16];
    size_t size;
    int detached;
    assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    assert(pthread_attr_getdetachstate(&attributes, &detached) == 0 && detached == PTHREAD_CREATE_DETACHED);
    assert(pthread_attr_getstacksize(&attributes, &size) == 0 && size >= STACK);
    pthread_attr_destroy(&attributes);
    assert(pthread_setname_np(pthread_self(), name) == 0);
    assert(pthread_getname_np(pthread_self(), my_name, sizeof my_name) == 0 && strcmp(my_name, name) == 0);
}

static void *session(void *arg) {
    char name[16];
    snprintf(name, sizeof name, "session %d", *(int *)arg);
    free(arg);
    check_own_attributes(name);
    pthread_mutex_lock(&office.lock);
    uint32_t number = new_number(&office);
    office.numbers[office.opened++] = number;
    pthread_mutex_unlock(&office.lock);
    pthread_mutex_lock(&office.lock);
    if (--office.open == 0) pthread_cond_signal(&office.left);
    pthread_mutex_unlock(&office.lock);
    return NULL;
}

static void open_session(const pthread_attr_t *attributes, int id) {
    pthread_t thread;
    int *argument = malloc(sizeof *argument);
    *argument = id;
    pthread_mutex_lock(&office.lock);
    office.open++;
    pthread_mutex_unlock(&office.lock);
    assert(pthread_create(&thread, attributes, session, argument) == 0);
}

int main(void) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    assert(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
    assert(pthread_attr_setstacksize(&attributes, STACK) == 0);
    for (int i = 0; i < SESSIONS; i++) open_session(&attributes, i);
    pthread_attr_destroy(&attributes);
    pthread_mutex_lock(&office.lock);
    while (office.open) pthread_cond_wait(&office.left, &office.lock);
    assert(office.opened == SESSIONS);
    pthread_mutex_unlock(&office.lock);
    return 0;
}
