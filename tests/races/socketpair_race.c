/* The server looks at the question before it was told to.
 * races: a-b
 */
#include <sys/socket.h>

#include "subject.h"

static int ends[2], question;

static void *client(void *unused) {
    char byte = 'q';
    question = 20; /* @a */
    return send(ends[0], &byte, 1, 0) == 1 ? unused : &question;
}

static void *server(void *unused) {
    char byte;
    int early = question; /* @b */
    return recv(ends[1], &byte, 1, 0) == 1 && early ? &question : unused;
}

int main(void) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 2;
    run_two(client, server);
    return 0;
}
