/*
 * A key-value server without its sockets: sessions, and requests as lines of text that are answered with a line. Each session is
 * used by one thread; different ones by different threads at once.
 */
#ifndef SERVER_H
#define SERVER_H

#include "dict.h"
#include "journal.h"
#include "session.h"
#include "text.h"

#include <stdatomic.h>

typedef struct server {
    dict *keys;
    journal *log;
    atomic_long clock;

    pthread_mutex_t sessions_lock; /* over the list; taken before a session's own */
    session *sessions;
    int next_id;

    pthread_rwlock_t transaction_lock; /* read-locked by requests, write-locked by transactions */

    pthread_mutex_t stats_lock;
    struct {
        unsigned long reads, writes, errors, published;
        long slowest; /* keys looked at by one request */
    } stats;
} server;

server *server_new(void);
void server_free(server *core);

session *server_open(server *core);
void server_close(server *core, session *client);
void server_request(server *core, session *client, const char *line, reply *out);

#endif
