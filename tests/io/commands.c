/* Commands with a pipe to or from them, while another thread works. Their output is taken in, and their status. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>

#include "../sync/check.h"

static atomic_int counted;

static void *count(void *unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) atomic_fetch_add(&counted, 1);
    return NULL;
}

int main(void) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, count, NULL) == 0);
    char line[32];
    FILE *from = popen("echo first; echo second; exit 3", "r");
    CHECK(from && fgets(line, sizeof line, from) && !strcmp(line, "first\n"));
    CHECK(fgets(line, sizeof line, from) && !strcmp(line, "second\n") && !fgets(line, sizeof line, from));
    int status = pclose(from);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    FILE *to = popen("read line; test \"$line\" = words", "w");
    CHECK(to && fprintf(to, "words\n") == 6 && pclose(to) == 0);
    CHECK(pthread_join(thread, NULL) == 0 && counted == 3);
    return 0;
}
