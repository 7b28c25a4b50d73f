/* Accounts guarded by binary semaphores; a transfer takes both in the order of its arguments.
 *
 * Bug (deadlock): transfer(0, 1) takes semaphore 0, transfer(1, 0) takes semaphore 1, each then waits for the other.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

enum { ACCOUNTS = 2 };

static struct account {
    sem_t guard;
    long balance;
} accounts[ACCOUNTS];

struct order {
    int from, to;
    long amount;
};

static void transfer(const struct order *order) {
    struct account *from = &accounts[order->from], *to = &accounts[order->to];
    sem_wait(&from->guard);
    sem_wait(&to->guard);
    if (from->balance >= order->amount) {
        from->balance -= order->amount;
        to->balance += order->amount;
    }
    sem_post(&to->guard);
    sem_post(&from->guard);
}

static void *clerk(void *orders) {
    const struct order *order = orders;
    for (int i = 0; i < 2; i++) transfer(order);
    return NULL;
}

int main(void) {
    struct order orders[2] = {{0, 1, 10}, {1, 0, 5}};
    pthread_t clerks[2];
    for (int i = 0; i < ACCOUNTS; i++) {
        sem_init(&accounts[i].guard, 0, 1);
        accounts[i].balance = 100;
    }
    for (int i = 0; i < 2; i++) pthread_create(&clerks[i], NULL, clerk, &orders[i]);
    for (int i = 0; i < 2; i++) pthread_join(clerks[i], NULL);
    printf("%ld\n", accounts[0].balance + accounts[1].balance);
    for (int i = 0; i < ACCOUNTS; i++) sem_destroy(&accounts[i].guard);
    return 0;
}
