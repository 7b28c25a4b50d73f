/* Timers without any thread: pause is ended by the alarm, a sleep by the handler, time passes meanwhile. */
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static volatile sig_atomic_t alarms;

static void on_alarm(int number) {
    (void)number;
    alarms = alarms + 1;
}

int main(void) {
    struct sigaction action = {.sa_handler = on_alarm};
    struct timespec start, end;
    sigaction(SIGALRM, &action, NULL);
    clock_gettime(CLOCK_MONOTONIC, &start);
    CHECK(alarm(1) == 0);
    CHECK(pause() == -1 && errno == EINTR);
    CHECK(alarms == 1);
    clock_gettime(CLOCK_MONOTONIC, &end);
    CHECK(end.tv_sec - start.tv_sec >= 1);
    ualarm(10000, 0);
    CHECK(sleep(100) >= 98);
    CHECK(alarms == 2);
    alarm(50);
    CHECK(alarm(0) >= 49);
    return 0;
}
