/* main joins the thread that started another one, but not that one.
 * races: a-b
 */
#include "subject.h"

static pthread_t child;
static int value;

static void *inner(void *unused) {
    value = 1; /* @a */
    return unused;
}

static void *outer(void *unused) {
    pthread_create(&child, NULL, inner, NULL);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, outer, NULL);
    pthread_join(thread, NULL);
    int seen = value; /* @b */
    pthread_join(child, NULL);
    return seen > 1;
}
