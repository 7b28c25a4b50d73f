/* A message through two flags under two locks: in order, which locks alone do not tell.
 * races: none
 * maybe: a-b
 */
#include "subject.h"

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int sent, passed, message;

static void *sender(void *unused) {
    message = 1; /* @a */
    pthread_mutex_lock(&one);
    sent = 1;
    pthread_mutex_unlock(&one);
    return unused;
}

static void *relay(void *unused) {
    pthread_mutex_lock(&one);
    int seen = sent;
    pthread_mutex_unlock(&one);
    pthread_mutex_lock(&other);
    passed = seen;
    pthread_mutex_unlock(&other);
    return unused;
}

static void *receiver(void *unused) {
    pthread_mutex_lock(&other);
    int seen = passed;
    pthread_mutex_unlock(&other);
    if (seen) message = 2; /* @b */
    return unused;
}

int main(void) {
    run_three(sender, relay, receiver);
    return 0;
}
