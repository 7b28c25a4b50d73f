/* Waits for one thread and reads what the other one writes.
 * races: a-b
 */
#include "subject.h"

static int left, right;

static void *set_left(void *unused) {
    left = 1;
    return unused;
}

static void *set_right(void *unused) {
    right = 1; /* @a */
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, set_left, NULL);
    pthread_create(&other, NULL, set_right, NULL);
    pthread_join(one, NULL);
    int sum = left;
    sum += right; /* @b */
    pthread_join(other, NULL);
    return sum > 2;
}
