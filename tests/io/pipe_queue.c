/* Two producers write records into one pipe that was made before the threads; the consumer reads until the end of
 * the file, which comes when both producers have closed their copy. Records stay whole: they are small. A second pipe
 * carries more than it can hold in one write. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "../sync/check.h"

enum { RECORDS = 3, BIG = 20000 };

struct record {
    int producer, number;
};
static int queue[2], big[2];

static void *produce(void *argument) {
    int *end = argument;
    for (int i = 0; i < RECORDS; i++) {
        struct record record = {*end, i};
        CHECK(write(*end, &record, sizeof record) == sizeof record);
    }
    CHECK(close(*end) == 0);
    return NULL;
}

static void *write_big(void *unused) {
    (void)unused;
    static char data[BIG];
    for (int i = 0; i < BIG; i++) data[i] = (char)(i * 7);
    CHECK(write(big[1], data, BIG) == BIG);
    CHECK(close(big[1]) == 0);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    CHECK(pipe(queue) == 0 && pipe2(big, O_CLOEXEC) == 0);
    CHECK(fcntl(big[1], F_SETPIPE_SZ, 4096) == 4096);
    int second = dup(queue[1]);
    CHECK(second > queue[1]);
    CHECK(pthread_create(&threads[0], NULL, produce, &queue[1]) == 0);
    CHECK(pthread_create(&threads[1], NULL, produce, &second) == 0);
    CHECK(pthread_create(&threads[2], NULL, write_big, NULL) == 0);
    struct record record;
    int counts[64] = {0}, total = 0;
    for (ssize_t got; (got = read(queue[0], &record, sizeof record)) != 0; total++) {
        CHECK(got == sizeof record);
        CHECK(record.number == counts[record.producer]++);
    }
    CHECK(total == 2 * RECORDS);
    char byte;
    int bytes = 0;
    char part[3000];
    for (ssize_t got; (got = read(big[0], part, sizeof part)) > 0;) {
        for (ssize_t i = 0; i < got; i++) CHECK(part[i] == (char)(bytes++ * 7));
    }
    CHECK(bytes == BIG && read(big[0], &byte, 1) == 0);
    for (int i = 0; i < 3; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
