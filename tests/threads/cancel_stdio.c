/* A thread is cancelled while it prints: the stream is not left locked. */
#include <pthread.h>
#include <unistd.h>

#include "check.h"

static FILE *stream;

static void *print(void *unused) {
    (void)unused;
    for (int i = 0;; i++) {
        CHECK(fprintf(stream, "%d %s\n", i, "line") > 0);
        CHECK(fputs("another\n", stream) >= 0);
        CHECK(fflush(stream) == 0);
        pthread_testcancel();
    }
}

int main(void) {
    stream = fopen("/dev/null", "w");
    CHECK(stream);
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        void *result;
        CHECK(pthread_create(&thread, NULL, print, NULL) == 0);
        CHECK(fputs("mine\n", stream) >= 0);
        CHECK(pthread_cancel(thread) == 0);
        CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
        CHECK(fprintf(stream, "still %d\n", i) > 0);
        CHECK(fflush(stream) == 0);
    }
    fclose(stream);
    return 0;
}
