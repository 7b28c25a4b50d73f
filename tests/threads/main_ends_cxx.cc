// main leaves by pthread_exit with objects in its frames: their destructors run; those of static objects only when the
// last thread has ended.
#include <pthread.h>
#include <semaphore.h>

#include "check.h"

static sem_t left;
static int order;

struct At {
    int place;
    ~At() { CHECK(++order == place); }
};

static At last{4};

static void *other(void *) {
    sem_wait(&left);
    CHECK(++order == 3);
    return nullptr;
}

static void tell(void *) { sem_post(&left); }

int main() {
    pthread_t thread;
    pthread_key_t key;
    sem_init(&left, 0, 0);
    pthread_key_create(&key, tell);
    pthread_setspecific(key, &left);
    At outer{2};
    pthread_create(&thread, nullptr, other, nullptr);
    At inner{1};
    pthread_exit(nullptr);
}
