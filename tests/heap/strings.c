/* The memory and string functions, on buffers of main, of a thread's stack, of the heap: right answers, and no alarm
 * for bytes that only a vector instruction would touch. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "check.h"

/* Exactly as long as the text, on the heap: one byte too far is seen. */
static char *exact(const char *text) {
    char *block = malloc(strlen(text) + 1);
    return strcpy(block, text);
}

static void reading(void) {
    char *text = exact("the quick brown fox jumps over the lazy dog"), *other = exact("the quick brown cat");
    CHECK(strlen(text) == 43 && strnlen(text, 5) == 5 && strnlen(text, 100) == 43);
    CHECK(strcmp(text, other) > 0 && strcmp(other, text) < 0 && strcmp(text, text) == 0);
    CHECK(strncmp(text, other, 16) == 0 && strncmp(text, other, 17) > 0 && strncmp(text, other, 0) == 0);
    CHECK(strcasecmp(text, "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG") == 0);
    CHECK(strncasecmp(other, "THE X", 4) == 0 && strncasecmp(other, "THE X", 5) < 0);
    CHECK(strchr(text, 'q') == text + 4 && !strchr(text, 'Q') && strchr(text, 0) == text + 43);
    CHECK(strrchr(text, 'o') == text + 41 && strrchr(text, 0) == text + 43 && !strrchr(text, '!'));
    CHECK(strstr(text, "fox") == text + 16 && !strstr(text, "wolf") && strstr(text, "") == text);
    CHECK(strspn(text, "eht ") == 4 && strcspn(text, "xyz") == 18);
    CHECK(memchr(text, 'z', 43) == text + 37 && !memchr(text, 'z', 37) && memchr(text, 'q', 5) == text + 4);
    CHECK(memrchr(text, 't', 43) == text + 31 && memcmp(text, other, 16) == 0 && memcmp(text, other, 17) > 0);
    CHECK(strchrnul(text, '!') == text + 43 && rawmemchr(text, 'q') == text + 4);
    free(text);
    free(other);
}

static void writing(char *room) { /* 64 bytes */
    CHECK(strcpy(room, "one") == room && stpcpy(room + 3, " two") == room + 7);
    CHECK(strcat(room, " three") == room && strcmp(room, "one two three") == 0);
    CHECK(strncat(room, " four and more", 5) == room && strcmp(room, "one two three four") == 0);
    memset(room, 'x', 64);
    CHECK(strncpy(room, "short", 10) == room && memcmp(room, "short\0\0\0\0\0x", 11) == 0);
    CHECK(strncpy(room, "much too long", 4) == room && memcmp(room, "mucht\0", 6) == 0);
    CHECK(stpncpy(room, "ab", 4) == room + 2);
    for (int i = 0; i < 64; i++) room[i] = (char)i;
    CHECK(memmove(room + 3, room, 40) == room + 3 && room[3] == 0 && room[42] == 39 && room[43] == 43);
    CHECK(memmove(room, room + 3, 40) == room && room[0] == 0 && room[39] == 39);
    CHECK(memcpy(room + 32, room, 32) == room + 32 && room[63] == 31 && mempcpy(room, "ab", 2) == room + 2);
    bzero(room, 64);
    CHECK(!memcmp(room, room + 32, 32) && !room[0]);
}

static void *all(void *argument) {
    char room[64], *block = malloc(64);
    reading();
    writing(room);
    writing(block);
    free(block);
    char *twice = strdup("twice"), *part = strndup("partial", 4);
    CHECK(strcmp(twice, "twice") == 0 && strcmp(part, "part") == 0);
    free(twice);
    free(part);
    char *large = malloc(100000), *copy = malloc(100000);
    memset(large, 'l', 100000);
    memcpy(copy, large, 100000);
    CHECK(memcmp(copy, large, 100000) == 0);
    free(large);
    free(copy);
    return argument;
}

int main(void) {
    all(NULL);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, all, NULL) == 0);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
