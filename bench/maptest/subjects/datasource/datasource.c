#include "datasource.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum state { CLOSED, IDLE, BORROWED };

struct connection {
    enum state state;
    char *session; /* what the server gave us; NULL if closed */
};

struct datasource {
    pthread_mutex_t lock; /* over all that follows */
    struct connection connections[DATASOURCE_MAX];
    int limit, active;
};

datasource *datasource_new(int limit) {
    datasource *source = calloc(1, sizeof *source);
    if (!source) return NULL;
    source->limit = limit < 1 ? 1 : limit > DATASOURCE_MAX ? DATASOURCE_MAX : limit;
    pthread_mutex_init(&source->lock, NULL);
    return source;
}

void datasource_free(datasource *source) {
    if (!source) return;
    for (int i = 0; i < DATASOURCE_MAX; i++) free(source->connections[i].session);
    pthread_mutex_destroy(&source->lock);
    free(source);
}

/* Locked: takes a connection that is open and idle, or -1. */
static int take_idle(datasource *source) {
    for (int i = 0; i < source->limit; i++) {
        if (source->connections[i].state != IDLE) continue;
        source->connections[i].state = BORROWED;
        source->active++;
        return i;
    }
    return -1;
}

/* Locked: makes a connection of a session. There is a place for it. */
static int take_new(datasource *source, char *session) {
    int i = 0;
    while (i < source->limit && source->connections[i].state != CLOSED) i++;
    assert(i < source->limit && "fewer connections are open than there may be");
    source->connections[i] = (struct connection){BORROWED, session};
    source->active++;
    return i;
}

/* A session with the server. That takes long: not to be called with the lock held. */
static char *connect_to_server(void) { return calloc(1, 16); }

int datasource_borrow(datasource *source) {
    pthread_mutex_lock(&source->lock);
    int taken = take_idle(source);
    bool full = source->active >= source->limit;
    pthread_mutex_unlock(&source->lock);
    if (taken >= 0 || full) return taken;
    char *session = connect_to_server();
    if (!session) return -1;
    pthread_mutex_lock(&source->lock);
    taken = take_new(source, session);
    pthread_mutex_unlock(&source->lock);
    return taken;
}

bool datasource_return(datasource *source, int connection) {
    if (connection < 0 || connection >= DATASOURCE_MAX) return false;
    pthread_mutex_lock(&source->lock);
    bool borrowed = source->connections[connection].state == BORROWED;
    if (borrowed) {
        source->connections[connection].state = IDLE;
        source->active--;
    }
    pthread_mutex_unlock(&source->lock);
    return borrowed;
}

int datasource_active(datasource *source) {
    pthread_mutex_lock(&source->lock);
    int active = source->active;
    pthread_mutex_unlock(&source->lock);
    return active;
}

int datasource_open(datasource *source) {
    int open = 0;
    pthread_mutex_lock(&source->lock);
    for (int i = 0; i < source->limit; i++) open += source->connections[i].state != CLOSED;
    pthread_mutex_unlock(&source->lock);
    return open;
}

int datasource_evict(datasource *source) {
    int evicted = 0;
    pthread_mutex_lock(&source->lock);
    for (int i = 0; i < source->limit; i++) {
        struct connection *connection = &source->connections[i];
        if (connection->state != IDLE) continue;
        free(connection->session);
        *connection = (struct connection){CLOSED, NULL};
        evicted++;
    }
    pthread_mutex_unlock(&source->lock);
    return evicted;
}

bool datasource_is_borrowed(datasource *source, int connection) {
    if (connection < 0 || connection >= DATASOURCE_MAX) return false;
    pthread_mutex_lock(&source->lock);
    bool borrowed = source->connections[connection].state == BORROWED;
    pthread_mutex_unlock(&source->lock);
    return borrowed;
}
