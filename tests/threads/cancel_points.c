/* A thread that waits for ever is cancelled at each place where POSIX lets it wait: its clean-up handler runs, its
 * result is PTHREAD_CANCELED, and the request also works if it is there before the thread comes to wait.
 * also: -fexceptions
 * schedules: 60
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_t main_thread;
static sem_t never;
static int ends[2], full[2], sockets[2], epoll;
static char byte[1 << 17];
static sigset_t signals;
static const struct timespec long_time = {.tv_sec = 1000000}, far = {.tv_sec = INT32_MAX};

static void in_join(void) { pthread_join(main_thread, NULL); }
static void in_timedjoin(void) { pthread_timedjoin_np(main_thread, NULL, &far); }
static void in_sem_wait(void) { sem_wait(&never); }
static void in_sem_timedwait(void) { sem_timedwait(&never, &far); }
static void in_testcancel(void) {
    for (;;) pthread_testcancel();
}
static void in_sleep(void) { sleep(1000000); }
static void in_usleep(void) {
    for (;;) usleep(900000);
}
static void in_nanosleep(void) { nanosleep(&long_time, NULL); }
static void in_clock_nanosleep(void) { clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &far, NULL); }
static void in_thrd_sleep(void) { thrd_sleep(&long_time, NULL); }
static void in_pause(void) { pause(); }
static void in_sigsuspend(void) { sigsuspend(&signals); }
static void in_sigwaitinfo(void) { sigwaitinfo(&signals, NULL); }
static void in_sigtimedwait(void) { sigtimedwait(&signals, NULL, &long_time); }
static void in_sigwait(void) {
    int number;
    sigwait(&signals, &number);
}
static void in_read(void) { (void)!read(ends[0], byte, 1); }
static void in_readv(void) { (void)!readv(ends[0], &(struct iovec){byte, 1}, 1); }
static void in_recv(void) { recv(sockets[0], byte, 1, 0); }
static void in_recvmsg(void) {
    struct iovec part = {byte, 1};
    recvmsg(sockets[0], &(struct msghdr){.msg_iov = &part, .msg_iovlen = 1}, 0);
}
static void in_write(void) {
    while (write(full[1], byte, sizeof byte) > 0) {}
}
static void in_poll(void) { poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, -1); }
static void in_ppoll(void) { ppoll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, &long_time, NULL); }
static void in_select(void) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    select(ends[0] + 1, &set, NULL, NULL, NULL);
}
static void in_epoll_wait(void) { epoll_wait(epoll, &(struct epoll_event){0}, 1, -1); }

static void unlock(void *unused) {
    (void)unused;
    CHECK(pthread_mutex_unlock(&mutex) == 0);
}
static void in_cond_wait(void) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, NULL);
    for (;;) pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(1);
}
static void in_cond_timedwait(void) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, NULL);
    for (;;) pthread_cond_timedwait(&cond, &mutex, &far);
    pthread_cleanup_pop(1);
}

static const struct place {
    const char *name;
    void (*wait)(void);
} places[] = {
#define PLACE(name) \
    { #name, in_##name }
    PLACE(join),           PLACE(timedjoin),  PLACE(sem_wait),    PLACE(sem_timedwait),   PLACE(testcancel),
    PLACE(sleep),          PLACE(usleep),     PLACE(nanosleep),   PLACE(clock_nanosleep), PLACE(thrd_sleep),
    PLACE(pause),          PLACE(sigsuspend), PLACE(sigwaitinfo), PLACE(sigtimedwait),    PLACE(sigwait),
    PLACE(read),           PLACE(readv),      PLACE(recv),        PLACE(recvmsg),         PLACE(write),
    PLACE(poll),           PLACE(ppoll),      PLACE(select),      PLACE(epoll_wait),      PLACE(cond_wait),
    PLACE(cond_timedwait),
};

static atomic_int cleaned;

static void clean(void *unused) {
    (void)unused;
    cleaned++;
}

/* Time may run out under a free schedule: then it waits again. */
static void *wait_there(void *place) {
    pthread_cleanup_push(clean, NULL);
    for (;;) ((const struct place *)place)->wait();
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    main_thread = pthread_self();
    sem_init(&never, 0, 0);
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    CHECK(pipe(ends) == 0 && pipe(full) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    epoll = epoll_create1(0);
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &(struct epoll_event){.events = EPOLLIN}) == 0);
    const char *only = getenv("PLACE");
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (only && strcmp(only, places[i].name) != 0) continue;
        pthread_t thread;
        void *result;
        int before = cleaned;
        CHECK(pthread_create(&thread, NULL, wait_there, (void *)&places[i]) == 0);
        CHECK(pthread_cancel(thread) == 0);
        CHECK(pthread_join(thread, &result) == 0);
        if (result != PTHREAD_CANCELED || cleaned != before + 1) fprintf(stderr, "%s\n", places[i].name);
        CHECK(result == PTHREAD_CANCELED && cleaned == before + 1);
    }
    CHECK(pthread_mutex_trylock(&mutex) == 0);
    return 0;
}
