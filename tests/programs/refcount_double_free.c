/* A table of shared buffers; the reference count lives in the table, and the drop is "decrement, then look".
 *
 * Bug (double-free in buffer_drop): both users decrement (2 -> 1 -> 0) before either looks; both see zero; both free.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 2, SIZE = 16 };

static struct slot {
    atomic_int users;
    char *data;
} table[BUFFERS];

static void buffer_open(int index, const char *text, int users) {
    table[index].data = malloc(SIZE);
    strncpy(table[index].data, text, SIZE - 1);
    table[index].data[SIZE - 1] = 0;
    atomic_store(&table[index].users, users);
}

static void buffer_drop(int index) {
    struct slot *slot = &table[index];
    atomic_fetch_sub(&slot->users, 1);
    if (atomic_load(&slot->users) == 0) free(slot->data);
}

static int checksum(const char *text) {
    int sum = 0;
    while (*text) sum += *text++;
    return sum;
}

static void *use_buffers(void *result) {
    int sum = 0;
    for (int i = 0; i < BUFFERS; i++) {
        sum += checksum(table[i].data);
        buffer_drop(i);
    }
    *(int *)result = sum;
    return NULL;
}

int main(void) {
    pthread_t users[2];
    int sums[2];
    buffer_open(0, "first", 2);
    buffer_open(1, "second", 2);
    for (int i = 0; i < 2; i++) pthread_create(&users[i], NULL, use_buffers, &sums[i]);
    for (int i = 0; i < 2; i++) pthread_join(users[i], NULL);
    printf("%d\n", sums[0] == sums[1]);
    return 0;
}
