/* A logger that hands what is logged to appenders, each of which keeps the last texts of some level.
 *
 * All functions but logger_free may be called by several threads at the same time. Appenders are numbers.
 */
#ifndef LOGGER_H
#define LOGGER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct logger logger;

enum { LOGGER_MAX_APPENDERS = 4, LOGGER_MAX_TEXT = 31 };

logger *logger_new(void); /* NULL: no memory */
void logger_free(logger *log);

/* A new appender for texts of `level` and higher; -1: there are too many. */
int logger_add_appender(logger *log, int level);
bool logger_set_level(logger *log, int appender, int level);
/* To all appenders that want it, cut off after LOGGER_MAX_TEXT characters; to how many it went. */
int logger_log(logger *log, int level, const char *text);
/* The number of texts that an appender was given; -1: no such appender. */
int logger_appended(logger *log, int appender);
/* The last one, cut off where `out` ends; how long it is; -1: no such appender, or nothing yet. */
int logger_last(logger *log, int appender, char *out, size_t size);
/* Log calls and changes of levels so far. */
int logger_activity(logger *log);

#endif
