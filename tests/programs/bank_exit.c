/* Accounts with a lock each; a transfer reads the balance in one critical section and writes it in another.
 *
 * Bug (exit with status 1): two deposits into the same account read the same balance; one of them is lost; the audit
 * at the end notices and the program fails.
 */
#include <pthread.h>
#include <stdio.h>

enum { ACCOUNTS = 2, CLERKS = 2 };

static struct account {
    pthread_mutex_t lock;
    long balance;
} accounts[ACCOUNTS] = {{PTHREAD_MUTEX_INITIALIZER, 100}, {PTHREAD_MUTEX_INITIALIZER, 100}};

static long balance(struct account *a) {
    pthread_mutex_lock(&a->lock);
    long value = a->balance;
    pthread_mutex_unlock(&a->lock);
    return value;
}

static void set_balance(struct account *a, long value) {
    pthread_mutex_lock(&a->lock);
    a->balance = value;
    pthread_mutex_unlock(&a->lock);
}

static void transfer(struct account *from, struct account *to, long amount) {
    set_balance(from, balance(from) - amount);
    set_balance(to, balance(to) + amount);
}

static void *clerk(void *arg) {
    int me = *(int *)arg;
    transfer(&accounts[me], &accounts[1 - me], 10);
    return NULL;
}

int main(void) {
    pthread_t clerks[CLERKS];
    int ids[CLERKS] = {0, 1};
    for (int i = 0; i < CLERKS; i++) pthread_create(&clerks[i], NULL, clerk, &ids[i]);
    for (int i = 0; i < CLERKS; i++) pthread_join(clerks[i], NULL);
    long total = balance(&accounts[0]) + balance(&accounts[1]);
    if (total != 200) {
        fprintf(stderr, "audit failed: %ld\n", total);
        return 1;
    }
    return 0;
}
