/* An object that starts a thread, which uses the object's own record of it.
 *
 * Original: Mozilla, nsThread: Init() does `mThread = PR_CreateThread(Main, ...)`, Main() reads `mThread->state`. The
 * new thread can be faster than the assignment.
 *
 * Bug (segv in thread_main; order): the creating thread has started the new one and is preempted before it has stored
 * the result; the new thread follows a NULL pointer.
 *
 * Parameters: THREADS (1 to 8; default 1), ROUNDS of unrelated work (default 2).
 */
#include "subject.h"
#include <assert.h>

enum { MAX_THREADS = 8, MAX_ROUNDS = 20, JOINABLE = 1 };

struct native_thread {
    pthread_t id;
    int state;
};

struct thread {
    struct native_thread *_Atomic native; /* set by thread_init() */
    struct native_thread storage;
    int number, state;
};

static struct thread threads[MAX_THREADS];
static int rounds;

static void *thread_main(void *arg) {
    struct thread *self = arg;
    slow_outside();
    unrelated_work(self->number, rounds);
    self->state = atomic_load(&self->native)->state;
    unrelated_work(self->number, rounds);
    return NULL;
}

static struct native_thread *native_create(struct thread *thread) {
    thread->storage.state = JOINABLE;
    pthread_create(&thread->storage.id, NULL, thread_main, thread);
    return &thread->storage;
}

static void thread_init(struct thread *thread, int number) {
    thread->number = number;
    struct native_thread *native = native_create(thread);
    atomic_store(&thread->native, native); /* the thread may be running already */
}

int main(int argc, char **argv) {
    int count = size_argument(argc, argv, 1, 1, 1, MAX_THREADS);
    rounds = size_argument(argc, argv, 2, 2, 0, MAX_ROUNDS);
    for (int i = 0; i < count; i++) {
        thread_init(&threads[i], i + 1);
        unrelated_work(0, rounds);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i].storage.id, NULL);
        assert(threads[i].state == JOINABLE);
    }
    puts("joined");
    return 0;
}
