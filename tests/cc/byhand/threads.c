/* Threads in every form; each line of output is the same whatever the order. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static sem_t tokens;
static int sum, initialised, destroyed;
static __thread int mine;

static void initialise(void) { initialised++; }
static void destroy(void *value) { __atomic_fetch_add(&destroyed, *(int *)value, __ATOMIC_SEQ_CST); }

static void *work(void *argument) {
    static const int one = 1;
    pthread_once(&once, initialise);
    pthread_setspecific(key, &one);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 1000; i++) {
        sem_wait(&tokens);
        pthread_mutex_lock(&lock);
        sum += (int)(long)argument;
        mine++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
        sem_post(&tokens);
        pthread_rwlock_rdlock(&table);
        pthread_rwlock_unlock(&table);
    }
    return (void *)(long)mine;
}

static void cleanup(void *argument) { *(int *)argument = 7; }

static void *wait_for_ever(void *argument) {
    pthread_cleanup_push(cleanup, argument);
    pthread_mutex_lock(&lock);
    pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, &lock);
    for (;;)
        pthread_cond_wait(&changed, &lock);
    pthread_cleanup_pop(1);
    pthread_cleanup_pop(1);
    return NULL;
}

static int c11_thread(void *argument) { return *(int *)argument + 1; }

static void *exit_early(void *argument) {
    pthread_exit(argument);
}

int main(void) {
    pthread_t threads[4];
    sem_init(&tokens, 0, 2);
    pthread_barrier_init(&barrier, NULL, 4);
    pthread_key_create(&key, destroy);
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    pthread_mutex_lock(&lock);
    while (sum < 10000)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    long counted = 0;
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        counted += (long)result;
    }
    printf("sum %d, counted %ld, initialised %d, destroyed %d\n", sum, counted, initialised, destroyed);

    int cleaned = 0;
    void *result;
    pthread_create(&threads[0], NULL, wait_for_ever, &cleaned);
    pthread_cancel(threads[0]);
    pthread_join(threads[0], &result);
    printf("cancelled %d, cleaned %d, lock free %d\n", result == PTHREAD_CANCELED, cleaned,
           pthread_mutex_trylock(&lock) == 0);
    pthread_mutex_unlock(&lock);

    struct timespec past = {0, 0};
    pthread_mutex_lock(&lock);
    printf("timed wait: %s\n", strerror(pthread_cond_timedwait(&changed, &lock, &past)));
    pthread_mutex_unlock(&lock);
    printf("timed semaphore: ");
    sem_wait(&tokens), sem_wait(&tokens);
    printf("%d ", sem_timedwait(&tokens, &past));
    printf("%s\n", strerror(errno));

    pthread_mutexattr_t attributes;
    pthread_mutex_t strict;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&strict, &attributes);
    pthread_mutex_lock(&strict);
    printf("errorcheck: %s", strerror(pthread_mutex_lock(&strict)));
    pthread_mutex_unlock(&strict);
    printf(", %s\n", strerror(pthread_mutex_unlock(&strict)));

    thrd_t thread;
    int status = 41;
    thrd_create(&thread, c11_thread, &status);
    thrd_join(thread, &status);
    printf("C11: %d\n", status);

    char name[16];
    pthread_setname_np(pthread_self(), "keeper");
    pthread_getname_np(pthread_self(), name, sizeof name);
    pthread_create(&threads[0], NULL, exit_early, name);
    pthread_join(threads[0], &result);
    printf("name: %s\n", (char *)result);
    return 3;
}
