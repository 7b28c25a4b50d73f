#include "session.h"

#include <stdlib.h>
#include <string.h>

static void copy_name(char to[SESSION_NAME], const char *from) {
    size_t length = strlen(from);
    if (length >= SESSION_NAME) length = SESSION_NAME - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

session *session_new(int id, long now) {
    session *client = calloc(1, sizeof *client);
    if (!client) return NULL;
    pthread_mutex_init(&client->lock, NULL);
    client->id = id;
    client->last_active = now;
    return client;
}

void session_free(session *client) {
    if (!client) return;
    pthread_mutex_destroy(&client->lock);
    free(client);
}

bool session_collect(session *client, const char *line) {
    if (client->queued == SESSION_QUEUE || strlen(line) >= TEXT_LINE) {
        client->spoilt = true;
        return false;
    }
    memcpy(client->queue[client->queued++], line, strlen(line) + 1);
    return true;
}

bool session_watch(session *client, const char *key, unsigned long version) {
    if (client->watched == SESSION_WATCHES) return false;
    copy_name(client->watches[client->watched].key, key);
    client->watches[client->watched++].version = version;
    return true;
}

void session_end_transaction(session *client) {
    client->collecting = client->spoilt = false;
    client->queued = client->watched = 0;
}

void session_set_name(session *client, const char *name) {
    pthread_mutex_lock(&client->lock);
    copy_name(client->name, name);
    pthread_mutex_unlock(&client->lock);
}

void session_get_name(session *client, char name[SESSION_NAME]) {
    pthread_mutex_lock(&client->lock);
    memcpy(name, client->name, SESSION_NAME);
    pthread_mutex_unlock(&client->lock);
}

/* Its index, or -1. Locked. */
static int find_channel(const session *client, const char *channel) {
    for (int i = 0; i < client->channels; i++)
        if (strncmp(client->channel[i], channel, SESSION_NAME - 1) == 0) return i;
    return -1;
}

/* Locked. */
static void put_mail(session *client, const char *message) {
    if (client->mails == SESSION_MAIL)
        client->lost++;
    else
        copy_name(client->mail[client->mails++], message);
}

bool session_subscribe(session *client, const char *channel) {
    pthread_mutex_lock(&client->lock);
    bool there = find_channel(client, channel) >= 0, done = there || client->channels < SESSION_CHANNELS;
    if (done && !there) copy_name(client->channel[client->channels++], channel);
    pthread_mutex_unlock(&client->lock);
    return done;
}

bool session_unsubscribe(session *client, const char *channel) {
    pthread_mutex_lock(&client->lock);
    int index = find_channel(client, channel);
    if (index >= 0) memmove(client->channel[index], client->channel[--client->channels], SESSION_NAME);
    pthread_mutex_unlock(&client->lock);
    return index >= 0;
}

bool session_deliver(session *client, const char *channel, const char *message) {
    pthread_mutex_lock(&client->lock);
    bool listens = find_channel(client, channel) >= 0;
    if (listens) put_mail(client, message);
    pthread_mutex_unlock(&client->lock);
    return listens;
}

bool session_receive(session *client, char message[SESSION_NAME]) {
    pthread_mutex_lock(&client->lock);
    bool some = client->mails > 0;
    if (some) {
        memcpy(message, client->mail[0], SESSION_NAME);
        memmove(client->mail[0], client->mail[1], sizeof client->mail - SESSION_NAME);
        client->mails--;
    }
    pthread_mutex_unlock(&client->lock);
    return some;
}

int session_lost(session *client) {
    pthread_mutex_lock(&client->lock);
    int lost = client->lost;
    pthread_mutex_unlock(&client->lock);
    return lost;
}
