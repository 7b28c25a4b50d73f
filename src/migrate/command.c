/* The command gets a process group of its own, so that all it has started can be ended when its time is up. */
#include "migrate/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/text.h"
#include "report/whole_file.h"
#include "supervisor/serve.h"
#include "supervisor/util.h"

enum { LOOK_MS = 20, OUTPUT_LIMIT = 16 << 20 };

static _Noreturn void become(const struct rv_command_run *run, int trouble) {
    (void)setpgid(0, 0);
    int in = open("/dev/null", O_RDONLY), out = open(run->output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (in >= 0) (void)dup2(in, 0);
    if (out >= 0) {
        (void)dup2(out, 1);
        (void)dup2(out, 2);
    }
    for (int i = 0; run->names[i]; i++) {
        if (run->values[i])
            (void)setenv(run->names[i], run->values[i], 1);
        else
            (void)unsetenv(run->names[i]);
    }
    execvp(run->words[0], run->words);
    int error = errno;
    if (write(trouble, &error, sizeof error) < 0) _exit(126);
    _exit(127);
}

static enum rv_command_end wait_for(pid_t child, double limit, int *status) {
    double end = rv_seconds() + limit;
    for (;;) {
        int told;
        pid_t done = waitpid(child, &told, WNOHANG);
        if (done == child) {
            (void)kill(-child, SIGKILL); /* what it left behind */
            *status = WIFEXITED(told) ? WEXITSTATUS(told) : 128 + WTERMSIG(told);
            return *status == 0 ? RV_COMMAND_PASSED : RV_COMMAND_FAILED;
        }
        if (done < 0 && errno != EINTR) return RV_COMMAND_NOT_RUN;
        if (!rv_interrupted && rv_seconds() < end) {
            (void)poll(NULL, 0, LOOK_MS);
            continue;
        }
        (void)kill(-child, SIGKILL);
        while (waitpid(child, &told, 0) < 0 && errno == EINTR) {}
        return rv_interrupted ? RV_COMMAND_INTERRUPTED : RV_COMMAND_LATE;
    }
}

enum rv_command_end rv_command_do(const struct rv_command_run *run, int *status) {
    int trouble[2];
    *status = 0;
    if (pipe2(trouble, O_CLOEXEC)) {
        *status = errno;
        return RV_COMMAND_NOT_RUN;
    }
    pid_t child = fork();
    if (child == 0) become(run, trouble[1]);
    close(trouble[1]);
    if (child > 0) (void)setpgid(child, child);
    int error = child < 0 ? errno : 0;
    bool failed = child < 0 || read(trouble[0], &error, sizeof error) == (ssize_t)sizeof error;
    close(trouble[0]);
    if (!failed) return wait_for(child, run->limit, status);
    if (child > 0) (void)waitpid(child, NULL, 0);
    *status = error;
    return RV_COMMAND_NOT_RUN;
}

static bool tells(const char *line, size_t size) {
    static const char *const words[] = {"error", "Error", "fail", "FAIL", "Assert", NULL};
    for (const char *const *word = words; *word; word++)
        if (memmem(line, size, *word, strlen(*word))) return true;
    return false;
}

char *rv_command_said(const char *output) {
    size_t size;
    char *error = NULL, *text = rv_whole_file(output, OUTPUT_LIMIT, "output", &size, &error);
    free(error);
    if (!text) return rv_text_copy("");
    const char *best = "";
    size_t best_size = 0;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        if (length > 0) {
            best = line;
            best_size = length;
            if (tells(line, length)) break;
        }
        line += length + (line[length] == '\n');
    }
    char *raw = rv_text_copy_n(best, best_size < 300 ? best_size : 300),
         *harmless = rv_text_harmless(raw, false);
    free(raw);
    free(text);
    return harmless;
}
