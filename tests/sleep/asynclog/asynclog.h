#ifndef ASYNCLOG_H
#define ASYNCLOG_H

#include <stddef.h>

/* Lines are collected in memory and handed to a sink by a thread of the log's own. log_line() waits while the buffer is full. */

#define ASYNCLOG_LINES 4
#define ASYNCLOG_WIDTH 40

typedef void (*asynclog_sink)(const char *line, void *context);
typedef struct asynclog asynclog;

asynclog *asynclog_open(asynclog_sink sink, void *context);
void      asynclog_line(asynclog *log, const char *line);
void      asynclog_flush(asynclog *log);   /* until the sink has seen all lines so far */
void      asynclog_pause(asynclog *log);   /* nothing goes to the sink from now on */
void      asynclog_resume(asynclog *log);
size_t    asynclog_buffered(asynclog *log);
void      asynclog_close(asynclog *log);   /* flushes */

#endif
