/* An event source that calls its listeners with the lock held; a listener that unsubscribes locks again.
 *
 * Bug (deadlock of a thread with itself in unsubscribe): only when the emitter runs after the main thread has
 * subscribed the one-shot listener and before it has withdrawn it.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

enum { LISTENERS = 2 };

typedef void (*listener)(int event);

static struct source {
    pthread_mutex_t lock;
    listener listeners[LISTENERS];
} source = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int seen;

static void subscribe(int slot, listener function) {
    pthread_mutex_lock(&source.lock);
    source.listeners[slot] = function;
    pthread_mutex_unlock(&source.lock);
}

static void unsubscribe(int slot) {
    pthread_mutex_lock(&source.lock);
    source.listeners[slot] = NULL;
    pthread_mutex_unlock(&source.lock);
}

static void count_event(int event) { seen += event; }

static void once_only(int event) {
    seen += event;
    unsubscribe(1);
}

static void *emit(void *unused) {
    (void)unused;
    for (int event = 1; event <= 2; event++) {
        pthread_mutex_lock(&source.lock);
        for (int i = 0; i < LISTENERS; i++)
            if (source.listeners[i]) source.listeners[i](event);
        pthread_mutex_unlock(&source.lock);
    }
    return NULL;
}

int main(void) {
    pthread_t emitter;
    subscribe(0, count_event);
    pthread_create(&emitter, NULL, emit, NULL);
    subscribe(1, once_only);
    unsubscribe(1);
    pthread_join(emitter, NULL);
    printf("seen %d\n", seen);
    return 0;
}
