/* mtx_trylock failed, and the counter is increased all the same.
 * races: a-b
 */
#include <threads.h>

static mtx_t lock;
static int counter;

static int add(void *unused) {
    (void)unused;
    if (mtx_trylock(&lock) == thrd_success) {
        counter++; /* @a */
        mtx_unlock(&lock);
    } else {
        counter++; /* @b */
    }
    return 0;
}

int main(void) {
    thrd_t one, other;
    mtx_init(&lock, mtx_plain);
    thrd_create(&one, add, NULL);
    thrd_create(&other, add, NULL);
    thrd_join(one, NULL);
    thrd_join(other, NULL);
    return 0;
}
