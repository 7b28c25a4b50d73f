/* fails: assert: fail_perror.c:[0-9]+: check: Unexpected error: No such file or directory */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void *check(void *unused) {
    assert_perror(ENOENT);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, check, NULL);
    pthread_join(thread, NULL);
    return 0;
}
