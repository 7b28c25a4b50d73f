/* Three dining philosophers, each taking the left fork first.
 *
 * Bug (deadlock of three threads): all take their left fork before any takes the right one. Three constraints.
 */
#include <pthread.h>
#include <stdio.h>

enum { SEATS = 3, MEALS = 2 };

static struct seat {
    pthread_mutex_t fork;
    int meals;
} seats[SEATS];

static void think(int seat) {
    volatile int thought = seat;
    thought++;
}

static void eat(int seat) { seats[seat].meals++; }

static void *dine(void *arg) {
    int seat = (int)((struct seat *)arg - seats);
    pthread_mutex_t *left = &seats[seat].fork;
    pthread_mutex_t *right = &seats[(seat + 1) % SEATS].fork;
    for (int i = 0; i < MEALS; i++) {
        think(seat);
        pthread_mutex_lock(left);
        pthread_mutex_lock(right);
        eat(seat);
        pthread_mutex_unlock(right);
        pthread_mutex_unlock(left);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[SEATS];
    for (int i = 0; i < SEATS; i++) pthread_mutex_init(&seats[i].fork, NULL);
    for (int i = 0; i < SEATS; i++) pthread_create(&threads[i], NULL, dine, &seats[i]);
    int meals = 0;
    for (int i = 0; i < SEATS; i++) {
        pthread_join(threads[i], NULL);
        meals += seats[i].meals;
    }
    for (int i = 0; i < SEATS; i++) pthread_mutex_destroy(&seats[i].fork);
    printf("%d meals\n", meals);
    return 0;
}
