/* Prints how many words and letters its lines of arguments have; three threads count. */
#include "tally.h"

#include <stdio.h>

static struct queue queue;
static struct tally tally;

static void *count(void *unused) {
    const char *word;
    (void)unused;
    while ((word = queue_take(&queue)) != NULL)
        tally_add(&tally, word);
    return NULL;
}

int main(void) {
    static const char *const text[] = {"any", "way", "the", "wind", "blows", "does", "not", "really", "matter"};
    pthread_t threads[3];
    queue_init(&queue);
    tally_init(&tally);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (unsigned i = 0; i < sizeof text / sizeof text[0]; i++)
        queue_put(&queue, text[i]);
    queue_close(&queue);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%lu words, %lu letters\n", tally.words, tally.letters);
    return 0;
}
