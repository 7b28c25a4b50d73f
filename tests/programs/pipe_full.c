/* A filter pipeline: main feeds a worker through a pipe of one page and collects its output through another, but
 * feeds everything before it collects anything when the worker starts slowly.
 *
 * Bug (deadlock in feed and in filter): main saw no output yet, decides to feed all; the worker fills its output
 * pipe and blocks; main fills the input pipe and blocks.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 2048, BLOCKS = 8 };

static int input[2], output[2];
static atomic_bool worker_ready;

static int transfer(int fd, char *block, int reading) {
    for (size_t done = 0; done < BLOCK;) {
        ssize_t count =
            reading ? read(fd, block + done, BLOCK - done) : write(fd, block + done, BLOCK - done);
        if (count <= 0) return 0;
        done += (size_t)count;
    }
    return 1;
}

static void *filter(void *unused) {
    (void)unused;
    char block[BLOCK];
    atomic_store(&worker_ready, 1);
    for (int i = 0; i < BLOCKS && transfer(input[0], block, 1); i++) transfer(output[1], block, 0);
    return NULL;
}

static void feed(int blocks) {
    char block[BLOCK];
    memset(block, 'x', sizeof block);
    for (int i = 0; i < blocks; i++) transfer(input[1], block, 0);
}

static void collect(int blocks) {
    char block[BLOCK];
    for (int i = 0; i < blocks; i++) transfer(output[0], block, 1);
}

int main(void) {
    pthread_t worker;
    if (pipe(input) || pipe(output)) return 1;
    if (fcntl(input[1], F_SETPIPE_SZ, 4096) < 0 || fcntl(output[1], F_SETPIPE_SZ, 4096) < 0) return 1;
    pthread_create(&worker, NULL, filter, NULL);
    int alternate = atomic_load(&worker_ready);
    for (int done = 0; done < BLOCKS; done += alternate ? 1 : BLOCKS) {
        feed(alternate ? 1 : BLOCKS);
        collect(alternate ? 1 : BLOCKS);
    }
    pthread_join(worker, NULL);
    puts("filtered");
    return 0;
}
