/* A thread is given a variable on the stack of its creator, which goes on changing it.
 * races: a-b
 * harm: a-b
 */
#include <stdio.h>

#include "subject.h"

static void *print(void *number) {
    printf("%d\n", *(int *)number); /* @a */
    return NULL;
}

int main(void) {
    pthread_t thread;
    int number = 1;
    pthread_create(&thread, NULL, print, &number);
    number = 2; /* @b */
    pthread_join(thread, NULL);
    return 0;
}
