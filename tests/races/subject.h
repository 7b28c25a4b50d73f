/* What the subjects share: threads that are started together and waited for. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <pthread.h>
#include <stddef.h>

typedef void *thread_body(void *);

static inline void run_all(thread_body *const *bodies, size_t count) {
    pthread_t threads[4];
    for (size_t i = 0; i < count; i++) pthread_create(&threads[i], NULL, bodies[i], NULL);
    for (size_t i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static inline void run_two(thread_body *first, thread_body *second) {
    run_all((thread_body *const[]){first, second}, 2);
}

static inline void run_three(thread_body *first, thread_body *second, thread_body *third) {
    run_all((thread_body *const[]){first, second, third}, 3);
}

#endif
