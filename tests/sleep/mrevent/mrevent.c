#include "mrevent.h"

void MREvent_Create(MREvent *event, int automatic)
{
    pthread_mutex_init(&event->mutex, NULL);
    pthread_cond_init(&event->cond, NULL);
    event->automatic = automatic;
    event->isSet = 0;
    event->pulses = 0;
}

void MREvent_Delete(MREvent *event)
{
    pthread_cond_destroy(&event->cond);
    pthread_mutex_destroy(&event->mutex);
}

void MREvent_Set(MREvent *event)
{
    pthread_mutex_lock(&event->mutex);
    event->isSet = 1;
    if (event->automatic)
        pthread_cond_signal(&event->cond);
    else
        pthread_cond_broadcast(&event->cond);
    pthread_mutex_unlock(&event->mutex);
}

void MREvent_Reset(MREvent *event)
{
    pthread_mutex_lock(&event->mutex);
    event->isSet = 0;
    pthread_mutex_unlock(&event->mutex);
}

void MREvent_Pulse(MREvent *event)
{
    pthread_mutex_lock(&event->mutex);
    event->isSet = 0;
    event->pulses++;
    pthread_cond_broadcast(&event->cond);
    pthread_mutex_unlock(&event->mutex);
}

void MREvent_Wait(MREvent *event)
{
    pthread_mutex_lock(&event->mutex);
    unsigned pulses = event->pulses;
    while (!event->isSet && event->pulses == pulses)
        pthread_cond_wait(&event->cond, &event->mutex);
    if (event->automatic)
        event->isSet = 0;
    pthread_mutex_unlock(&event->mutex);
}

int MREvent_TryWait(MREvent *event)
{
    pthread_mutex_lock(&event->mutex);
    int wasSet = event->isSet;
    if (event->automatic)
        event->isSet = 0;
    pthread_mutex_unlock(&event->mutex);
    return wasSet;
}
