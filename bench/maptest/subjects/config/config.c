#include "config.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct setting {
    char name[CONFIG_MAX_NAME + 1];
    int value;
};

struct config {
    pthread_mutex_t lock; /* over the settings */
    pthread_cond_t loaded;
    struct setting settings[CONFIG_MAX];
    size_t count;
    atomic_uint version;
};

config *config_new(void) {
    config *settings = calloc(1, sizeof *settings);
    if (!settings) return NULL;
    pthread_mutex_init(&settings->lock, NULL);
    pthread_cond_init(&settings->loaded, NULL);
    return settings;
}

void config_free(config *settings) {
    if (!settings) return;
    pthread_cond_destroy(&settings->loaded);
    pthread_mutex_destroy(&settings->lock);
    free(settings);
}

/* Locked, and the name is not too long: its setting, a new one if need be; NULL: no room. */
static struct setting *setting_for(config *settings, const char *name, size_t length) {
    for (size_t i = 0; i < settings->count; i++) {
        struct setting *setting = &settings->settings[i];
        if (strlen(setting->name) == length && memcmp(setting->name, name, length) == 0) return setting;
    }
    if (settings->count == CONFIG_MAX) return NULL;
    struct setting *fresh = &settings->settings[settings->count++];
    memset(fresh, 0, sizeof *fresh);
    memcpy(fresh->name, name, length);
    return fresh;
}

/* Locked: one word of what is loaded. */
static void load_word(config *settings, const char *word, size_t length) {
    const char *equals = memchr(word, '=', length);
    size_t name_length = equals ? (size_t)(equals - word) : 0;
    int value = 0;
    if (name_length == 0 || name_length > CONFIG_MAX_NAME || name_length + 1 == length) return;
    for (size_t i = name_length + 1; i < length; i++) {
        if (!isdigit((unsigned char)word[i]) || value > 99999999) return;
        value = 10 * value + (word[i] - '0');
    }
    struct setting *setting = setting_for(settings, word, name_length);
    if (setting) setting->value = value;
}

unsigned config_load(config *settings, const char *text) {
    pthread_mutex_lock(&settings->lock);
    settings->count = 0;
    while (*text) {
        size_t length = strcspn(text, " ");
        load_word(settings, text, length);
        text += length + (text[length] == ' ');
    }
    pthread_mutex_unlock(&settings->lock);
    unsigned version = atomic_fetch_add(&settings->version, 1) + 1;
    pthread_cond_broadcast(&settings->loaded);
    return version;
}

bool config_get(config *settings, const char *name, int *value) {
    bool found = false;
    pthread_mutex_lock(&settings->lock);
    for (size_t i = 0; i < settings->count && !found; i++) {
        found = strcmp(settings->settings[i].name, name) == 0;
        if (found) *value = settings->settings[i].value;
    }
    pthread_mutex_unlock(&settings->lock);
    return found;
}

bool config_set(config *settings, const char *name, int value) {
    size_t length = strlen(name);
    if (length == 0 || length > CONFIG_MAX_NAME) return false;
    pthread_mutex_lock(&settings->lock);
    struct setting *setting = setting_for(settings, name, length);
    if (setting) setting->value = value;
    pthread_mutex_unlock(&settings->lock);
    return setting != NULL;
}

size_t config_count(config *settings) {
    pthread_mutex_lock(&settings->lock);
    size_t count = settings->count;
    pthread_mutex_unlock(&settings->lock);
    return count;
}

unsigned config_version(config *settings) { return atomic_load(&settings->version); }

unsigned config_await(config *settings, unsigned version) {
    pthread_mutex_lock(&settings->lock);
    while (settings->version <= version) pthread_cond_wait(&settings->loaded, &settings->lock);
    unsigned now = settings->version;
    pthread_mutex_unlock(&settings->lock);
    return now;
}
