#include "server.h"

#include "command.h"

#include <stdlib.h>

server *server_new(void) {
    server *core = calloc(1, sizeof *core);
    if (!core) return NULL;
    core->keys = dict_new();
    core->log = journal_new();
    pthread_mutex_init(&core->sessions_lock, NULL);
    pthread_mutex_init(&core->stats_lock, NULL);
    pthread_rwlock_init(&core->transaction_lock, NULL);
    core->clock = 1000;
    if (!core->keys || !core->log) {
        server_free(core);
        return NULL;
    }
    return core;
}

void server_free(server *core) {
    if (!core) return;
    while (core->sessions) server_close(core, core->sessions);
    dict_free(core->keys);
    journal_free(core->log);
    pthread_mutex_destroy(&core->sessions_lock);
    pthread_mutex_destroy(&core->stats_lock);
    pthread_rwlock_destroy(&core->transaction_lock);
    free(core);
}

session *server_open(server *core) {
    pthread_mutex_lock(&core->sessions_lock);
    session *client = session_new(core->next_id + 1, core->clock);
    if (client) {
        core->next_id++;
        client->next = core->sessions;
        core->sessions = client;
    }
    pthread_mutex_unlock(&core->sessions_lock);
    return client;
}

void server_close(server *core, session *client) {
    pthread_mutex_lock(&core->sessions_lock);
    session **place = &core->sessions;
    while (*place && *place != client) place = &(*place)->next;
    if (*place) *place = client->next;
    pthread_mutex_unlock(&core->sessions_lock);
    session_free(client);
}

static void count_request(server *core, const command *what, const reply *out) {
    pthread_mutex_lock(&core->stats_lock);
    if (out->text[0] == '-')
        core->stats.errors++;
    else if (what->flags & COMMAND_WRITES)
        core->stats.writes++;
    else
        core->stats.reads++;
    pthread_mutex_unlock(&core->stats_lock);
}

static void execute(server *core, session *client, const char *line, reply *out) {
    words words_;
    if (!words_split(&words_, line) || words_.count == 0) {
        reply_error(out, "cannot read request", NULL);
        return;
    }
    const command *what = command_find(words_.word[0]);
    if (!what) {
        reply_error(out, "unknown command", words_.word[0]);
        return;
    }
    if (words_.count - 1 != what->arguments) {
        reply_error(out, "wrong number of arguments", words_.word[0]);
        return;
    }
    what->run(core, client, &words_, out);
    if (what->flags & COMMAND_WRITES && out->text[0] != '-') journal_append(core->log, line);
    if (what->flags) count_request(core, what, out);
}

/* All of the requests, or none if a key that is watched has changed. */
static void execute_collected(server *core, session *client, reply *out) {
    bool fresh = !client->spoilt;
    pthread_rwlock_wrlock(&core->transaction_lock);
    for (int i = 0; i < client->watched && fresh; i++)
        fresh = dict_version(core->keys, client->watches[i].key, core->clock) == client->watches[i].version;
    for (int i = 0; i < client->queued && fresh; i++) execute(core, client, client->queue[i], out);
    pthread_rwlock_unlock(&core->transaction_lock);
    reply_set(out, fresh ? "+OK " : "-ERR transaction given up");
    if (fresh) reply_number(out, client->queued);
    session_end_transaction(client);
}

void server_request(server *core, session *client, const char *line, reply *out) {
    reply_set(out, "");
    client->last_active = core->clock;
    if (text_same_word(line, "multi")) {
        client->collecting = true;
        reply_set(out, "+OK");
    } else if (text_same_word(line, "discard")) {
        session_end_transaction(client);
        reply_set(out, "+OK");
    } else if (text_same_word(line, "exec")) {
        execute_collected(core, client, out);
    } else if (client->collecting) {
        reply_set(out, session_collect(client, line) ? "+QUEUED" : "-ERR too many");
    } else {
        pthread_rwlock_rdlock(&core->transaction_lock);
        execute(core, client, line, out);
        pthread_rwlock_unlock(&core->transaction_lock);
    }
}
