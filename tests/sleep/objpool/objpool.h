/* A pool of equal objects. acquire() blocks while all are in use; waiters are served in the order they came. */
#ifndef OBJPOOL_H
#define OBJPOOL_H
#include <pthread.h>
#include <stddef.h>

typedef struct objpool {
    pthread_mutex_t m;
    pthread_cond_t  c;
    size_t          object_size;
    unsigned        total, available;
    unsigned long   next_ticket, now_serving;
    void          **stack;
} objpool;

int      objpool_init(objpool *pool, unsigned objects, size_t object_size); /* 0, or -1 without memory */
void     objpool_fini(objpool *pool);                                       /* all must have been released */
void    *objpool_acquire(objpool *pool);
void    *objpool_try_acquire(objpool *pool); /* NULL if there is none, or others wait for it */
void     objpool_release(objpool *pool, void *object);
unsigned objpool_available(objpool *pool);

#endif
