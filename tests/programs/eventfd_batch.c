/* An event loop woken through an eventfd; one wake-up handles one item, but two posts make one wake-up.
 *
 * Bug (deadlock in event_loop, in epoll_wait): the poster posts twice before the loop reads the counter; the loop
 * reads 2, handles one item and waits again.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { ITEMS = 2 };

static struct loop {
    int poll, wake;
    atomic_int queued;
    int handled;
} loop;

static int loop_init(struct loop *l) {
    struct epoll_event event = {.events = EPOLLIN};
    l->poll = epoll_create1(EPOLL_CLOEXEC);
    l->wake = eventfd(0, EFD_CLOEXEC);
    return l->poll < 0 || l->wake < 0 || epoll_ctl(l->poll, EPOLL_CTL_ADD, l->wake, &event);
}

static void post(struct loop *l) {
    uint64_t one = 1;
    atomic_fetch_add(&l->queued, 1);
    if (write(l->wake, &one, sizeof one) != sizeof one) perror("write");
}

static void *event_loop(void *arg) {
    struct loop *l = arg;
    while (l->handled < ITEMS) {
        struct epoll_event event;
        uint64_t posts;
        if (epoll_wait(l->poll, &event, 1, -1) != 1) continue;
        if (read(l->wake, &posts, sizeof posts) != sizeof posts) continue;
        if (atomic_load(&l->queued) > l->handled) l->handled++;
    }
    return NULL;
}

int main(void) {
    pthread_t thread;
    if (loop_init(&loop)) return 1;
    pthread_create(&thread, NULL, event_loop, &loop);
    for (int i = 0; i < ITEMS; i++) post(&loop);
    pthread_join(thread, NULL);
    close(loop.wake);
    close(loop.poll);
    printf("%d handled\n", loop.handled);
    return 0;
}
