/* Event counters: as a semaphore, as a counter that a writer must wait for, and not waiting at all. The counter of the
 * first is 2 when the threads start, in every execution. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../sync/check.h"

static int semaphore, full, quick;

static void *take(void *unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        uint64_t value;
        CHECK(read(semaphore, &value, sizeof value) == sizeof value && value == 1);
    }
    return NULL;
}

static void *fill(void *unused) {
    (void)unused;
    uint64_t most = UINT64_MAX - 1, more = 5;
    CHECK(write(full, &most, sizeof most) == sizeof most);
    CHECK(write(full, &more, sizeof more) == sizeof more); /* waits for the reader */
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    eventfd_t value;
    semaphore = eventfd(2, EFD_SEMAPHORE);
    full = eventfd(0, 0);
    quick = eventfd(0, EFD_NONBLOCK);
    CHECK(semaphore >= 0 && full >= 0 && quick >= 0);
    CHECK(pthread_create(&threads[0], NULL, take, NULL) == 0);
    CHECK(pthread_create(&threads[1], NULL, take, NULL) == 0);
    CHECK(pthread_create(&threads[2], NULL, fill, NULL) == 0);
    CHECK(eventfd_read(quick, &value) == -1 && errno == EAGAIN);
    CHECK(eventfd_write(quick, 7) == 0 && eventfd_write(quick, 1) == 0);
    CHECK(eventfd_read(quick, &value) == 0 && value == 8);
    CHECK(eventfd_write(semaphore, 3) == 0);
    CHECK(eventfd_read(full, &value) == 0 && value == UINT64_MAX - 1);
    CHECK(eventfd_read(full, &value) == 0 && value == 5);
    for (int i = 0; i < 3; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(eventfd_read(semaphore, &value) == 0 && value == 1);
    struct {
        char too_small[4];
    } small;
    CHECK(read(semaphore, &small, sizeof small) == -1 && errno == EINVAL);
    CHECK(eventfd_write(quick, 3) == 0); /* must not be there in the next execution */
    CHECK(close(full) == 0);
    return 0;
}
