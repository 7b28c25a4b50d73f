#include "lazy.h"

void *lazy_get(struct lazy *l)
{
	void *value;

	pthread_mutex_lock(&l->lock);
	while (l->state == LAZY_BUSY)
		pthread_cond_wait(&l->changed, &l->lock);
	if (l->state == LAZY_READY) {
		value = l->value;
		pthread_mutex_unlock(&l->lock);
		return value;
	}
	l->state = LAZY_BUSY;
	pthread_mutex_unlock(&l->lock);

	value = l->make(l->arg); /* may take long: without the lock */

	pthread_mutex_lock(&l->lock);
	l->value = value;
	l->state = value ? LAZY_READY : LAZY_EMPTY;
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
	return value;
}

void *lazy_peek(struct lazy *l)
{
	void *value;

	pthread_mutex_lock(&l->lock);
	value = l->state == LAZY_READY ? l->value : NULL;
	pthread_mutex_unlock(&l->lock);
	return value;
}

void *lazy_reset(struct lazy *l)
{
	void *value;

	pthread_mutex_lock(&l->lock);
	while (l->state == LAZY_BUSY)
		pthread_cond_wait(&l->changed, &l->lock);
	value = l->value;
	l->value = NULL;
	l->state = LAZY_EMPTY;
	pthread_mutex_unlock(&l->lock);
	return value;
}
