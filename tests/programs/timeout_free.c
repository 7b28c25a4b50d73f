/* A remote call with a time-out: the caller frees the request when the answer does not come in time.
 *
 * Bug (use-after-free in serve, only if the time-out of one second expires): the server has taken the request; the
 * caller's timed wait ends by time and frees it; the server fills in the answer.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct request {
    int question, answer;
    bool done;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct request *submitted;
static bool closing;

static void *serve(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!submitted && !closing) pthread_cond_wait(&changed, &lock);
    struct request *request = submitted;
    submitted = NULL;
    pthread_mutex_unlock(&lock);
    if (!request) return NULL;
    int answer = request->question * 2;
    pthread_mutex_lock(&lock);
    request->answer = answer;
    request->done = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static int call(int question) {
    struct request *request = calloc(1, sizeof *request);
    struct timespec deadline;
    int status = 0, answer = -1;
    request->question = question;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec++;
    pthread_mutex_lock(&lock);
    submitted = request;
    pthread_cond_broadcast(&changed);
    while (!request->done && status != ETIMEDOUT) status = pthread_cond_timedwait(&changed, &lock, &deadline);
    if (request->done) answer = request->answer;
    if (submitted == request) submitted = NULL;
    closing = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    free(request);
    return answer;
}

int main(void) {
    pthread_t server;
    pthread_create(&server, NULL, serve, NULL);
    printf("%d\n", call(21));
    pthread_join(server, NULL);
    return 0;
}
