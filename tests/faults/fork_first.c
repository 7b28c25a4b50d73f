/* Forks before it has threads: one child is over before they start, another serves them through a socket, so that they
 * wait for something outside of the process. Outcome: nothing found. */
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int service;

static void start_service(void) {
    int ends[2];
    char byte;
    assert(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    pid_t pid = fork();
    assert(pid >= 0);
    if (pid == 0) {
        close(ends[0]);
        while (read(ends[1], &byte, 1) == 1)
            if (write(ends[1], &byte, 1) != 1) break;
        _exit(0);
    }
    close(ends[1]);
    service = ends[0];
}

static void check_system(void) {
    int status;
    pid_t pid = fork();
    assert(pid >= 0);
    if (pid == 0) _exit(3);
    assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

static void *ask(void *unused) {
    (void)unused;
    char byte = 'q';
    assert(write(service, &byte, 1) == 1);
    byte = 0;
    assert(read(service, &byte, 1) == 1 && byte == 'q');
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    check_system();
    start_service();
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, ask, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
