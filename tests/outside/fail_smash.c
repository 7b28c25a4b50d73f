/* fails: abort: stack smashing detected
 * flags: -fstack-protector-all -O0 */
#include <pthread.h>
#include <string.h>

static void overflow(volatile int size) {
    char buffer[16];
    char *volatile to = buffer;
    for (int i = 0; i < size; i++) to[i] = 'x';
}

static void *smash(void *unused) {
    overflow(40);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, smash, NULL);
    pthread_join(thread, NULL);
    return 0;
}
