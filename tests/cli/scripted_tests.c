/* A stand-in for libravel.so in a test binary that `ravel test` runs natively: it answers RAVEL_TESTS with files, so that a
 * test binary can say anything. Built as a library of libravel's name, with which a program that does nothing is linked.
 *
 *     SCRIPT_LIST      file whose bytes are the answer to list:FD
 *     SCRIPT_PASSIVE   file whose bytes are the answer to passive:FD; then the program's main runs
 *     SCRIPT_SEEN      file that the chosen test is written to: "NAME|LABEL|PLAN"
 *     SCRIPT_PID       file that the number of the process is written to
 *     SCRIPT_LIST_END  what happens after the list, in place of an exit with status 0: see there
 *     SCRIPT_END       what happens after that: "exit=N", "signal=N", "hang", "flood" (bytes without end); else main runs
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void send_file(const char *path, int fd) {
    char piece[4096];
    FILE *from = path ? fopen(path, "r") : NULL;
    for (size_t size; from && (size = fread(piece, 1, sizeof piece, from)) > 0;)
        if (write(fd, piece, size) < 0) _exit(99);
    if (from) fclose(from);
}

static void flood(int fd) {
    static char piece[1 << 16];
    memset(piece, 'x', sizeof piece);
    while (write(fd, piece, sizeof piece) > 0) {}
    _exit(98);
}

static void end(const char *how, int fd) {
    if (!how) return;
    if (strncmp(how, "exit=", 5) == 0) _exit(atoi(how + 5));
    if (strncmp(how, "signal=", 7) == 0) raise(atoi(how + 7));
    if (strcmp(how, "flood") == 0) flood(fd);
    while (strcmp(how, "hang") == 0) pause();
}

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value ? value : "(none)";
}

__attribute__((constructor)) static void answer(void) {
    const char *mode = getenv("RAVEL_TESTS"), *colon = mode ? strchr(mode, ':') : NULL;
    if (!colon) return;
    int fd = atoi(colon + 1);
    if (strncmp(mode, "list:", 5) == 0) {
        send_file(getenv("SCRIPT_LIST"), fd);
        end(getenv("SCRIPT_LIST_END"), fd);
        _exit(0);
    }
    FILE *pid = getenv("SCRIPT_PID") ? fopen(getenv("SCRIPT_PID"), "w") : NULL;
    if (pid) {
        fprintf(pid, "%d", (int)getpid());
        fclose(pid);
    }
    FILE *seen = getenv("SCRIPT_SEEN") ? fopen(getenv("SCRIPT_SEEN"), "a") : NULL;
    if (seen) {
        fprintf(seen, "%s|%s|%s\n", variable("RAVEL_TEST_NAME"), variable("RAVEL_TEST_LABEL"),
                variable("RAVEL_TEST_PLAN"));
        fclose(seen);
    }
    send_file(getenv("SCRIPT_PASSIVE"), fd);
    end(getenv("SCRIPT_END"), fd);
}
