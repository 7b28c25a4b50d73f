/* A pool of connections to a database, which are opened when needed, up to a limit, and kept for the next borrower.
 *
 * All functions but datasource_free may be called by several threads at the same time. Connections are numbers: the
 * smallest one that is free.
 */
#ifndef DATASOURCE_H
#define DATASOURCE_H

#include <stdbool.h>

typedef struct datasource datasource;

enum { DATASOURCE_MAX = 8 };

/* For at most `limit` connections (1 to DATASOURCE_MAX). NULL: no memory. */
datasource *datasource_new(int limit);
void datasource_free(datasource *source);

/* A connection that nobody else has; -1: all are out. */
int datasource_borrow(datasource *source);
/* false: nobody had borrowed it. */
bool datasource_return(datasource *source, int connection);
/* Connections that are borrowed, and all that are open. */
int datasource_active(datasource *source);
int datasource_open(datasource *source);
/* Closes those that are open and not borrowed; how many. */
int datasource_evict(datasource *source);
bool datasource_is_borrowed(datasource *source, int connection);

#endif
