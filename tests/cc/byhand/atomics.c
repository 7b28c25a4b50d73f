/* C11 atomics of every size and GNU builtins, volatile, spin locks made of them: totals must be exact. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static atomic_uchar byte;
static atomic_ushort two;
static atomic_uint four;
static atomic_ullong eight;
static struct pair {
    uint64_t a, b;
} pair;
static _Atomic double real;
static atomic_flag spin = ATOMIC_FLAG_INIT;
static int sync_style, guarded;
static volatile int ready;

static void *work(void *argument) {
    while (!ready)
        ;
    for (int i = 0; i < 5000; i++) {
        atomic_fetch_add(&byte, 1);
        atomic_fetch_sub_explicit(&two, 1, memory_order_relaxed);
        atomic_fetch_xor(&four, 1u << (i % 32));
        unsigned long long seen = atomic_load(&eight);
        while (!atomic_compare_exchange_weak(&eight, &seen, seen + 3))
            ;
        double old = atomic_load(&real);
        while (!atomic_compare_exchange_strong(&real, &old, old + 0.5))
            ;
        __sync_fetch_and_add(&sync_style, 2);
        while (atomic_flag_test_and_set_explicit(&spin, memory_order_acquire))
            ;
        guarded++;
        pair.a++, pair.b--;
        atomic_flag_clear_explicit(&spin, memory_order_release);
        atomic_thread_fence(memory_order_seq_cst);
    }
    return argument;
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    ready = 1;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%u %u %u %llu %.1f %d %d %llu\n", byte, two, four, eight, real, sync_style, guarded,
           (unsigned long long)(pair.a + pair.b));
    return 0;
}
