/* client PATH: a thread asks a server in another process and waits for its answer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int server;

static void *ask(void *unused) {
    char byte = 'q';
    if (write(server, &byte, 1) != 1 || read(server, &byte, 1) != 1 || byte != 'q') abort();
    return unused;
}

int main(int argc, char **argv) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    pthread_t thread;
    if (argc != 2 || strlen(argv[1]) >= sizeof name.sun_path) return 2;
    strcpy(name.sun_path, argv[1]);
    server = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(server, (struct sockaddr *)&name, sizeof name)) return 1;
    pthread_create(&thread, NULL, ask, NULL);
    pthread_join(thread, NULL);
    return 0;
}
