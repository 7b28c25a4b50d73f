#include "supervisor/stem.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/text.h"
#include "supervisor/serve.h"
#include "supervisor/util.h"

enum { TICK_MS = 20, PIECES_MAX = 4096, BYTES_MAX = 64 << 20 };
static const double fork_seconds = 5;

/* Until *word differs from `value`. False: it will not. */
static bool await(struct rv_stem *stem, const uint32_t *word, uint32_t value, double deadline) {
    struct rv_death death;
    while (rv_load32(word) == value) {
        rv_wait_word(word, value, TICK_MS);
        if (rv_load32(word) != value) break;
        if (rv_interrupted || rv_seconds() > deadline || rv_worker_dead(&stem->process, &death)) return false;
    }
    return true;
}

/* Keeps what is there: pages that nobody has written are holes. */
static bool keep(struct rv_stem *stem, const struct rv_channel *channel) {
    size_t all = 0;
    off_t end = RV_HEADER_SIZE;
    for (;;) {
        off_t begin = lseek(channel->fd, end, SEEK_DATA);
        if (begin < 0) return true; /* nothing behind */
        end = lseek(channel->fd, begin, SEEK_HOLE);
        if (end <= begin || (size_t)end > channel->size) return false;
        size_t size = (size_t)(end - begin);
        all += size;
        if (stem->piece_count == PIECES_MAX || all > BYTES_MAX) return false;
        stem->pieces = rv_text_realloc(stem->pieces, stem->piece_count + 1, sizeof *stem->pieces);
        stem->pieces[stem->piece_count++] = (struct rv_piece){
            .at = (size_t)begin, .size = size, .bytes = rv_copy((char *)channel->shared + begin, size)};
    }
}

static long printed(const struct rv_streams *streams) {
    struct stat status;
    bool known = streams->way == RV_STREAM_CAPTURE && fstat(streams->capture->fd, &status) == 0;
    return known ? (long)status.st_size : 0;
}

bool rv_stem_start(struct rv_stem *stem, const struct rv_program *program, const struct rv_channel *channel,
                   const struct rv_streams *streams, double deadline) {
    struct rv_stem_word *word = &channel->shared->stem;
    char *error = NULL;
    *stem = (struct rv_stem){.process = {.pid = 0}};
    bool good = rv_worker_start(&stem->process, program, channel, streams, &error) &&
                await(stem, &word->state, RV_STEM_STARTING, deadline) &&
                rv_load32(&word->state) == RV_STEM_READY && keep(stem, channel);
    stem->printed = printed(streams);
    free(error);
    if (!good) rv_stem_close(stem);
    return good;
}

void rv_stem_reset(struct rv_stem *stem, const struct rv_channel *channel, const struct rv_streams *streams) {
    (void)fallocate(channel->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, RV_HEADER_SIZE,
                    (off_t)(channel->size - RV_HEADER_SIZE));
    for (size_t i = 0; i < stem->piece_count; i++)
        memcpy((char *)channel->shared + stem->pieces[i].at, stem->pieces[i].bytes, stem->pieces[i].size);
    if (streams->way == RV_STREAM_CAPTURE && printed(streams) != stem->printed)
        (void)!ftruncate(streams->capture->fd, stem->printed);
}

/* What stands in shared memory may be anything: only a child of ours is taken for one. */
static bool is_child(pid_t pid) {
    siginfo_t info;
    return pid > 0 && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool rv_stem_fork(struct rv_stem *stem, const struct rv_channel *channel, struct rv_worker *worker,
                  char **error) {
    struct rv_stem_word *word = &channel->shared->stem;
    uint32_t made = rv_load32(&word->made);
    __atomic_add_fetch(&word->wanted, 1, __ATOMIC_RELEASE);
    rv_wake_word(&word->wanted);
    bool answered = stem->process.pid && await(stem, &word->made, made, rv_seconds() + fork_seconds);
    pid_t pid = answered ? word->pid : 0;
    if (pid != stem->process.pid && is_child(pid)) {
        worker->pid = pid;
        return true;
    }
    *error = rv_text_copy("no process for the test could be forked");
    return false;
}

void rv_stem_close(struct rv_stem *stem) {
    rv_worker_kill(&stem->process);
    for (size_t i = 0; i < stem->piece_count; i++) free(stem->pieces[i].bytes);
    free(stem->pieces);
    *stem = (struct rv_stem){.process = {.pid = 0}};
}
