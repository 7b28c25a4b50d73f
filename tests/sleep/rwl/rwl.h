#ifndef _RWL_H
#define _RWL_H

#include <pthread.h>

/*
 * Read/write lock that prefers writers: once a writer waits no new reader
 * gets in.
 */
struct rwl {
	pthread_mutex_t	rw_mtx;
	pthread_cond_t	rw_rcond;	/* readers sleep here */
	pthread_cond_t	rw_wcond;	/* writers sleep here */
	int		rw_readers;	/* inside */
	int		rw_writer;	/* inside, 0 or 1 */
	int		rw_wwait;	/* writers that sleep */
};

void	rwl_init(struct rwl *);
void	rwl_destroy(struct rwl *);
void	rwl_rdlock(struct rwl *);
int	rwl_tryrdlock(struct rwl *);	/* 0 or EBUSY */
void	rwl_rdunlock(struct rwl *);
void	rwl_wrlock(struct rwl *);
int	rwl_trywrlock(struct rwl *);	/* 0 or EBUSY */
void	rwl_wrunlock(struct rwl *);

#endif
