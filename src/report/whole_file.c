#include "report/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/text.h"

/* NULL with errno, or what could be read, which is longer than `max` if the file is. */
static char *read_up_to(int fd, size_t max, size_t *size) {
    struct rv_text text = {0};
    char buffer[1 << 16];
    ssize_t got;
    while ((got = read(fd, buffer, sizeof buffer)) > 0 && text.size <= max)
        rv_text_add_n(&text, buffer, (size_t)got);
    if (got < 0) {
        free(text.data);
        return NULL;
    }
    *size = text.size;
    return rv_text_take(&text);
}

char *rv_whole_file(const char *path, size_t max, const char *what, size_t *size, char **error) {
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
        close(fd);
        *error = rv_text_format("%s: is a directory, expected a %s", path, what);
        return NULL;
    }
    char *text = fd >= 0 ? read_up_to(fd, max, size) : NULL;
    int reason = errno;
    if (fd >= 0) close(fd);
    if (!text) {
        *error = rv_text_format("%s: cannot be read: %s", path, strerror(reason));
        return NULL;
    }
    if (*size <= max) return text;
    *error = rv_text_format("%s: is bigger than %zu MB: no %s", path, max >> 20, what);
    free(text);
    return NULL;
}
