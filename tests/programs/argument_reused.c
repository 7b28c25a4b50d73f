/* Threads are given a pointer to the loop variable that the creator goes on changing.
 *
 * Bug (assert in main): worker 0 reads its number after main has moved on to the next; one part of the work is done
 * twice, another not at all.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { PARTS = 3 };

static atomic_int done[PARTS];
static atomic_int next_part; /* the "argument" that all workers share */

static void do_part(int part) { atomic_fetch_add(&done[part], 1); }

static void *worker(void *number) {
    int part = atomic_load((atomic_int *)number);
    if (part < PARTS) do_part(part);
    return NULL;
}

static int missing_parts(void) {
    int missing = 0;
    for (int i = 0; i < PARTS; i++)
        if (atomic_load(&done[i]) != 1) missing++;
    return missing;
}

int main(void) {
    pthread_t workers[PARTS];
    int started = 0;
    while (atomic_load(&next_part) < PARTS) {
        pthread_create(&workers[started++], NULL, worker, &next_part);
        if (started == PARTS) break;
        for (int i = 0; i < 20 && !atomic_load(&done[started - 1]); i++) continue;
        atomic_fetch_add(&next_part, 1);
    }
    for (int i = 0; i < started; i++) pthread_join(workers[i], NULL);
    assert(missing_parts() == 0);
    puts("complete");
    return 0;
}
