#include "handles.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct slot {
    atomic_int held; /* 0: free */
    char *text;      /* under the lock */
};

struct handles {
    pthread_mutex_t lock; /* over what becomes held, or free */
    struct slot slots[HANDLES_MAX];
};

handles *handles_new(void) {
    handles *table = calloc(1, sizeof *table);
    if (table) pthread_mutex_init(&table->lock, NULL);
    return table;
}

void handles_free(handles *table) {
    if (!table) return;
    for (int i = 0; i < HANDLES_MAX; i++)
        if (table->slots[i].held > 0) free(table->slots[i].text);
    pthread_mutex_destroy(&table->lock);
    free(table);
}

static struct slot *slot_of(handles *table, int handle) {
    return handle >= 0 && handle < HANDLES_MAX ? &table->slots[handle] : NULL;
}

int handles_open(handles *table, const char *text) {
    int handle = 0;
    char *copy = strdup(text);
    if (!copy) return -1;
    pthread_mutex_lock(&table->lock);
    while (handle < HANDLES_MAX && table->slots[handle].held > 0) handle++;
    if (handle < HANDLES_MAX) {
        table->slots[handle].text = copy;
        table->slots[handle].held = 1;
    }
    pthread_mutex_unlock(&table->lock);
    if (handle < HANDLES_MAX) return handle;
    free(copy);
    return -1;
}

bool handles_retain(handles *table, int handle) {
    struct slot *slot = slot_of(table, handle);
    if (!slot || slot->held == 0) return false;
    slot->held++; /* it is there, and stays: no lock is needed */
    return true;
}

int handles_release(handles *table, int handle) {
    struct slot *slot = slot_of(table, handle);
    int held = -1;
    if (!slot) return -1;
    pthread_mutex_lock(&table->lock);
    if (slot->held > 0) {
        held = --slot->held;
        if (held == 0) free(slot->text);
    }
    pthread_mutex_unlock(&table->lock);
    return held;
}

int handles_text(handles *table, int handle, char *out, size_t size) {
    struct slot *slot = slot_of(table, handle);
    int length = -1;
    if (!slot) return -1;
    pthread_mutex_lock(&table->lock);
    if (slot->held > 0) {
        length = (int)strlen(slot->text);
        if (size > 0) {
            size_t copied = (size_t)length < size ? (size_t)length : size - 1;
            memcpy(out, slot->text, copied);
            out[copied] = '\0';
        }
    }
    pthread_mutex_unlock(&table->lock);
    return length;
}

int handles_held(handles *table, int handle) {
    struct slot *slot = slot_of(table, handle);
    return slot ? slot->held : 0;
}

size_t handles_count(handles *table) {
    size_t count = 0;
    pthread_mutex_lock(&table->lock);
    for (int i = 0; i < HANDLES_MAX; i++) count += table->slots[i].held > 0;
    pthread_mutex_unlock(&table->lock);
    return count;
}
