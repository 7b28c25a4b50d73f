#include "server.h"

#include "../../drive.h"

/* Each script is a client with a session of its own, from its first request on. */
static void request(const drive_call *call) {
    reply out, line;
    if (!*call->last) *call->last = (long)server_open(call->subject);
    reply_set(&line, call->name);
    for (int i = 0; i < DRIVE_ARGUMENTS && call->argument[i]; i++) {
        reply_add(&line, " ");
        reply_add(&line, call->argument[i]);
    }
    server_request(call->subject, (session *)*call->last, line.text, &out);
}

const drive_command drive_commands[] = {
    {"ping", 0, request},   {"get", 1, request},     {"set", 2, request},     {"append", 2, request},
    {"del", 1, request},    {"exists", 1, request},  {"incr", 1, request},    {"incrby", 2, request},
    {"cas", 3, request},    {"push", 2, request},    {"pop", 1, request},     {"len", 1, request},
    {"expire", 2, request}, {"persist", 1, request}, {"ttl", 1, request},     {"tick", 1, request},
    {"keys", 1, request},   {"flush", 0, request},   {"size", 0, request},    {"traffic", 1, request},
    {"watch", 1, request},  {"name", 1, request},    {"sub", 1, request},     {"unsub", 1, request},
    {"pub", 2, request},    {"recv", 0, request},    {"lost", 0, request},    {"clients", 0, request},
    {"log", 1, request},    {"logsize", 0, request}, {"rotate", 0, request},  {"stats", 0, request},
    {"multi", 0, request},  {"exec", 0, request},    {"discard", 0, request}, {NULL, 0, NULL},
};

void *drive_begin(void) { return server_new(); }
void drive_end(void *subject) { server_free(subject); }
