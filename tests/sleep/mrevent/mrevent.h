#ifndef MREVENT_H
#define MREVENT_H

/* Manual-reset event (as in Win32), and one that resets itself when it lets a thread through. */

#include <pthread.h>

typedef struct
{
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    int automatic;
    int isSet;
    unsigned pulses;
} MREvent;

void MREvent_Create(MREvent *event, int automatic);
void MREvent_Delete(MREvent *event);
void MREvent_Set(MREvent *event);
void MREvent_Reset(MREvent *event);
void MREvent_Pulse(MREvent *event); /* releases those that wait now, and stays unset */
void MREvent_Wait(MREvent *event);
int MREvent_TryWait(MREvent *event); /* 1: was set */

#endif
