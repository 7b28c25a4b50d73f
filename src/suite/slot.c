#include "suite/slot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/serve.h"

static bool write_all(int to, const void *from, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t written = write(to, (const char *)from + done, size - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        done += (size_t)written;
    }
    return true;
}

/* ---- in the process ---- */

static void send_text(int to, const char *text, size_t length) {
    uint32_t size = (uint32_t)length;
    if (!write_all(to, &size, sizeof size) || !write_all(to, text, size)) _exit(1);
}

static void send_result(int to, const struct rv_test_result *result) {
    json_t *json = rv_test_result_json(result);
    char *text = json_dumps(json, JSON_COMPACT);
    send_text(to, text, text ? strlen(text) : 0);
    free(text);
    json_decref(json);
}

static void send_list(int to, const struct rv_suite_work *work) {
    size_t size = 0;
    char *text = work->list(work->user, &size);
    send_text(to, text, text ? size : 0);
    free(text);
}

static bool next_order(int from, size_t *index) {
    ssize_t size;
    do size = read(from, index, sizeof *index);
    while (size < 0 && errno == EINTR && !rv_interrupted);
    return size == sizeof *index;
}

/* In a group of its own: Ctrl-C reaches the first process only, which then asks the others to end. */
__attribute__((noreturn)) static void be_slot(const struct rv_suite_work *work,
                                              const struct rv_suite_cases *cases, int from, int to) {
    if (work->list) send_list(to, work);
    for (size_t index; !rv_interrupted && next_order(from, &index);) {
        struct rv_test_result result = {.status = RV_TEST_ERROR};
        work->run(work->user, &cases->cases[index], &result);
        rv_test_result_complete(&result);
        send_result(to, &result);
        rv_test_result_free(&result);
    }
    if (work->end) work->end(work->user);
    _exit(rv_interrupted ? RV_SLOT_STOPPED : 0);
}

/* ---- here ---- */

bool rv_suite_slot_open(struct rv_suite_slot *slot, const struct rv_suite_work *work,
                        const struct rv_suite_cases *cases, const struct rv_suite_slot *others,
                        size_t count) {
    int orders[2], results[2];
    pid_t parent = getpid();
    *slot = (struct rv_suite_slot){.pid = 0};
    fflush(stdout);
    fflush(stderr);
    if (pipe2(orders, O_CLOEXEC) != 0) return false;
    bool piped = pipe2(results, O_CLOEXEC) == 0;
    pid_t pid = piped ? fork() : -1;
    if (pid == 0) {
        close(orders[1]);
        close(results[0]);
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
        for (size_t i = 0; i < count; i++) {
            if (!others[i].pid) continue;
            close(others[i].from); /* or it would not see its end */
            close(others[i].to);
        }
        be_slot(work, cases, orders[0], results[1]);
    }
    int problem = errno;
    close(orders[0]);
    if (piped) close(results[1]);
    if (pid < 0) {
        close(orders[1]);
        if (piped) close(results[0]);
        errno = problem;
        return false;
    }
    fcntl(results[0], F_SETFL, O_NONBLOCK);
    *slot = (struct rv_suite_slot){pid, results[0], orders[1]};
    return true;
}

bool rv_suite_slot_order(const struct rv_suite_slot *slot, size_t index) {
    return write_all(slot->to, &index, sizeof index);
}

void rv_suite_slot_dismiss(struct rv_suite_slot *slot) {
    if (slot->to >= 0) close(slot->to);
    slot->to = -1;
}

int rv_suite_slot_close(struct rv_suite_slot *slot) {
    int status = 0;
    rv_suite_slot_dismiss(slot);
    close(slot->from);
    while (waitpid(slot->pid, &status, 0) < 0 && errno == EINTR) {}
    *slot = (struct rv_suite_slot){.pid = 0};
    return status;
}
