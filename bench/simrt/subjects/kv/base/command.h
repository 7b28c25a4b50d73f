/* The commands that a request can have. */
#ifndef COMMAND_H
#define COMMAND_H

#include "server.h"

enum { COMMAND_READS = 1, COMMAND_WRITES = 2 };

typedef struct command {
    const char *name;
    int arguments;
    int flags; /* none: is not counted */
    void (*run)(server *core, session *client, words *request, reply *out);
} command;

const command *command_find(const char *name);

#endif
