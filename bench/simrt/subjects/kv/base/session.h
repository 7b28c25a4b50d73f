/*
 * A client's state: requests collected for a transaction, keys it watches, messages that wait for it. A session is used by its
 * client's thread only, but for what is said to be for all.
 */
#ifndef SESSION_H
#define SESSION_H

#include "text.h"

#include <pthread.h>

enum { SESSION_QUEUE = 6, SESSION_WATCHES = 4, SESSION_MAIL = 4, SESSION_CHANNELS = 3, SESSION_NAME = 16 };

typedef struct session {
    struct session *next; /* of the server's list */
    int id;
    long last_active;

    bool collecting, spoilt;
    int queued;
    char queue[SESSION_QUEUE][TEXT_LINE];
    int watched;
    struct {
        char key[SESSION_NAME];
        unsigned long version;
    } watches[SESSION_WATCHES];

    pthread_mutex_t lock; /* over what follows, which is for all */
    char name[SESSION_NAME];
    int channels;
    char channel[SESSION_CHANNELS][SESSION_NAME];
    int mails, lost;
    char mail[SESSION_MAIL][SESSION_NAME];
} session;

session *session_new(int id, long now);
void session_free(session *client);

bool session_collect(session *client, const char *line);
bool session_watch(session *client, const char *key, unsigned long version);
void session_end_transaction(session *client);

/* For all. */
void session_set_name(session *client, const char *name);
void session_get_name(session *client, char name[SESSION_NAME]);
bool session_subscribe(session *client, const char *channel);
bool session_unsubscribe(session *client, const char *channel);
/* True if the client listens to the channel; if its box is full, the message is lost. */
bool session_deliver(session *client, const char *channel, const char *message);
/* The oldest message. */
bool session_receive(session *client, char message[SESSION_NAME]);
int session_lost(session *client);

#endif
