/* Two destructors count in the same variable.
 * races: a-a
 */
#include "subject.h"

static pthread_key_t key;
static int gone;

static void count(void *unused) {
    (void)unused;
    gone++; /* @a */
}

static void *use(void *unused) {
    pthread_setspecific(key, &key);
    return unused;
}

int main(void) {
    pthread_key_create(&key, count);
    run_two(use, use);
    return 0;
}
