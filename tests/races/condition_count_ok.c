/* Waits until both are done, and reads what both made.
 * races: none
 * maybe: a-c b-c
 */
#include "subject.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done, left, right;

static void finish(void) {
    pthread_mutex_lock(&lock);
    done++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *set_left(void *unused) {
    left = 1; /* @a */
    finish();
    return unused;
}

static void *set_right(void *unused) {
    right = 1; /* @b */
    finish();
    return unused;
}

static void *sum(void *unused) {
    pthread_mutex_lock(&lock);
    while (done < 2) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    int total = left + right; /* @c */
    (void)total;
    return unused;
}

int main(void) {
    run_three(set_left, set_right, sum);
    return 0;
}
