/* Counting resource: units are taken, several at once if need be, and given back. Big requests are not starved: a request that
 * waits at the head of the line is not overtaken. */
#ifndef SEMA_H
#define SEMA_H

struct sema;

struct sema *sema_new (unsigned units);
void         sema_free (struct sema *s);
void         sema_take (struct sema *s, unsigned n);
int          sema_try (struct sema *s, unsigned n);  /* 1: taken */
void         sema_give (struct sema *s, unsigned n);
unsigned     sema_value (struct sema *s);
unsigned     sema_waiters (struct sema *s);

#endif
