/* A Treiber stack whose nodes come from malloc and go back to free, made safe by hazard pointers: a node is freed only
 * when no thread has announced that it looks at it. This also rules out the ABA problem: correct. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { THREADS = 2, EACH = 2, RETIRED = THREADS * EACH };

struct node {
    struct node *next; /* written before the node is published, never after */
    int value;
};

static _Atomic(struct node *) top;
static _Atomic(struct node *) hazards[THREADS];

/* What one thread has popped and not yet freed. */
struct retired {
    struct node *nodes[RETIRED];
    int count;
};

static bool announced(const struct node *node) {
    for (int i = 0; i < THREADS; i++)
        if (atomic_load(&hazards[i]) == node) return true;
    return false;
}

static void scan(struct retired *r) {
    int kept = 0;
    for (int i = 0; i < r->count; i++) {
        if (announced(r->nodes[i]))
            r->nodes[kept++] = r->nodes[i];
        else
            free(r->nodes[i]);
    }
    r->count = kept;
}

static void retire(struct retired *r, struct node *node) {
    assert(r->count < RETIRED);
    r->nodes[r->count++] = node;
    scan(r);
}

static void push(int value) {
    struct node *node = malloc(sizeof *node), *head = atomic_load(&top);
    node->value = value;
    do node->next = head;
    while (!atomic_compare_exchange_weak(&top, &head, node));
}

/* The top, announced: it was still the top after the announcement, so nobody frees it now. */
static struct node *protect_top(int me) {
    struct node *head;
    do {
        head = atomic_load(&top);
        atomic_store(&hazards[me], head);
    } while (atomic_load(&top) != head);
    return head;
}

static bool pop(int me, struct retired *r, int *value) {
    for (;;) {
        struct node *head = protect_top(me);
        if (!head) return false;
        struct node *expected = head;
        if (!atomic_compare_exchange_strong(&top, &expected, head->next)) continue;
        *value = head->value;
        atomic_store(&hazards[me], NULL);
        retire(r, head);
        return true;
    }
}

static struct job {
    int id, sum;
    struct retired retired;
} jobs[THREADS];

static void *work(void *arg) {
    struct job *job = arg;
    for (int i = 0; i < EACH; i++) {
        int value;
        push(job->id * 10 + i);
        if (pop(job->id, &job->retired, &value)) job->sum += value;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    int sum = 0;
    for (int i = 0; i < THREADS; i++) {
        jobs[i].id = i;
        pthread_create(&threads[i], NULL, work, &jobs[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += jobs[i].sum;
    }
    for (int i = 0; i < THREADS; i++) scan(&jobs[i].retired);
    for (int i = 0; i < THREADS; i++) assert(jobs[i].retired.count == 0);
    assert(sum == 0 + 1 + 10 + 11 && !atomic_load(&top));
    return 0;
}
