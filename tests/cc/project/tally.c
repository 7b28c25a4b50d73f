#include "tally.h"

#include <string.h>

void tally_init(struct tally *tally) {
    pthread_mutex_init(&tally->lock, NULL);
    tally->words = tally->letters = 0;
}

void tally_add(struct tally *tally, const char *word) {
    pthread_mutex_lock(&tally->lock);
    tally->words++;
    tally->letters += strlen(word);
    pthread_mutex_unlock(&tally->lock);
}
