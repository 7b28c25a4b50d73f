/* What the drivers share: threads that each do a part, at the same time. */
#ifndef MAPTEST_DRIVE_H
#define MAPTEST_DRIVE_H

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef void drive_part(void);

enum { DRIVE_MAX = 4 };

static inline void *drive_thread(void *part) {
    (*(drive_part **)part)();
    return NULL;
}

static inline void drive(drive_part **parts, int count) {
    pthread_t threads[DRIVE_MAX];
    assert(count <= DRIVE_MAX);
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, drive_thread, &parts[i]) != 0) abort();
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static inline void drive_two(drive_part *one, drive_part *other) {
    drive_part *parts[] = {one, other};
    drive(parts, 2);
}

#endif
