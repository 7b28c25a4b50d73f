/* Publish / subscribe: each subscriber has a mailbox and gets everything published after it has subscribed. */
#ifndef BUS_H
#define BUS_H

#include <stdbool.h>

enum { BUS_MAILBOX = 4, BUS_SUBSCRIBERS = 8 };

typedef struct bus        bus;
typedef struct subscriber subscriber;

bus        *bus_new(void);
void        bus_free(bus *b);
subscriber *bus_subscribe(bus *b); // NULL: too many
void        bus_unsubscribe(subscriber *s);
void        bus_publish(bus *b, int message); // waits for those whose mailbox is full
bool        bus_receive(subscriber *s, int *message); // waits; false: the bus is closed and nothing is left
int         bus_waiting(subscriber *s);               // messages in the mailbox
void        bus_close(bus *b);

#endif
