/* says: replaces itself by '/bin/true' \(exec\) while threads run: executions end there */
#include <pthread.h>
#include <unistd.h>

static void *replace(void *unused) {
    execl("/bin/true", "true", (char *)0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, replace, NULL);
    pthread_join(thread, NULL);
    return 1;
}
