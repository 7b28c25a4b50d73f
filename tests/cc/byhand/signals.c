/* Handlers, masks, sigwait, EINTR, and in the end death by a signal. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t handled, sender;
static sigjmp_buf back;

static void handler(int number, siginfo_t *info, void *context) {
    (void)context;
    handled = number;
    sender = info->si_pid == getpid();
}
static void recover(int number) { siglongjmp(back, number); }
static void ignore(int number) { (void)number; }

static void *waiter(void *argument) {
    int number = 0;
    sigwait(argument, &number);
    return (void *)(long)number;
}

int main(void) {
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    printf("raised: %d\n", handled == SIGUSR1);
    handled = 0;
    kill(getpid(), SIGUSR1);
    printf("killed: %d by us: %d\n", handled == SIGUSR1, (int)sender);

    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, &set);
    pthread_kill(thread, SIGUSR2);
    void *result;
    pthread_join(thread, &result);
    printf("sigwait: %d\n", (int)(long)result == SIGUSR2);

    struct sigaction interrupt = {.sa_handler = ignore};
    sigaction(SIGALRM, &interrupt, NULL);
    sigset_t alarm_only;
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm_only, &old); /* whenever it comes, it comes in sigsuspend */
    struct itimerval soon = {.it_value = {0, 1000}};
    setitimer(ITIMER_REAL, &soon, NULL);
    printf("sigsuspend: %d", sigsuspend(&old));
    printf(" %s\n", strerror(errno));

    struct sigaction fault = {.sa_handler = recover, .sa_flags = SA_NODEFER};
    sigaction(SIGSEGV, &fault, NULL);
    int number = sigsetjmp(back, 1);
    if (!number)
        *(volatile int *)8 = 1;
    printf("recovered from %d\n", number == SIGSEGV);
    fflush(stdout);
    signal(SIGSEGV, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
    return 0;
}
