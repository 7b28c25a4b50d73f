/* The sessions of a server: who is logged in, and who was active when. Time is a count of activities.
 *
 * All functions but sessions_free may be called by several threads on the same table at the same time. Those that only look
 * for a session do not keep each other out.
 */
#ifndef SESSIONS_H
#define SESSIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sessions sessions;

enum { SESSIONS_MAX = 8 };

sessions *sessions_new(void); /* NULL: no memory */
void sessions_free(sessions *table);

/* A session for a user (0 and more; one may have several), which counts as an activity. Its number, the smallest that is free;
 * -1: no place. */
int sessions_open(sessions *table, int user);
bool sessions_close(sessions *table, int session);
/* An activity; its time, the first one is 1; 0: no such session. */
unsigned sessions_touch(sessions *table, int session);
/* Of the last activity; 0: no such session. */
unsigned sessions_last_active(sessions *table, int session);
int sessions_user(sessions *table, int session); /* -1: no such session */
size_t sessions_count(sessions *table);
/* Closes those whose last activity was before `time`; how many. */
size_t sessions_expire(sessions *table, unsigned time);

#endif
