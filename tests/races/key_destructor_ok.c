/* The destructor of thread-specific data runs before the join returns.
 * races: none
 */
#include "subject.h"

static pthread_key_t key;
static int cells[2];

static void clear(void *cell) { *(int *)cell = 0; }

static void *use(void *cell) {
    pthread_setspecific(key, cell);
    *(int *)pthread_getspecific(key) = 1;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_key_create(&key, clear);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, use, &cells[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return cells[0] + cells[1];
}
