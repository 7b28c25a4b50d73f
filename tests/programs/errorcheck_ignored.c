/* An error-checking mutex whose errors are ignored by a helper that locks on behalf of its caller.
 *
 * Bug (abort in must): append locks, sees the list full (only if both appenders got in before), calls compact, which
 * locks again (EDEADLK, ignored) and unlocks; append's own unlock then fails with EPERM.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 3 };

static struct list {
    pthread_mutex_t lock;
    int items[CAPACITY];
    int count, compactions;
} list;

static void must(int error) {
    if (error) {
        fprintf(stderr, "list: %s\n", strerror(error));
        abort();
    }
}

static void list_init(struct list *l) {
    pthread_mutexattr_t attributes;
    must(pthread_mutexattr_init(&attributes));
    must(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK));
    must(pthread_mutex_init(&l->lock, &attributes));
    must(pthread_mutexattr_destroy(&attributes));
}

static void compact(struct list *l) {
    pthread_mutex_lock(&l->lock);
    l->count /= 2;
    l->compactions++;
    pthread_mutex_unlock(&l->lock);
}

static void append(struct list *l, int item) {
    must(pthread_mutex_lock(&l->lock));
    if (l->count == CAPACITY) compact(l);
    l->items[l->count++] = item;
    must(pthread_mutex_unlock(&l->lock));
}

static void *appender(void *arg) {
    for (int i = 0; i < 2; i++) append(arg, i);
    return NULL;
}

static void *trimmer(void *arg) {
    compact(arg);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    list_init(&list);
    pthread_create(&threads[0], NULL, appender, &list);
    pthread_create(&threads[1], NULL, trimmer, &list);
    pthread_create(&threads[2], NULL, appender, &list);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    printf("%d items\n", list.count);
    return 0;
}
