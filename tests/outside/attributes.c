/* isolation: memory
 * The directory, the file mode mask, a limit, and names of shared memory: each execution finds them as they were when
 * the threads began, whatever the one before has done. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char directory[4096], kept[64], made[64];
static struct rlimit limit;

static void *change(void *unused) {
    char here[4096];
    struct rlimit now;
    (void)unused;
    CHECK(getcwd(here, sizeof here) && strcmp(here, directory) == 0);
    CHECK(umask(0777) == 022);
    CHECK(umask(077) == 0777);
    CHECK(chdir("/") == 0 && chdir("/usr") == 0);
    CHECK(getcwd(here, sizeof here) && strcmp(here, "/usr") == 0);
    CHECK(getrlimit(RLIMIT_CORE, &now) == 0 && now.rlim_cur == limit.rlim_cur);
    now.rlim_cur = now.rlim_cur ? 0 : now.rlim_max;
    CHECK(setrlimit(RLIMIT_CORE, &now) == 0);

    CHECK(shm_open(made, O_RDWR, 0) == -1 && errno == ENOENT);
    int fd = shm_open(made, O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && ftruncate(fd, 4096) == 0);
    int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(shared != MAP_FAILED && shared[0] == 0);
    shared[0] = 5;
    CHECK(close(fd) == 0);
    CHECK(shm_open(made, O_RDWR | O_CREAT | O_EXCL, 0600) == -1 && errno == EEXIST);
    fd = shm_open(kept, O_RDWR, 0);
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(shm_unlink(kept) == 0);
    CHECK(shm_open(kept, O_RDWR, 0) == -1 && errno == ENOENT);
    CHECK(shm_unlink(kept) == -1 && errno == ENOENT);
    return NULL;
}

int main(void) {
    pthread_t thread;
    CHECK(getcwd(directory, sizeof directory));
    (void)umask(022);
    CHECK(getrlimit(RLIMIT_CORE, &limit) == 0);
    snprintf(kept, sizeof kept, "/ravel-test-kept-%d", getpid());
    snprintf(made, sizeof made, "/ravel-test-made-%d", getpid());
    int fd = shm_open(kept, O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && close(fd) == 0);
    pthread_create(&thread, NULL, change, NULL);
    pthread_join(thread, NULL);
    (void)shm_unlink(made);
    return 0;
}
