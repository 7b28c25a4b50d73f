/* A table of slots locked by compare-and-swap; the path for "somebody else has filled it" forgets to unlock.
 *
 * Bug (hang in slot_lock): both threads see the slot empty; the first fills it; the second locks it, finds it
 * filled, returns without unlocking; the first comes back for the slot and retries for ever.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

static struct slot {
    atomic_int locked;
    atomic_int value;
} slot;

static void slot_lock(struct slot *s) {
    int expected = 0;
    while (!atomic_compare_exchange_weak(&s->locked, &expected, 1)) expected = 0;
}

static void slot_unlock(struct slot *s) { atomic_store(&s->locked, 0); }

static bool slot_fill(struct slot *s, int value) {
    if (atomic_load(&s->value)) return false;
    slot_lock(s);
    if (atomic_load(&s->value)) return false;
    atomic_store(&s->value, value);
    slot_unlock(s);
    return true;
}

static int slot_read(struct slot *s) {
    slot_lock(s);
    int value = atomic_load(&s->value);
    slot_unlock(s);
    return value;
}

static void *client(void *arg) {
    int *value = arg;
    slot_fill(&slot, *value);
    *value = slot_read(&slot);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int values[2] = {1, 2};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, client, &values[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d %d\n", values[0], values[1]);
    return 0;
}
