/* Much to cover: three threads, twelve shared variables, each read and written at several places, some under a lock. */
#include <pthread.h>

enum { THREADS = 3, ROUNDS = 3, FIELDS = 12 };

static struct {
    pthread_mutex_t lock;
    int a, b, c, d, e, f, g, h, i, j, k, l;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void update(int by) {
    pthread_mutex_lock(&table.lock);
    table.a += by;
    table.b += table.a;
    table.c -= table.b;
    table.d ^= table.c;
    pthread_mutex_unlock(&table.lock);
    table.e += by;
    table.f += table.e;
    table.g = table.f;
}

static void exchange(int by) {
    table.h = table.g + by;
    table.i = table.h;
    if (table.i > 3) table.j = table.i;
    pthread_mutex_lock(&table.lock);
    table.k = table.a + table.d;
    table.l += table.k;
    pthread_mutex_unlock(&table.lock);
}

static int look(void) { return table.a + table.b + table.e + table.g + table.j + table.l; }

static void *work(void *argument) {
    int number = (int)(long)argument, sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if ((round + number) % 2)
            update(number);
        else
            exchange(number);
        sum += look();
    }
    return (void *)(long)sum;
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
    return 0;
}
