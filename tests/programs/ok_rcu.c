/* RCU with per-reader epochs: the writer frees the old table only after every reader has left it: correct. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { READERS = 2, LOOKUPS = 2 };

struct table {
    int a, b;
};

static _Atomic(struct table *) active;
static struct reader { atomic_uint nesting; /* odd: inside a read-side section */ } readers[READERS];

static void read_lock(struct reader *r) { atomic_fetch_add(&r->nesting, 1); }

static void read_unlock(struct reader *r) { atomic_fetch_add(&r->nesting, 1); }

static void synchronize(void) {
    for (int i = 0; i < READERS; i++) {
        unsigned seen = atomic_load(&readers[i].nesting);
        if (seen % 2 == 0) continue;
        while (atomic_load(&readers[i].nesting) == seen) sched_yield();
    }
}

static struct table *table_new(int base) {
    struct table *table = malloc(sizeof *table);
    *table = (struct table){base, base + 1};
    return table;
}

static void *read_side(void *arg) {
    struct reader *me = arg;
    for (int i = 0; i < LOOKUPS; i++) {
        read_lock(me);
        const struct table *table = atomic_load(&active);
        assert(table->b == table->a + 1);
        read_unlock(me);
    }
    return NULL;
}

static void *write_side(void *unused) {
    (void)unused;
    for (int base = 10; base <= 20; base += 10) {
        struct table *old = atomic_exchange(&active, table_new(base));
        synchronize();
        free(old);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[READERS], writer;
    atomic_store(&active, table_new(0));
    for (int i = 0; i < READERS; i++) pthread_create(&threads[i], NULL, read_side, &readers[i]);
    pthread_create(&writer, NULL, write_side, NULL);
    for (int i = 0; i < READERS; i++) pthread_join(threads[i], NULL);
    pthread_join(writer, NULL);
    free(atomic_load(&active));
    return 0;
}
