/* FILEs over files: what is buffered when the threads start is written by each execution at its end, and is not there in the next;
 * the random device gives the same in every execution of a schedule; calls without locks read where the others stopped. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../sync/check.h"

static FILE *log_file, *input;

static void *read_some(void *unused) {
    (void)unused;
    FILE *random = fopen("/dev/urandom", "r");
    unsigned char bytes[16];
    CHECK(random && fread(bytes, 1, sizeof bytes, random) == sizeof bytes);
    if (bytes[0] & 1) CHECK(putc('x', log_file) == 'x'); /* would make executions differ */
    CHECK(fclose(random) == 0);
    return NULL;
}

int main(void) {
    pthread_t thread;
    char text[64];
    struct stat status;
    log_file = fopen("log", "w");
    input = fopen("input", "w+");
    CHECK(log_file && input && fputs("0123456789", input) >= 0 && fseek(input, 2, SEEK_SET) == 0 &&
          getc(input) == '2');
    CHECK(fputs("begun\n", log_file) >= 0); /* still in the buffer */
    CHECK(pthread_create(&thread, NULL, read_some, NULL) == 0);
    CHECK(fstat(fileno(log_file), &status) == 0 && status.st_size == 0);
    CHECK(getc_unlocked(input) == '3' && fread_unlocked(text, 1, 64, input) == 6 &&
          !memcmp(text, "456789", 6));
    CHECK(getc_unlocked(input) == EOF && feof_unlocked(input));
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(printf("%d\n", fputs("ended\n", log_file)) > 0);
    return 0; /* libc writes the log now */
}
