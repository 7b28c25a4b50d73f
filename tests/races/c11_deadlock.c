/* Two mutexes of C11, one of them recursive, in two orders.
 * races: none
 * deadlocks: p+q
 */
#include <threads.h>

static mtx_t a, b;

static int first(void *unused) {
    (void)unused;
    mtx_lock(&a);
    mtx_lock(&a);
    mtx_lock(&b); /* @p */
    mtx_unlock(&b);
    mtx_unlock(&a);
    mtx_unlock(&a);
    return 0;
}

static int second(void *unused) {
    (void)unused;
    mtx_lock(&b);
    mtx_lock(&a); /* @q */
    mtx_unlock(&a);
    mtx_unlock(&b);
    return 0;
}

int main(void) {
    thrd_t one, other;
    mtx_init(&a, mtx_plain | mtx_recursive);
    mtx_init(&b, mtx_plain);
    thrd_create(&one, first, NULL);
    thrd_create(&other, second, NULL);
    thrd_join(one, NULL);
    thrd_join(other, NULL);
    return 0;
}
