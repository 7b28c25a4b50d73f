#include "suite/native.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor/serve.h"
#include "supervisor/util.h"

enum { TICK_MS = 20, PIECE = 1 << 16 };

/* What there is to be read. *closed: nobody has the other end any more. False: it was too much. */
static bool drain(int from, struct rv_text *lines, size_t most, bool *closed) {
    char piece[PIECE];
    for (;;) {
        ssize_t size = read(from, piece, sizeof piece);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return true; /* nothing for now */
        *closed = size == 0;
        if (size == 0 || lines->size + (size_t)size > most) return size == 0;
        rv_text_add_n(lines, piece, (size_t)size);
    }
}

/* Until it is over, one way or another. The pipe may be closed before, or be held open by others after. */
static void await(struct rv_worker *worker, int from, const struct rv_native_request *request,
                  struct rv_native_end *end, struct rv_capture *capture) {
    double begun = rv_seconds(), deadline = begun + request->limit;
    int process = (int)syscall(SYS_pidfd_open, worker->pid, 0); /* -1: then looking now and then must do */
    struct pollfd ready[] = {{.fd = from, .events = POLLIN}, {.fd = process, .events = POLLIN}};
    for (bool closed = false;;) {
        bool over = rv_worker_dead(worker, &end->death);
        if (!drain(from, &end->lines, request->most, &closed)) {
            end->how = RV_NATIVE_FLOODED;
            break;
        }
        end->seconds = rv_seconds() - begun;
        if (over) break;
        if (rv_interrupted || rv_seconds() > deadline) {
            end->how = rv_interrupted ? RV_NATIVE_INTERRUPTED : RV_NATIVE_TIMEOUT;
            break;
        }
        if (closed) ready[0].fd = -1;
        poll(ready, 2, closed && process < 0 ? 1 : TICK_MS);
        rv_capture_trim(capture);
    }
    if (process >= 0) close(process);
    rv_worker_kill(worker);
    end->seconds = rv_seconds() - begun;
}

bool rv_native_run(const struct rv_program *program, const struct rv_native_request *request,
                   struct rv_native_end *end, char **error) {
    int ends[2];
    struct rv_capture capture;
    *end = (struct rv_native_end){.how = RV_NATIVE_ENDED};
    if (pipe2(ends, O_CLOEXEC) != 0) {
        *error = rv_text_format("no pipe: %s", strerror(errno));
        return false;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    struct rv_worker worker = {.pid = 0};
    struct rv_native native = {.mode = request->mode, .fd = ends[1], .env = request->env};
    struct rv_streams streams = {.way = RV_STREAM_DISCARD};
    if (rv_capture_open(&capture)) streams = (struct rv_streams){RV_STREAM_CAPTURE, &capture, false};
    bool started = rv_native_start(&worker, program, &native, &streams, error);
    close(ends[1]);
    if (started) {
        await(&worker, ends[0], request, end, &capture);
        end->output = rv_capture_text(&capture);
    }
    close(ends[0]);
    rv_capture_close(&capture);
    return started;
}

void rv_native_free(struct rv_native_end *end) {
    free(end->lines.data);
    free(end->output);
    *end = (struct rv_native_end){.how = RV_NATIVE_ENDED};
}
