/* A session object torn down when its user count is zero; the last user signals that before it unlocks.
 *
 * Bug (misuse, destroy of a locked mutex, in session_close): the user decrements `users` inside the lock; main,
 * which polls `users` without it, sees zero and destroys the mutex before the user has unlocked it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static struct session {
    pthread_mutex_t lock;
    atomic_int users;
    int requests;
} session;

static void session_open(struct session *s, int users) {
    pthread_mutex_init(&s->lock, NULL);
    atomic_store(&s->users, users);
}

static void session_request(struct session *s) {
    pthread_mutex_lock(&s->lock);
    s->requests++;
    pthread_mutex_unlock(&s->lock);
}

static void session_leave(struct session *s) {
    pthread_mutex_lock(&s->lock);
    s->requests++;
    atomic_fetch_sub(&s->users, 1);
    pthread_mutex_unlock(&s->lock);
}

static void session_close(struct session *s) {
    while (atomic_load(&s->users)) sched_yield();
    pthread_mutex_destroy(&s->lock);
}

static void *user(void *arg) {
    session_request(arg);
    session_leave(arg);
    return NULL;
}

int main(void) {
    pthread_t users[2];
    session_open(&session, 2);
    for (int i = 0; i < 2; i++) pthread_create(&users[i], NULL, user, &session);
    session_close(&session);
    for (int i = 0; i < 2; i++) pthread_join(users[i], NULL);
    printf("%d requests\n", session.requests);
    return 0;
}
