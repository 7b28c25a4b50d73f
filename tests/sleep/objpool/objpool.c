#include "objpool.h"
#include <stdlib.h>

int objpool_init(objpool *pool, unsigned objects, size_t object_size)
{
    pool->stack = calloc(objects, sizeof(void *));
    if (pool->stack == NULL)
        return -1;
    pthread_mutex_init(&pool->m, NULL);
    pthread_cond_init(&pool->c, NULL);
    pool->object_size = object_size;
    pool->total       = objects;
    pool->available   = 0;
    pool->next_ticket = pool->now_serving = 0;
    while (pool->available < objects)
    {
        void *object = calloc(1, object_size);
        if (object == NULL)
        {
            pool->total = pool->available;
            objpool_fini(pool);
            return -1;
        }
        pool->stack[pool->available++] = object;
    }
    return 0;
}

void objpool_fini(objpool *pool)
{
    for (unsigned i = 0; i < pool->available; i++)
        free(pool->stack[i]);
    free(pool->stack);
    pthread_cond_destroy(&pool->c);
    pthread_mutex_destroy(&pool->m);
}

void *objpool_acquire(objpool *pool)
{
    pthread_mutex_lock(&pool->m);
    unsigned long ticket = pool->next_ticket++;
    while (ticket != pool->now_serving || pool->available == 0)
        pthread_cond_wait(&pool->c, &pool->m);
    pool->now_serving++;
    void *object = pool->stack[--pool->available];
    if (pool->available > 0)
        pthread_cond_broadcast(&pool->c); /* the next one's turn */
    pthread_mutex_unlock(&pool->m);
    return object;
}

void *objpool_try_acquire(objpool *pool)
{
    void *object = NULL;
    pthread_mutex_lock(&pool->m);
    if (pool->available > 0 && pool->next_ticket == pool->now_serving)
        object = pool->stack[--pool->available];
    pthread_mutex_unlock(&pool->m);
    return object;
}

void objpool_release(objpool *pool, void *object)
{
    pthread_mutex_lock(&pool->m);
    pool->stack[pool->available++] = object;
    pthread_cond_broadcast(&pool->c);
    pthread_mutex_unlock(&pool->m);
}

unsigned objpool_available(objpool *pool)
{
    pthread_mutex_lock(&pool->m);
    unsigned available = pool->available;
    pthread_mutex_unlock(&pool->m);
    return available;
}
