/* A worker clears a record that main frees; short functions of constant size are not lost to the compiler's own
 * code. expect: use-after-free write of 24 byte(s) of freed memory */
#include <pthread.h>
#include <string.h>

#include "check.h"

static char *record;

static void *clear(void *argument) {
    memset(record, 0, 24);
    return argument;
}

int main(void) {
    record = malloc(24);
    pthread_t thread;
    pthread_create(&thread, NULL, clear, NULL);
    free(record);
    pthread_join(thread, NULL);
    return 0;
}
