#include "command.h"

static void answer(reply *out, dict_result result) {
    switch (result) {
    case DICT_DONE: reply_set(out, "+OK"); break;
    case DICT_MISSING: reply_set(out, "$nil"); break;
    case DICT_WRONG_TYPE: reply_error(out, "wrong type", NULL); break;
    case DICT_NOT_A_NUMBER: reply_error(out, "not a number", NULL); break;
    case DICT_FULL: reply_error(out, "no room", NULL); break;
    }
}

static void answer_text(reply *out, dict_result result, const char *text) {
    answer(out, result);
    if (result != DICT_DONE) return;
    reply_set(out, "$");
    reply_add(out, text);
}

static void answer_number(reply *out, long number) {
    reply_set(out, ":");
    reply_number(out, number);
}

static void run_ping(server *core, session *client, words *request, reply *out) {
    (void)core, (void)client, (void)request;
    reply_set(out, "+PONG");
}

static void run_get(server *core, session *client, words *request, reply *out) {
    char value[DICT_VALUE] = "";
    (void)client;
    answer_text(out, dict_get(core->keys, request->word[1], value, core->clock), value);
}

static void run_set(server *core, session *client, words *request, reply *out) {
    (void)client;
    answer(out, dict_set(core->keys, request->word[1], request->word[2], core->clock));
}

static void run_append(server *core, session *client, words *request, reply *out) {
    (void)client;
    answer(out, dict_append(core->keys, request->word[1], request->word[2], core->clock));
}

static void run_del(server *core, session *client, words *request, reply *out) {
    (void)client;
    answer(out, dict_remove(core->keys, request->word[1], core->clock));
}

static void run_exists(server *core, session *client, words *request, reply *out) {
    (void)client;
    answer_number(out, dict_exists(core->keys, request->word[1], core->clock));
}

static void add(server *core, words *request, long amount, reply *out) {
    long sum = 0;
    dict_result result = dict_add(core->keys, request->word[1], amount, &sum, core->clock);
    if (result == DICT_DONE)
        answer_number(out, sum);
    else
        answer(out, result);
}

static void run_incr(server *core, session *client, words *request, reply *out) {
    (void)client;
    add(core, request, 1, out);
}

static void run_incrby(server *core, session *client, words *request, reply *out) {
    long amount = 0;
    (void)client;
    if (text_number(request->word[2], &amount))
        add(core, request, amount, out);
    else
        reply_error(out, "not a number", request->word[2]);
}

static void run_cas(server *core, session *client, words *request, reply *out) {
    (void)client;
    answer(out, dict_compare_and_set(core->keys, request->word[1], request->word[2], request->word[3],
                                     core->clock));
}

static void run_push(server *core, session *client, words *request, reply *out) {
    (void)client;
    answer(out, dict_push(core->keys, request->word[1], request->word[2], core->clock));
}

static void run_pop(server *core, session *client, words *request, reply *out) {
    char value[DICT_VALUE] = "";
    (void)client;
    answer_text(out, dict_pop(core->keys, request->word[1], value, core->clock), value);
}

static void run_len(server *core, session *client, words *request, reply *out) {
    size_t length = 0;
    (void)client;
    dict_result result = dict_length(core->keys, request->word[1], &length, core->clock);
    if (result == DICT_DONE)
        answer_number(out, (long)length);
    else
        answer(out, result);
}

static void run_expire(server *core, session *client, words *request, reply *out) {
    long seconds = 0, now = core->clock;
    (void)client;
    if (text_number(request->word[2], &seconds) && seconds > 0)
        answer(out, dict_expire(core->keys, request->word[1], now + seconds, now));
    else
        reply_error(out, "not a time", request->word[2]);
}

static void run_persist(server *core, session *client, words *request, reply *out) {
    (void)client;
    answer(out, dict_expire(core->keys, request->word[1], 0, core->clock));
}

static void run_ttl(server *core, session *client, words *request, reply *out) {
    long ends = 0, now = core->clock;
    (void)client;
    dict_result result = dict_ends(core->keys, request->word[1], &ends, now);
    if (result == DICT_DONE)
        answer_number(out, ends != 0 ? ends - now : -1);
    else
        answer(out, result);
}

static void run_tick(server *core, session *client, words *request, reply *out) {
    long seconds = 0;
    (void)client;
    if (!text_number(request->word[1], &seconds) || seconds < 0) {
        reply_error(out, "not a time", request->word[1]);
        return;
    }
    core->clock += seconds;
    answer_number(out, (long)dict_sweep(core->keys, core->clock));
}

static void add_word(void *context, const char *key) {
    reply *out = context;
    reply_add(out, " ");
    reply_add(out, key);
}

static void note_slow(server *core, size_t looked_at) {
    pthread_mutex_lock(&core->stats_lock);
    if ((long)looked_at > core->stats.slowest) core->stats.slowest = (long)looked_at;
    pthread_mutex_unlock(&core->stats_lock);
}

static void run_keys(server *core, session *client, words *request, reply *out) {
    (void)client;
    reply_set(out, "*");
    note_slow(core, dict_keys(core->keys, request->word[1], core->clock, add_word, out));
}

static void run_flush(server *core, session *client, words *request, reply *out) {
    (void)client, (void)request;
    dict_clear(core->keys);
    reply_set(out, "+OK");
}

static void run_size(server *core, session *client, words *request, reply *out) {
    (void)client, (void)request;
    answer_number(out, (long)dict_count(core->keys));
}

static void run_traffic(server *core, session *client, words *request, reply *out) {
    (void)client;
    answer_number(out, (long)dict_traffic(core->keys, request->word[1]));
}

static void run_watch(server *core, session *client, words *request, reply *out) {
    unsigned long version = dict_version(core->keys, request->word[1], core->clock);
    reply_set(out, session_watch(client, request->word[1], version) ? "+OK" : "-ERR too many");
}

static void run_name(server *core, session *client, words *request, reply *out) {
    (void)core;
    session_set_name(client, request->word[1]);
    reply_set(out, "+OK");
}

static void run_sub(server *core, session *client, words *request, reply *out) {
    (void)core;
    reply_set(out, session_subscribe(client, request->word[1]) ? "+OK" : "-ERR too many");
}

static void run_unsub(server *core, session *client, words *request, reply *out) {
    (void)core;
    reply_set(out, session_unsubscribe(client, request->word[1]) ? "+OK" : "$nil");
}

static void run_pub(server *core, session *client, words *request, reply *out) {
    long listeners = 0;
    (void)client;
    pthread_mutex_lock(&core->sessions_lock);
    for (session *each = core->sessions; each; each = each->next)
        listeners += session_deliver(each, request->word[1], request->word[2]);
    pthread_mutex_unlock(&core->sessions_lock);
    pthread_mutex_lock(&core->stats_lock);
    core->stats.published += (unsigned long)listeners;
    pthread_mutex_unlock(&core->stats_lock);
    answer_number(out, listeners);
}

static void run_recv(server *core, session *client, words *request, reply *out) {
    char message[SESSION_NAME] = "";
    (void)core, (void)request;
    answer_text(out, session_receive(client, message) ? DICT_DONE : DICT_MISSING, message);
}

static void run_lost(server *core, session *client, words *request, reply *out) {
    (void)core, (void)request;
    answer_number(out, session_lost(client));
}

/* Names of all clients, and for how long they have been idle. */
static void run_clients(server *core, session *client, words *request, reply *out) {
    long now = core->clock;
    (void)client, (void)request;
    reply_set(out, "*");
    pthread_mutex_lock(&core->sessions_lock);
    for (session *each = core->sessions; each; each = each->next) {
        char name[SESSION_NAME];
        session_get_name(each, name);
        reply_add(out, " ");
        reply_add(out, name[0] ? name : "?");
        reply_add(out, "=");
        reply_number(out, now - each->last_active);
    }
    pthread_mutex_unlock(&core->sessions_lock);
}

static void run_log(server *core, session *client, words *request, reply *out) {
    char line[TEXT_LINE] = "";
    long number = 0;
    (void)client;
    bool found = text_number(request->word[1], &number) && number > 0 &&
                 journal_read(core->log, (unsigned long)number, line);
    answer_text(out, found ? DICT_DONE : DICT_MISSING, line);
}

static void run_logsize(server *core, session *client, words *request, reply *out) {
    (void)client, (void)request;
    answer_number(out, (long)journal_bytes(core->log));
}

static void run_rotate(server *core, session *client, words *request, reply *out) {
    (void)client, (void)request;
    answer_number(out, (long)journal_rotate(core->log));
}

static void run_stats(server *core, session *client, words *request, reply *out) {
    (void)client, (void)request;
    pthread_mutex_lock(&core->stats_lock);
    reply_set(out, "* reads=");
    reply_number(out, (long)core->stats.reads);
    reply_add(out, " writes=");
    reply_number(out, (long)core->stats.writes);
    reply_add(out, " errors=");
    reply_number(out, (long)core->stats.errors);
    reply_add(out, " published=");
    reply_number(out, (long)core->stats.published);
    reply_add(out, " slowest=");
    reply_number(out, core->stats.slowest);
    pthread_mutex_unlock(&core->stats_lock);
}

static const command commands[] = {
    {"ping", 0, 0, run_ping},
    {"get", 1, COMMAND_READS, run_get},
    {"set", 2, COMMAND_WRITES, run_set},
    {"append", 2, COMMAND_WRITES, run_append},
    {"del", 1, COMMAND_WRITES, run_del},
    {"exists", 1, COMMAND_READS, run_exists},
    {"incr", 1, COMMAND_WRITES, run_incr},
    {"incrby", 2, COMMAND_WRITES, run_incrby},
    {"cas", 3, COMMAND_WRITES, run_cas},
    {"push", 2, COMMAND_WRITES, run_push},
    {"pop", 1, COMMAND_WRITES, run_pop},
    {"len", 1, COMMAND_READS, run_len},
    {"expire", 2, COMMAND_WRITES, run_expire},
    {"persist", 1, COMMAND_WRITES, run_persist},
    {"ttl", 1, COMMAND_READS, run_ttl},
    {"tick", 1, 0, run_tick},
    {"keys", 1, COMMAND_READS, run_keys},
    {"flush", 0, COMMAND_WRITES, run_flush},
    {"size", 0, COMMAND_READS, run_size},
    {"traffic", 1, 0, run_traffic},
    {"watch", 1, 0, run_watch},
    {"name", 1, 0, run_name},
    {"sub", 1, 0, run_sub},
    {"unsub", 1, 0, run_unsub},
    {"pub", 2, 0, run_pub},
    {"recv", 0, 0, run_recv},
    {"lost", 0, 0, run_lost},
    {"clients", 0, 0, run_clients},
    {"log", 1, 0, run_log},
    {"logsize", 0, 0, run_logsize},
    {"rotate", 0, 0, run_rotate},
    {"stats", 0, 0, run_stats},
};

const command *command_find(const char *name) {
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (text_same_word(commands[i].name, name)) return &commands[i];
    return NULL;
}
