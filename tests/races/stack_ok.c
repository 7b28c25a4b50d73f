/* Each thread is given an element of its own of an array on the stack.
 * races: none
 */
#include "subject.h"

static void *work(void *number) {
    ++*(int *)number;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int numbers[2] = {0};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return numbers[0] + numbers[1] != 2;
}
