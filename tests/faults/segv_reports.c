/* Has its own SIGSEGV handler that writes a line and exits, as crash reporters do; a thread uses a pointer before it is
 * set. Outcome: exit status 9, which is what the handler makes of it. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static _Atomic(int *) settings;
static int defaults = 5;

static void report(int number) {
    static const char text[] = "crash report written\n";
    (void)number;
    if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(10);
    _exit(9);
}

static void *use_settings(void *result) {
    *(int *)result = *atomic_load(&settings);
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = report, .sa_flags = (int)SA_RESETHAND};
    pthread_t thread;
    int result;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    pthread_create(&thread, NULL, use_settings, &result);
    atomic_store(&settings, &defaults);
    pthread_join(thread, NULL);
    return 0;
}
