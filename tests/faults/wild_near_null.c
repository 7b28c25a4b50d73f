/* Writes through a null pointer to a structure: the address is small, not zero. Outcome: segv in set_last. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct record {
    int values[20];
    int last;
};

static _Atomic(struct record *) active;
static struct record first;

static void set_last(struct record *record, int value) { record->last = value; }

static void *update(void *unused) {
    (void)unused;
    set_last(atomic_load(&active), 3);
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, update, NULL);
    atomic_store(&active, &first);
    pthread_join(thread, NULL);
    return 0;
}
