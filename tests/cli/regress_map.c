/* A small map, and a driver: map OPERATION OPERATION runs the two in two threads. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE 8
struct entry {
    int key, value;
    struct entry *next;
};
static struct entry *table[SIZE];
static int count;
static int careless;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put(int key, int value) {
    pthread_mutex_lock(&lock);
    struct entry *entry = malloc(sizeof *entry);
    entry->key = key;
    entry->value = value;
    entry->next = table[key % SIZE];
    table[key % SIZE] = entry;
    count++;
    pthread_mutex_unlock(&lock);
}

static int get(int key) {
    int value = -1;
    pthread_mutex_lock(&lock);
    for (struct entry *entry = table[key % SIZE]; entry; entry = entry->next)
        if (entry->key == key) value = entry->value;
    pthread_mutex_unlock(&lock);
    return value;
}

static int size(void) {
    pthread_mutex_lock(&lock);
    int result = count;
    pthread_mutex_unlock(&lock);
    return result;
}

static void clear(void) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SIZE; i++) table[i] = NULL;
    count = 0;
    pthread_mutex_unlock(&lock);
}

static void *run(void *operation) {
    const char *name = operation;
    long result = 0;
    if (strcmp(name, "put") == 0) put(3, 4);
    if (strcmp(name, "get") == 0) result = get(3);
    if (strcmp(name, "size") == 0) result = size();
    if (strcmp(name, "clear") == 0) clear();
    if (strcmp(name, "old") == 0) careless++;
    if (strcmp(name, "crash") == 0) abort();
    if (strcmp(name, "hang") == 0) pause();
    return (void *)result;
}

int main(int argc, char **argv) {
    pthread_t threads[2];
    for (int i = 0; i < 2 && i + 1 < argc; i++) pthread_create(&threads[i], NULL, run, argv[i + 1]);
    for (int i = 0; i < 2 && i + 1 < argc; i++) pthread_join(threads[i], NULL);
    return 0;
}
