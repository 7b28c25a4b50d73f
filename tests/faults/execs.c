/* A thread replaces the process by another program. Outcome: that ends the execution, with the status of the program
 * that took over (here success): nothing found. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *upgrade(void *unused) {
    (void)unused;
    char *const arguments[] = {"true", NULL};
    execv("/bin/true", arguments);
    perror("execv");
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, upgrade, NULL);
    pthread_join(thread, NULL);
    return 1; /* only if the exec failed */
}
