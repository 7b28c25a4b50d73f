/* A request that lives on the caller's stack; the caller gives up when the worker has not begun yet, and returns.
 *
 * Bug (use-after-return in answer): the worker has taken the request from the slot, but not yet marked it as begun; the
 * caller sees it not begun, returns, and the worker writes into a frame that is gone.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>

enum { LINE = 16384 };

struct request {
    int question;
    atomic_bool begun;
    int result;
    sem_t done;
};

static _Atomic(struct request *) slot;
static sem_t posted;

static void answer(struct request *request) {
    atomic_store(&request->begun, 1);
    request->result = request->question * 2;
    sem_post(&request->done);
}

static void *worker(void *unused) {
    (void)unused;
    sem_wait(&posted);
    struct request *request = atomic_exchange(&slot, NULL);
    if (request) answer(request);
    return NULL;
}

__attribute__((noinline)) static int ask(int question) {
    struct request request = {.question = question, .result = -1};
    sem_init(&request.done, 0, 0);
    atomic_store(&slot, &request);
    sem_post(&posted);
    if (atomic_load(&request.begun)) sem_wait(&request.done);
    atomic_store(&slot, NULL);
    return request.result;
}

/* Reads a question from a line of text, as a client sends it. */
__attribute__((noinline)) static int serve_client(const char *text) {
    char line[LINE];
    int question;
    snprintf(line, sizeof line, "%s\n", text);
    return sscanf(line, "ask %d", &question) == 1 ? ask(question) : -1;
}

int main(void) {
    pthread_t thread;
    sem_init(&posted, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    int result = serve_client("ask 21");
    pthread_join(thread, NULL);
    printf("%d\n", result);
    return 0;
}
