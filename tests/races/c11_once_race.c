/* call_once orders what it calls, not what comes after it.
 * races: a-a
 */
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static int uses;

static void begin(void) { uses = 0; }

static int use(void *unused) {
    (void)unused;
    call_once(&once, begin);
    uses++; /* @a */
    return 0;
}

int main(void) {
    thrd_t one, other;
    thrd_create(&one, use, NULL);
    thrd_create(&other, use, NULL);
    thrd_join(one, NULL);
    thrd_join(other, NULL);
    return 0;
}
