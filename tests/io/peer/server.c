/* server PATH: answers each byte on a Unix socket, late. It says "ready" when clients may come, and ends with its input. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { LATE_MS = 600 }; /* more than ravel waits for what only the program itself could do */

static void serve(int client) {
    char byte;
    while (read(client, &byte, 1) == 1) {
        poll(NULL, 0, LATE_MS);
        if (write(client, &byte, 1) != 1) break;
    }
    close(client);
}

int main(int argc, char **argv) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (argc != 2 || strlen(argv[1]) >= sizeof name.sun_path) return 2;
    strcpy(name.sun_path, argv[1]);
    signal(SIGPIPE, SIG_IGN);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&name, sizeof name) || listen(listener, 8)) return 1;
    puts("ready");
    fflush(stdout);
    for (;;) {
        struct pollfd wait[2] = {{.fd = listener, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
        if (poll(wait, 2, -1) < 0 || wait[1].revents) return 0;
        int client = accept(listener, NULL, NULL);
        if (client >= 0) serve(client);
    }
}
