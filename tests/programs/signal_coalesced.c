/* Work announced by signals: one signal per job, one sigwait per job.
 *
 * Bug (deadlock in dispatcher): both signals are sent before the first sigwait; a standard signal is pending only
 * once, so the second sigwait waits for ever.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

enum { JOBS = 2 };

static atomic_int jobs_done;
static sigset_t job_signal;

static void do_job(void) { atomic_fetch_add(&jobs_done, 1); }

static void *dispatcher(void *unused) {
    (void)unused;
    for (int i = 0; i < JOBS; i++) {
        int number;
        if (sigwait(&job_signal, &number) == 0 && number == SIGUSR2) do_job();
    }
    return NULL;
}

static void submit(pthread_t to) {
    int error = pthread_kill(to, SIGUSR2);
    if (error) fprintf(stderr, "dispatcher is gone: %d\n", error);
}

int main(void) {
    pthread_t thread;
    sigemptyset(&job_signal);
    sigaddset(&job_signal, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &job_signal, NULL);
    pthread_create(&thread, NULL, dispatcher, NULL);
    for (int i = 0; i < JOBS; i++) submit(thread);
    pthread_join(thread, NULL);
    printf("%d jobs\n", atomic_load(&jobs_done));
    return 0;
}
