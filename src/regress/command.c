#include "regress/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/text.h"

extern char **environ;

enum { ERRORS_MAX = 1 << 16 };

/* Reads both to their ends. False: there is too much of the output. */
static bool read_both(int out, int err, size_t most, struct rv_text *output, struct rv_text *errors) {
    struct pollfd ends[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
    char piece[1 << 16];
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        if (poll(ends, 2, -1) < 0) {
            if (errno == EINTR) continue;
            return false;
        }
        for (int i = 0; i < 2; i++) {
            if (ends[i].fd < 0 || !ends[i].revents) continue;
            ssize_t size = read(ends[i].fd, piece, sizeof piece);
            if (size < 0 && errno == EINTR) continue;
            if (size <= 0)
                ends[i].fd = -1;
            else if (i == 0)
                rv_text_add_n(output, piece, (size_t)size);
            else if (errors->size < ERRORS_MAX)
                rv_text_add_n(errors, piece, (size_t)size);
        }
        if (output->size > most) return false;
    }
    return true;
}

static char *last_line(struct rv_text *errors) {
    while (errors->size && errors->data[errors->size - 1] == '\n') errors->data[--errors->size] = 0;
    const char *newline = errors->size ? strrchr(errors->data, '\n') : NULL;
    return rv_text_harmless(newline ? newline + 1 : errors->size ? errors->data : "", true);
}

static bool start(char *const *argv, int out[2], int err[2], pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_adddup2(&actions, err[1], 2);
    int reason = posix_spawnp(child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    errno = reason;
    return reason == 0;
}

char *rv_command_output(char *const *argv, size_t most, size_t *size, char **error) {
    int out[2] = {-1, -1}, err[2] = {-1, -1}, status = 0;
    struct rv_text output = {0}, errors = {0};
    pid_t child = 0;
    *error = NULL;
    bool started = pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0 && start(argv, out, err, &child);
    if (!started) *error = rv_text_format("%s: cannot be run: %s", argv[0], strerror(errno));
    close(out[1]);
    close(err[1]);
    if (started && !read_both(out[0], err[0], most, &output, &errors)) {
        *error = rv_text_format("%s: its output is too long", argv[0]);
        kill(child, SIGKILL);
    }
    close(out[0]);
    close(err[0]);
    while (started && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (!*error && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
        char *line = last_line(&errors);
        *error = *line ? rv_text_copy(line) : rv_text_format("%s failed", argv[0]);
        free(line);
    }
    free(errors.data);
    *size = output.size;
    char *text = rv_text_take(&output);
    if (!*error) return text;
    free(text);
    return NULL;
}
