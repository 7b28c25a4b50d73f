#include "sessions.h"

#include <pthread.h>
#include <stdlib.h>

struct session {
    bool open;
    int user;
    unsigned last_active;
};

struct sessions {
    pthread_rwlock_t lock; /* over all that follows */
    struct session list[SESSIONS_MAX];
    unsigned now;
};

sessions *sessions_new(void) {
    sessions *table = calloc(1, sizeof *table);
    if (table) pthread_rwlock_init(&table->lock, NULL);
    return table;
}

void sessions_free(sessions *table) {
    if (!table) return;
    pthread_rwlock_destroy(&table->lock);
    free(table);
}

/* Locked: NULL if there is no such session. */
static struct session *find(sessions *table, int number) {
    if (number < 0 || number >= SESSIONS_MAX || !table->list[number].open) return NULL;
    return &table->list[number];
}

/* Locked: something happens in the session now. */
static unsigned note_activity(sessions *table, struct session *session) {
    session->last_active = ++table->now;
    return session->last_active;
}

int sessions_open(sessions *table, int user) {
    int number = -1;
    if (user < 0) return -1;
    pthread_rwlock_wrlock(&table->lock);
    for (int i = 0; i < SESSIONS_MAX && number < 0; i++)
        if (!table->list[i].open) number = i;
    if (number >= 0) {
        table->list[number] = (struct session){.open = true, .user = user};
        note_activity(table, &table->list[number]);
    }
    pthread_rwlock_unlock(&table->lock);
    return number;
}

bool sessions_close(sessions *table, int session) {
    pthread_rwlock_wrlock(&table->lock);
    struct session *found = find(table, session);
    if (found) found->open = false;
    pthread_rwlock_unlock(&table->lock);
    return found != NULL;
}

unsigned sessions_touch(sessions *table, int session) {
    pthread_rwlock_rdlock(&table->lock);
    struct session *found = find(table, session);
    unsigned time = found ? note_activity(table, found) : 0;
    pthread_rwlock_unlock(&table->lock);
    return time;
}

unsigned sessions_last_active(sessions *table, int session) {
    pthread_rwlock_rdlock(&table->lock);
    const struct session *found = find(table, session);
    unsigned time = found ? found->last_active : 0;
    pthread_rwlock_unlock(&table->lock);
    return time;
}

int sessions_user(sessions *table, int session) {
    pthread_rwlock_rdlock(&table->lock);
    const struct session *found = find(table, session);
    int user = found ? found->user : -1;
    pthread_rwlock_unlock(&table->lock);
    return user;
}

size_t sessions_count(sessions *table) {
    size_t count = 0;
    pthread_rwlock_rdlock(&table->lock);
    for (int i = 0; i < SESSIONS_MAX; i++) count += table->list[i].open;
    pthread_rwlock_unlock(&table->lock);
    return count;
}

size_t sessions_expire(sessions *table, unsigned time) {
    size_t expired = 0;
    pthread_rwlock_wrlock(&table->lock);
    for (int i = 0; i < SESSIONS_MAX; i++) {
        if (!table->list[i].open || table->list[i].last_active >= time) continue;
        table->list[i].open = false;
        expired++;
    }
    pthread_rwlock_unlock(&table->lock);
    return expired;
}
