/* A reader copies out of a buffer that its owner frees. expect: use-after-free read of 64 byte(s) of freed memory */
#include <pthread.h>
#include <string.h>

#include "check.h"

static char *buffer;

static void *reader(void *argument) {
    char copy[64];
    volatile size_t size = sizeof copy;
    memcpy(copy, buffer, size);
    return copy[size / 2] ? argument : NULL;
}

int main(void) {
    buffer = calloc(1, 64);
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    free(buffer);
    pthread_join(thread, NULL);
    return 0;
}
