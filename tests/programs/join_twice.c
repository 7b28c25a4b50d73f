/* A service that can be stopped from two places; both look at `joined` before either joins.
 *
 * Bug (misuse, join of a thread already joined, in service_stop): the control thread and main see `joined` unset;
 * one joins and sets it; the other joins the same thread again.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static struct service {
    pthread_t thread;
    atomic_bool stop;
    atomic_bool joined;
    atomic_int ticks;
} service;

static void *service_main(void *arg) {
    struct service *s = arg;
    for (int i = 0; i < 3 && !atomic_load(&s->stop); i++) atomic_fetch_add(&s->ticks, 1);
    return NULL;
}

static void service_start(struct service *s) { pthread_create(&s->thread, NULL, service_main, s); }

static void service_stop(struct service *s) {
    atomic_store(&s->stop, 1);
    if (!atomic_load(&s->joined)) {
        pthread_join(s->thread, NULL);
        atomic_store(&s->joined, 1);
    }
}

static void *control(void *arg) {
    service_stop(arg);
    return NULL;
}

int main(void) {
    pthread_t controller;
    service_start(&service);
    pthread_create(&controller, NULL, control, &service);
    service_stop(&service);
    pthread_join(controller, NULL);
    printf("stopped after at most 3 ticks: %d\n", atomic_load(&service.ticks) <= 3);
    return 0;
}
