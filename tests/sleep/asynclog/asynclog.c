#include "asynclog.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct asynclog {
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    pthread_t       writer;
    asynclog_sink   sink;
    void           *context;
    unsigned long   in, out; /* lines so far */
    bool            paused, closing;
    char            lines[ASYNCLOG_LINES][ASYNCLOG_WIDTH];
};

static void *writer(void *arg)
{
    asynclog *log = arg;

    pthread_mutex_lock(&log->lock);
    for (;;) {
        while ((log->in == log->out || log->paused) && !log->closing)
            pthread_cond_wait(&log->changed, &log->lock);
        if (log->in == log->out)
            break;
        char line[ASYNCLOG_WIDTH];
        memcpy(line, log->lines[log->out % ASYNCLOG_LINES], sizeof line);
        pthread_mutex_unlock(&log->lock);
        log->sink(line, log->context);
        pthread_mutex_lock(&log->lock);
        log->out++;
        pthread_cond_broadcast(&log->changed);
    }
    pthread_mutex_unlock(&log->lock);
    return NULL;
}

asynclog *asynclog_open(asynclog_sink sink, void *context)
{
    asynclog *log = calloc(1, sizeof *log);

    if (log == NULL)
        return NULL;
    pthread_mutex_init(&log->lock, NULL);
    pthread_cond_init(&log->changed, NULL);
    log->sink = sink;
    log->context = context;
    if (pthread_create(&log->writer, NULL, writer, log) != 0) {
        free(log);
        return NULL;
    }
    return log;
}

void asynclog_line(asynclog *log, const char *line)
{
    pthread_mutex_lock(&log->lock);
    while (log->in - log->out == ASYNCLOG_LINES)
        pthread_cond_wait(&log->changed, &log->lock);
    snprintf(log->lines[log->in % ASYNCLOG_LINES], ASYNCLOG_WIDTH, "%s", line);
    log->in++;
    pthread_cond_broadcast(&log->changed);
    pthread_mutex_unlock(&log->lock);
}

void asynclog_flush(asynclog *log)
{
    pthread_mutex_lock(&log->lock);
    unsigned long until = log->in;
    while (log->out < until)
        pthread_cond_wait(&log->changed, &log->lock);
    pthread_mutex_unlock(&log->lock);
}

static void set_paused(asynclog *log, bool paused)
{
    pthread_mutex_lock(&log->lock);
    log->paused = paused;
    pthread_cond_broadcast(&log->changed);
    pthread_mutex_unlock(&log->lock);
}

void asynclog_pause(asynclog *log) { set_paused(log, true); }

void asynclog_resume(asynclog *log) { set_paused(log, false); }

size_t asynclog_buffered(asynclog *log)
{
    pthread_mutex_lock(&log->lock);
    size_t buffered = log->in - log->out;
    pthread_mutex_unlock(&log->lock);
    return buffered;
}

void asynclog_close(asynclog *log)
{
    pthread_mutex_lock(&log->lock);
    log->closing = true;
    pthread_cond_broadcast(&log->changed);
    pthread_mutex_unlock(&log->lock);
    pthread_join(log->writer, NULL);
    pthread_cond_destroy(&log->changed);
    pthread_mutex_destroy(&log->lock);
    free(log);
}
