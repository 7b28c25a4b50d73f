/* Every execution finds memory as main left it before the first thread: data, large and small heap blocks, the
 * main stack; and leaves it dirty, more of it each time it could. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"

enum { LARGE = 8 << 20, SMALL = 200 };

static atomic_int data = 42;
static int bss[5000];
static char *large, *small[SMALL];

static void *spoil(void *argument) {
    int which = *(int *)argument;
    CHECK(data == 42 || data == 43);
    data = 43;
    for (int i = which; i < 5000; i += 2) {
        CHECK(bss[i] == 0);
        bss[i] = i + 1;
    }
    for (int i = which; i < SMALL; i += 2) {
        CHECK(strcmp(small[i], "as it was") == 0);
        strcpy(small[i], "spoilt");
        free(small[i]);
    }
    char *fresh = malloc(300000);
    for (int i = 0; i < 300000; i += 1000) CHECK(fresh[i] == 0); /* glibc too: it comes from mmap */
    memset(fresh, 1, 300000);
    if (which) free(fresh);
    for (int i = which * 8192; i < LARGE; i += 16384 * 7) {
        CHECK(large[i] == 'l');
        large[i] = 's';
    }
    return NULL;
}

int main(void) {
    large = malloc(LARGE);
    memset(large, 'l', LARGE);
    for (int i = 0; i < SMALL; i++) small[i] = strdup("as it was");
    int numbers[2] = {0, 1};
    char on_stack[100] = "untouched";
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, spoil, &numbers[i]) == 0);
    CHECK(strcmp(on_stack, "untouched") == 0);
    memset(on_stack, 's', 99);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    numbers[0] = numbers[1] = 7;
    return 0;
}
