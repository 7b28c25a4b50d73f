#include <errno.h>

#include "rwl.h"

void
rwl_init(struct rwl *rw)
{
	pthread_mutex_init(&rw->rw_mtx, NULL);
	pthread_cond_init(&rw->rw_rcond, NULL);
	pthread_cond_init(&rw->rw_wcond, NULL);
	rw->rw_readers = rw->rw_writer = rw->rw_wwait = 0;
}

void
rwl_destroy(struct rwl *rw)
{
	pthread_cond_destroy(&rw->rw_wcond);
	pthread_cond_destroy(&rw->rw_rcond);
	pthread_mutex_destroy(&rw->rw_mtx);
}

void
rwl_rdlock(struct rwl *rw)
{
	pthread_mutex_lock(&rw->rw_mtx);
	while (rw->rw_writer || rw->rw_wwait > 0)
		pthread_cond_wait(&rw->rw_rcond, &rw->rw_mtx);
	rw->rw_readers++;
	pthread_mutex_unlock(&rw->rw_mtx);
}

int
rwl_tryrdlock(struct rwl *rw)
{
	int error = 0;

	pthread_mutex_lock(&rw->rw_mtx);
	if (rw->rw_writer || rw->rw_wwait > 0)
		error = EBUSY;
	else
		rw->rw_readers++;
	pthread_mutex_unlock(&rw->rw_mtx);
	return (error);
}

void
rwl_rdunlock(struct rwl *rw)
{
	pthread_mutex_lock(&rw->rw_mtx);
	if (--rw->rw_readers == 0 && rw->rw_wwait > 0)
		pthread_cond_signal(&rw->rw_wcond);
	pthread_mutex_unlock(&rw->rw_mtx);
}

void
rwl_wrlock(struct rwl *rw)
{
	pthread_mutex_lock(&rw->rw_mtx);
	rw->rw_wwait++;
	while (rw->rw_writer || rw->rw_readers > 0)
		pthread_cond_wait(&rw->rw_wcond, &rw->rw_mtx);
	rw->rw_wwait--;
	rw->rw_writer = 1;
	pthread_mutex_unlock(&rw->rw_mtx);
}

int
rwl_trywrlock(struct rwl *rw)
{
	int error = 0;

	pthread_mutex_lock(&rw->rw_mtx);
	if (rw->rw_writer || rw->rw_readers > 0)
		error = EBUSY;
	else
		rw->rw_writer = 1;
	pthread_mutex_unlock(&rw->rw_mtx);
	return (error);
}

void
rwl_wrunlock(struct rwl *rw)
{
	pthread_mutex_lock(&rw->rw_mtx);
	rw->rw_writer = 0;
	if (rw->rw_wwait > 0)
		pthread_cond_signal(&rw->rw_wcond);
	else
		pthread_cond_broadcast(&rw->rw_rcond);
	pthread_mutex_unlock(&rw->rw_mtx);
}
