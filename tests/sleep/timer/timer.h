/* timer.h - one thread that calls functions when their time has come.  */
#ifndef TIMER_H
#define TIMER_H 1

struct timer_queue;
typedef void (*timer_func) (void *data);

extern struct timer_queue *timer_queue_new (void);
/* What has not been called yet will not be.  */
extern void timer_queue_delete (struct timer_queue *tq);
/* Call FUNC in MSEC milliseconds.  Return an id, or -1 if there are too many.  */
extern int timer_add (struct timer_queue *tq, long msec, timer_func func, void *data);
/* Return nonzero if the timer was still to come.  If it is being called, wait until it has returned.  */
extern int timer_cancel (struct timer_queue *tq, int id);

#endif
