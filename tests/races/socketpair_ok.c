/* Question and answer over a socket pair.
 * races: none
 */
#include <sys/socket.h>

#include "subject.h"

static int ends[2], question, answer;

static void *client(void *unused) {
    char byte = 'q';
    question = 20;
    if (send(ends[0], &byte, 1, 0) == 1 && recv(ends[0], &byte, 1, 0) == 1) question = answer;
    return unused;
}

static void *server(void *unused) {
    char byte;
    if (recv(ends[1], &byte, 1, 0) != 1) return unused;
    answer = question + 1;
    return send(ends[1], &byte, 1, 0) == 1 ? unused : &answer;
}

int main(void) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 2;
    run_two(client, server);
    return question != 21;
}
