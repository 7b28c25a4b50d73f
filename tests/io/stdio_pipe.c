/* FILEs over pipes: lines that come in pieces, formatted input, a buffer that is only written when it is flushed; and
 * the locks of a FILE, which keep lines together. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../sync/check.h"

enum { LINES = 3 };
static int ends[2], back[2];

static void *write_lines(void *unused) {
    (void)unused;
    for (int i = 0; i < LINES; i++) {
        CHECK(write(ends[1], "line ", 5) == 5);
        char rest[8];
        int size = snprintf(rest, sizeof rest, "%d\n", i);
        CHECK(write(ends[1], rest, (size_t)size) == size);
    }
    CHECK(write(ends[1], "12 34\n", 6) == 6);
    CHECK(write(ends[1], "no newline", 10) == 10);
    CHECK(close(ends[1]) == 0);
    return NULL;
}

static void *write_locked(void *argument) {
    FILE *file = argument;
    flockfile(file);
    CHECK(fputc('<', file) == '<');
    CHECK(fprintf(file, "%s", "words") == 5);
    CHECK(putc_unlocked('>', file) == '>');
    funlockfile(file);
    return NULL;
}

int main(void) {
    pthread_t writer, lockers[2];
    char line[32];
    CHECK(pipe(ends) == 0 && pipe(back) == 0);
    FILE *in = fdopen(ends[0], "r"), *out = fdopen(back[1], "w");
    CHECK(in && out && fileno(in) == ends[0] && fdopen(ends[0], "w") == NULL);
    CHECK(pthread_create(&writer, NULL, write_lines, NULL) == 0);
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&lockers[i], NULL, write_locked, out) == 0);
    CHECK(fgets(line, sizeof line, in) == line && !strcmp(line, "line 0\n"));
    char *text = NULL;
    size_t room = 0;
    CHECK(getline(&text, &room, in) == 7 && !strcmp(text, "line 1\n"));
    CHECK(getc(in) == 'l' && ungetc('L', in) == 'L' && fread(line, 1, 7, in) == 7 &&
          !memcmp(line, "Line 2\n", 7));
    int a, b;
    CHECK(fscanf(in, "%d %d\n", &a, &b) == 2 && a == 12 && b == 34);
    CHECK(getdelim(&text, &room, '\n', in) == 10 && !strcmp(text, "no newline"));
    CHECK(fgetc(in) == EOF && feof(in) && !ferror(in));
    free(text);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(lockers[i], NULL) == 0);
    CHECK(pthread_join(writer, NULL) == 0);
    CHECK(fclose(in) == 0 && fclose(out) == 0);
    CHECK(read(back[0], line, sizeof line) == 14 && !memcmp(line, "<words><words>", 14));
    CHECK(read(back[0], line, sizeof line) == 0);
    printf("%s\n", "printed");
    return 0;
}
