// fails: abort: a catch \(\.\.\.\) swallowed the end of the thread
#include <pthread.h>

static void *end(void *) {
    try {
        pthread_exit(nullptr);
    } catch (...) {}
    return nullptr;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, nullptr, end, nullptr);
    pthread_join(thread, nullptr);
    return 0;
}
