#include "model/make.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/text.h"

static char *slurp(int fd, size_t *size) {
    off_t end = lseek(fd, 0, SEEK_END);
    *size = end > 0 ? (size_t)end : 0;
    char *text = rv_text_alloc(*size + 1, 1);
    for (size_t done = 0; done < *size;) {
        ssize_t part = pread(fd, text + done, *size - done, (off_t)done);
        if (part <= 0) break;
        done += (size_t)part;
    }
    return text;
}

/* -1: it cannot be run; *reason. */
static int run(const char *tool, char *const *files, size_t count, int output, int errors, int *reason) {
    char **words = rv_text_alloc(count + 2, sizeof *words);
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    words[0] = (char *)tool;
    for (size_t i = 0; i < count; i++) words[i + 1] = files[i];
    if ((*reason = posix_spawn_file_actions_init(&actions)) == 0) {
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
        *reason = posix_spawn(&child, tool, &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
        if (*reason == 0)
            while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    }
    free(words);
    return status;
}

char *rv_model_make_text(const char *tool, char *const *files, size_t count, size_t *size, bool *wrong,
                         char **error) {
    int output = memfd_create("model", MFD_CLOEXEC), errors = memfd_create("errors", MFD_CLOEXEC),
        reason = errno;
    int status = output >= 0 && errors >= 0 ? run(tool, files, count, output, errors, &reason) : -1;
    char *text = NULL;
    *wrong = false;
    if (status == 0) {
        text = slurp(output, size);
    } else if (status == -1) {
        *error = rv_text_format("%s: cannot be run: %s", tool, strerror(reason));
    } else if (WIFSIGNALED(status)) {
        *error = rv_text_format("%s: ravel-model was ended by signal %d (%s)", files[0], WTERMSIG(status),
                                strsignal(WTERMSIG(status)));
    } else {
        size_t length;
        *error = slurp(errors, &length);
        while (length > 0 && (*error)[length - 1] == '\n') (*error)[--length] = '\0';
        *wrong = length > 0;
        if (!length)
            rv_text_set(error, rv_text_format("%s: ravel-model failed (%d)", files[0], WEXITSTATUS(status)));
    }
    if (output >= 0) close(output);
    if (errors >= 0) close(errors);
    return text;
}

struct rv_model *rv_model_make(const char *tool, char *const *files, size_t count, bool *wrong,
                               char **error) {
    size_t size;
    char *text = rv_model_make_text(tool, files, count, &size, wrong, error);
    struct rv_model *model = text ? rv_model_read(text, size, "the model", error) : NULL;
    free(text);
    return model;
}
