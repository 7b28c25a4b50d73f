/* Recursion far deeper than the stack of its thread. Outcome: segv, named as a stack overflow, in descend. */
#include <pthread.h>
#include <string.h>

static unsigned bottom = ~0u; /* too deep for any stack */

__attribute__((noinline)) static unsigned descend(unsigned depth, const unsigned char *above) {
    unsigned char here[256];
    if (depth == bottom) return 0;
    memset(here, (int)depth, sizeof here);
    here[depth % sizeof here] = above[0];
    return descend(depth + 1, here) + here[(depth + 1) % sizeof here];
}

static void *start(void *result) {
    unsigned char top = 1;
    *(unsigned *)result = descend(0, &top);
    return NULL;
}

int main(void) {
    pthread_t thread;
    unsigned result;
    pthread_create(&thread, NULL, start, &result);
    pthread_join(thread, NULL);
    return result == 0;
}
