/* A downloader: every thread fetches one segment of a file, another draws the progress bar.
 *
 * Original: aget 0.4. `bwritten`, the number of bytes written so far, is shared by the downloading threads and the
 * thread that shows the progress, and a lock is missing.
 *
 * Bug (assert in main): two threads add to `bwritten` at the same time: one reads it, is preempted, the other adds its
 * bytes, and the first overwrites that. The download never counts as complete. One preemption between the read and the
 * write of one `+=`; everything else is locked. The pieces go through a common file under a lock, as unrelated
 * conflicts, so that the number of orders grows fast with the threads.
 *
 * Parameters: THREADS (2 to 10; default 2), PIECES per thread (default 2).
 */
#include "subject.h"
#include <assert.h>
#include <string.h>

enum { MAX_THREADS = 10, MAX_PIECES = 8, PIECE = 4 };

struct segment {
    pthread_t thread;
    int offset, length; /* in bytes */
};

static struct {
    pthread_mutex_t lock;
    char bytes[MAX_THREADS * MAX_PIECES * PIECE];
    int writes; /* under lock */
} file = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int bwritten; /* the lock is missing */
static int bar_width = 40;

static void network_read(char *to, int offset) {
    for (int i = 0; i < PIECE; i++) to[i] = (char)('a' + (offset + i) % 26);
}

static void file_write(const char *from, int offset) {
    pthread_mutex_lock(&file.lock);
    memcpy(file.bytes + offset, from, PIECE);
    file.writes++;
    pthread_mutex_unlock(&file.lock);
}

static void *download(void *arg) {
    const struct segment *segment = arg;
    for (int done = 0; done < segment->length; done += PIECE) {
        char piece[PIECE];
        network_read(piece, segment->offset + done);
        file_write(piece, segment->offset + done);
        bwritten += PIECE;
    }
    return NULL;
}

static void *show_progress(void *arg) {
    int total = *(const int *)arg, filled = 0;
    for (int i = 0; i < 2; i++) filled = bwritten * bar_width / total;
    assert(filled <= bar_width);
    return NULL;
}

int main(int argc, char **argv) {
    static struct segment segments[MAX_THREADS];
    int threads = size_argument(argc, argv, 1, 2, 1, MAX_THREADS);
    int pieces = size_argument(argc, argv, 2, 2, 1, MAX_PIECES);
    int total = threads * pieces * PIECE;
    pthread_t progress;
    for (int i = 0; i < threads; i++) {
        segments[i].offset = i * pieces * PIECE;
        segments[i].length = pieces * PIECE;
        pthread_create(&segments[i].thread, NULL, download, &segments[i]);
    }
    pthread_create(&progress, NULL, show_progress, &total);
    for (int i = 0; i < threads; i++) pthread_join(segments[i].thread, NULL);
    pthread_join(progress, NULL);
    assert(file.writes == threads * pieces && file.bytes[total - 1] == 'a' + (total - 1) % 26);
    assert(bwritten == total && "every byte is counted");
    puts("download complete");
    return 0;
}
