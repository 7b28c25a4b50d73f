/* One function, its two locks chosen by arguments: both wait on the same line.
 * races: none
 * deadlocks: p+p
 */
#include "subject.h"

static struct account {
    pthread_mutex_t lock;
    int balance;
} accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 9}, {PTHREAD_MUTEX_INITIALIZER, 9}};

static void transfer(struct account *from, struct account *to) {
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock); /* @p */
    from->balance--;
    to->balance++;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *forth(void *unused) {
    transfer(&accounts[0], &accounts[1]);
    return unused;
}

static void *back(void *unused) {
    transfer(&accounts[1], &accounts[0]);
    return unused;
}

int main(void) {
    run_two(forth, back);
    return 0;
}
