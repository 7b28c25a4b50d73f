/* mtx, cnd and call_once of C11.
 * races: none
 * maybe: a-b
 */
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static int ready, table, message;

static void make_table(void) { table = 1; }

static int sender(void *unused) {
    (void)unused;
    call_once(&once, make_table);
    message = table; /* @a */
    mtx_lock(&lock);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return 0;
}

static int receiver(void *unused) {
    (void)unused;
    call_once(&once, make_table);
    mtx_lock(&lock);
    while (!ready) cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    return message + table; /* @b */
}

int main(void) {
    thrd_t one, other;
    int result;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    thrd_create(&one, sender, NULL);
    thrd_create(&other, receiver, NULL);
    thrd_join(one, NULL);
    thrd_join(other, &result);
    return result != 2;
}
