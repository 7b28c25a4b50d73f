/* Ends as its argument says; what was printed before stays. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *way;
static volatile int zero;

static void *end(void *argument) {
    if (!strcmp(way, "assert"))
        assert(zero == 1);
    else if (!strcmp(way, "abort"))
        abort();
    else if (!strcmp(way, "segv"))
        *(volatile int *)16 = 1;
    else if (!strcmp(way, "fpe"))
        zero = 1 / zero;
    else if (!strcmp(way, "exit"))
        exit(17);
    else if (!strcmp(way, "_exit"))
        _exit(18);
    return argument;
}

int main(int argc, char **argv) {
    pthread_t thread;
    way = argc > 1 ? argv[1] : "";
    printf("before\n");
    fflush(stdout);
    pthread_create(&thread, NULL, end, NULL);
    pthread_join(thread, NULL);
    printf("after\n");
    if (!strcmp(way, "main"))
        pthread_exit(NULL);
    return 19;
}
