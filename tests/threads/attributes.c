/* Attributes of threads: stacks, detach state, signal masks; names, scheduling parameters and processors, which are
 * given back as they were set.
 * schedules: 50
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "check.h"

static size_t wanted_stack;

/* Really uses most of it. */
static __attribute__((noinline)) int fill(size_t bytes) {
    volatile char room[bytes];
    for (size_t i = 0; i < bytes; i += 512) room[i] = (char)i;
    return room[0];
}

static void *look_at_stack(void *unused) {
    pthread_attr_t attributes;
    void *low;
    size_t size;
    int state;
    CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
    CHECK(pthread_attr_getstack(&attributes, &low, &size) == 0);
    CHECK(pthread_attr_getdetachstate(&attributes, &state) == 0 && state == PTHREAD_CREATE_JOINABLE);
    pthread_attr_destroy(&attributes);
    CHECK((uintptr_t)&size - (uintptr_t)low < size);
    CHECK(size + 16384 > wanted_stack); /* glibc counts its own block in */
    CHECK(fill(wanted_stack / 4 * 3) == 0);
    return unused;
}

static void run(const pthread_attr_t *attributes, void *(*body)(void *)) {
    pthread_t thread;
    CHECK(pthread_create(&thread, attributes, body, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

static void stacks(void) {
    pthread_attr_t attributes, usual;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN - 1) == EINVAL);
    for (wanted_stack = 128 << 10; wanted_stack <= 8 << 20; wanted_stack *= 4) {
        CHECK(pthread_attr_setstacksize(&attributes, wanted_stack) == 0);
        run(&attributes, look_at_stack);
    }
    CHECK(pthread_attr_setstacksize(&attributes, wanted_stack = 12 << 20) == 0); /* more than is usual */
    run(&attributes, look_at_stack);
    wanted_stack = 256 << 10;
    void *own = aligned_alloc(4096, wanted_stack);
    CHECK(pthread_attr_setstack(&attributes, own, wanted_stack) == 0);
    run(&attributes, look_at_stack);
    free(own);
    pthread_attr_destroy(&attributes);

    pthread_t thread;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setguardsize(&attributes, SIZE_MAX - 4096) == 0);
    CHECK(pthread_create(&thread, &attributes, look_at_stack, NULL) == EINVAL);
    pthread_attr_destroy(&attributes);

    CHECK(pthread_getattr_default_np(&usual) == 0);
    CHECK(pthread_attr_setstacksize(&usual, wanted_stack = 9 << 20) == 0);
    CHECK(pthread_setattr_default_np(&usual) == 0);
    pthread_attr_destroy(&usual);
    run(NULL, look_at_stack);
}

static void *look_at_mask(void *unused) {
    sigset_t mask;
    CHECK(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0);
    CHECK(sigismember(&mask, SIGUSR1) && !sigismember(&mask, SIGUSR2));
    return unused;
}

static void masks(void) {
    sigset_t mask, before;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    CHECK(pthread_sigmask(SIG_SETMASK, &mask, &before) == 0);
    run(NULL, look_at_mask);
    CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setsigmask_np(&attributes, &mask) == 0);
    run(&attributes, look_at_mask);
    pthread_attr_destroy(&attributes);
}

static void *look_at_name(void *unused) {
    char name[16];
    CHECK(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "parent") == 0);
    CHECK(prctl(PR_SET_NAME, "a name longer than fifteen") == 0);
    CHECK(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "a name longer t") == 0);
    return unused;
}

static void names(void) {
    char name[16];
    pthread_t self = pthread_self();
    CHECK(pthread_getname_np(self, name, sizeof name) == 0 && name[0]);
    CHECK(pthread_setname_np(self, "0123456789012345") == ERANGE);
    CHECK(pthread_getname_np(self, name, sizeof name - 1) == ERANGE);
    CHECK(pthread_setname_np(self, "parent") == 0);
    run(NULL, look_at_name);
    CHECK(prctl(PR_GET_NAME, name) == 0 && strcmp(name, "parent") == 0);
}

static void scheduling(void) {
    pthread_t self = pthread_self();
    struct sched_param parameters;
    int policy;
    cpu_set_t cpus, set;
    CHECK(pthread_getschedparam(self, &policy, &parameters) == 0);
    CHECK(policy == SCHED_OTHER && parameters.sched_priority == 0);
    parameters.sched_priority = 1000;
    CHECK(pthread_setschedparam(self, SCHED_FIFO, &parameters) == EINVAL);
    parameters.sched_priority = 0;
    CHECK(pthread_setschedparam(self, SCHED_BATCH, &parameters) == 0 && pthread_setschedprio(self, 0) == 0);
    CHECK(pthread_getschedparam(self, &policy, &parameters) == 0 && policy == SCHED_BATCH);
    CHECK(pthread_getaffinity_np(self, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 0);
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_EQUAL(&cpus, &set)); /* nobody has changed it */
    CPU_ZERO(&set);
    CHECK(pthread_setaffinity_np(self, sizeof set, &set) == EINVAL);
    for (int i = 0; CPU_COUNT(&set) == 0; i++)
        if (CPU_ISSET(i, &cpus)) CPU_SET(i, &set);
    CHECK(pthread_setaffinity_np(self, sizeof set, &set) == 0);
    CHECK(pthread_getaffinity_np(self, sizeof cpus, &cpus) == 0 && CPU_EQUAL(&cpus, &set));
    clockid_t clock;
    struct timespec time;
    CHECK(pthread_getcpuclockid(self, &clock) == 0 && clock_gettime(clock, &time) == 0);
}

int main(void) {
    stacks();
    masks();
    names();
    scheduling();
    return 0;
}
