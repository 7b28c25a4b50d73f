/* Standard output and error, as config->output says.
 *
 * libc writes to them from inside, past every hook, so they are silenced by what stands behind the descriptor:
 * /dev/null takes the place of the user's terminal, file or pipe on 1, 2 and whatever else stood for the same file
 * at the snapshot. The program can still ask what its output is (stat.c): it is told about the original, as
 * otherwise the first execution and the later ones might take different ways.
 */
#include <fcntl.h>

#include "runtime/hooks/io.h"

enum { MOST = 16 };

static struct {
    int fd;
    int original; /* our copy of what it was; -1: could not be kept */
    int fd_flags;
} outputs[MOST];
static int count;
static bool silent;
static struct stat files[2]; /* behind 1 and 2 */
static bool outside[2];

static void look(void) {
    for (int i = 0; i < 2; i++) {
        outside[i] = !rv_fd_internal(i + 1) && !rv_sys_failed(rv_sys_fstat(i + 1, &files[i]));
    }
}

bool rv_output_is(const struct stat *status) {
    for (int i = 0; i < 2; i++) {
        if (outside[i] && files[i].st_dev == status->st_dev && files[i].st_ino == status->st_ino) return true;
    }
    return false;
}

static void add(int fd, void *unused) {
    (void)unused;
    struct stat status;
    if (count == MOST || rv_sys_failed(rv_sys_fstat(fd, &status)) || !rv_output_is(&status)) return;
    long flags = rv_sys_fcntl(fd, F_GETFL, 0);
    if ((flags & O_ACCMODE) == O_RDONLY) return;
    outputs[count].fd = fd;
    outputs[count].original = -1;
    outputs[count++].fd_flags = (int)rv_sys_fcntl(fd, F_GETFD, 0);
}

void rv_output_again(void) {
    int null = rv_fd_null();
    for (int i = 0; silent && null >= 0 && i < count; i++) {
        (void)rv_sys_dup3(null, outputs[i].fd, outputs[i].fd_flags & FD_CLOEXEC ? O_CLOEXEC : 0);
    }
}

static void silence(void) {
    if (silent) return;
    silent = true;
    for (int i = 0; i < count; i++) outputs[i].original = rv_fd_copy_hidden(outputs[i].fd);
    rv_output_again();
}

/* Whether the execution to come is the first of the whole campaign. */
static bool is_first(void) {
    if (!rv.area) return true;
    const struct rv_control *control = &rv.area->control;
    bool worker_0 = rv.area == rv_area_of(rv.shared, 0);
    return worker_0 && control->started <= 1 && control->executions == 0;
}

void rv_output_decide(void) {
    if (!rv.config || rv.config->output == RV_OUTPUT_ALL) return;
    if (rv.config->output == RV_OUTPUT_DISCARD || !is_first()) silence();
}

/* Before the descriptors are saved: the object of a silenced one must not be taken for /dev/null's. */
void rv_output_look(void) {
    if (!silent) look();
}

void rv_output_snapshot(void) {
    if (silent) return; /* taken again */
    count = 0;
    rv_saved_each(add, NULL);
    rv_output_decide();
}

int rv_output_original(int fd) {
    if (!silent) return fd;
    for (int i = 0; i < count; i++) {
        if (outputs[i].fd != fd || outputs[i].original < 0) continue;
        const struct rv_descriptor *descriptor = rv_descriptor(fd);
        return descriptor->object ? outputs[i].original
                                  : fd; /* the program may have put another file there */
    }
    return fd;
}
