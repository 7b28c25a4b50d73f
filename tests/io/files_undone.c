/* What an execution does to files: created, appended to, removed, renamed, directories, a FIFO, temporary names, the working
 * directory. All of it is done again by the next execution, which must not see a trace of this one. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../sync/check.h"

static char base[80], log_name[96], input_name[96], created[96], fifo[96], directory[96];

static void put(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
}

static size_t get(const char *path, char *to, size_t room) {
    FILE *file = fopen(path, "r");
    CHECK(file);
    size_t size = fread(to, 1, room - 1, file);
    to[size] = '\0';
    CHECK(fclose(file) == 0);
    return size;
}

static void *write_fifo(void *unused) {
    (void)unused;
    int fd = open(fifo, O_WRONLY); /* waits for the reader */
    CHECK(fd >= 0 && write(fd, "through", 7) == 7 && close(fd) == 0);
    return NULL;
}

static void *work(void *argument) {
    int which = *(int *)argument;
    char text[128];
    if (which == 0) {
        put(log_name, "one more\n");
        CHECK(get(log_name, text, sizeof text) == 15 && !strcmp(text, "first\none more\n"));
        CHECK(unlink(input_name) == 0 && access(input_name, F_OK) == -1);
        return NULL;
    }
    int fd = open(created, O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && close(fd) == 0);
    char renamed[128];
    snprintf(renamed, sizeof renamed, "%s.new", created);
    CHECK(rename(created, renamed) == 0 && mkdir(directory, 0700) == 0 && chdir(directory) == 0);
    put("inside", "directory"); /* a relative name, in a directory that goes away, too */
    char temporary[128];
    snprintf(temporary, sizeof temporary, "%s/XXXXXX", base);
    fd = mkstemp(temporary);
    CHECK(fd >= 0);
    return NULL;
}

int main(void) {
    pthread_t first, threads[3];
    char text[128];
    CHECK(getcwd(text, 64));
    snprintf(base, sizeof base, "%s/XXXXXX", text);
    CHECK(mkdtemp(base));
    snprintf(log_name, sizeof log_name, "%s/log", base);
    snprintf(input_name, sizeof input_name, "%s/input", base);
    snprintf(created, sizeof created, "%s/created", base);
    snprintf(fifo, sizeof fifo, "%s/fifo", base);
    snprintf(directory, sizeof directory, "%s/directory", base);
    put(log_name, "first\n");
    put(input_name, "input");
    CHECK(pthread_create(&first, NULL, (void *(*)(void *))pthread_self, NULL) == 0);
    CHECK(get(log_name, text, sizeof text) == 6 && get(input_name, text, sizeof text) == 5 &&
          !strcmp(text, "input"));
    CHECK(mkfifo(fifo, 0600) == 0);
    int which[2] = {0, 1};
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, work, &which[i]) == 0);
    CHECK(pthread_create(&threads[2], NULL, write_fifo, NULL) == 0);
    int fd = open(fifo, O_RDONLY);
    CHECK(fd >= 0 && read(fd, text, sizeof text) == 7 && !memcmp(text, "through", 7));
    CHECK(read(fd, text, sizeof text) == 0);
    for (int i = 0; i < 3; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(pthread_join(first, NULL) == 0);
    return 0;
}
