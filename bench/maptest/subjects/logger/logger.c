#include "logger.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct appender {
    pthread_mutex_t lock; /* over all that follows */
    int level;
    int appended;
    char last[LOGGER_MAX_TEXT + 1];
};

struct logger {
    pthread_mutex_t lock; /* over all that follows, but not what is in the appenders */
    struct appender appenders[LOGGER_MAX_APPENDERS];
    int count;
    int activity;
};

logger *logger_new(void) {
    logger *log = calloc(1, sizeof *log);
    if (!log) return NULL;
    pthread_mutex_init(&log->lock, NULL);
    for (int i = 0; i < LOGGER_MAX_APPENDERS; i++) pthread_mutex_init(&log->appenders[i].lock, NULL);
    return log;
}

void logger_free(logger *log) {
    if (!log) return;
    for (int i = 0; i < LOGGER_MAX_APPENDERS; i++) pthread_mutex_destroy(&log->appenders[i].lock);
    pthread_mutex_destroy(&log->lock);
    free(log);
}

int logger_add_appender(logger *log, int level) {
    int number = -1;
    pthread_mutex_lock(&log->lock);
    if (log->count < LOGGER_MAX_APPENDERS) {
        number = log->count++;
        pthread_mutex_lock(&log->appenders[number].lock);
        log->appenders[number].level = level;
        pthread_mutex_unlock(&log->appenders[number].lock);
    }
    pthread_mutex_unlock(&log->lock);
    return number;
}

/* Appenders are never taken away: the answer stays. */
static struct appender *find(logger *log, int number) {
    pthread_mutex_lock(&log->lock);
    struct appender *appender = number >= 0 && number < log->count ? &log->appenders[number] : NULL;
    pthread_mutex_unlock(&log->lock);
    return appender;
}

static void note_activity(logger *log) {
    pthread_mutex_lock(&log->lock);
    log->activity++;
    pthread_mutex_unlock(&log->lock);
}

bool logger_set_level(logger *log, int appender, int level) {
    struct appender *target = find(log, appender);
    if (!target) return false;
    pthread_mutex_lock(&target->lock);
    if (target->level != level) {
        target->level = level;
        note_activity(log);
    }
    pthread_mutex_unlock(&target->lock);
    return true;
}

/* Whether the appender wants it. */
static bool append(struct appender *appender, int level, const char *text) {
    pthread_mutex_lock(&appender->lock);
    bool wanted = level >= appender->level;
    if (wanted) {
        size_t length = strnlen(text, LOGGER_MAX_TEXT);
        memcpy(appender->last, text, length);
        appender->last[length] = '\0';
        appender->appended++;
    }
    pthread_mutex_unlock(&appender->lock);
    return wanted;
}

/* Locked throughout: all appenders get what is logged in the same order. */
int logger_log(logger *log, int level, const char *text) {
    int appended = 0;
    pthread_mutex_lock(&log->lock);
    log->activity++;
    for (int i = 0; i < log->count; i++) appended += append(&log->appenders[i], level, text);
    pthread_mutex_unlock(&log->lock);
    return appended;
}

int logger_appended(logger *log, int appender) {
    struct appender *target = find(log, appender);
    if (!target) return -1;
    pthread_mutex_lock(&target->lock);
    int appended = target->appended;
    pthread_mutex_unlock(&target->lock);
    return appended;
}

int logger_last(logger *log, int appender, char *out, size_t size) {
    struct appender *target = find(log, appender);
    int length = -1;
    if (!target) return -1;
    pthread_mutex_lock(&target->lock);
    if (target->appended > 0) {
        length = (int)strlen(target->last);
        if (size > 0) {
            size_t copied = (size_t)length < size ? (size_t)length : size - 1;
            memcpy(out, target->last, copied);
            out[copied] = '\0';
        }
    }
    pthread_mutex_unlock(&target->lock);
    return length;
}

int logger_activity(logger *log) {
    pthread_mutex_lock(&log->lock);
    int activity = log->activity;
    pthread_mutex_unlock(&log->lock);
    return activity;
}
