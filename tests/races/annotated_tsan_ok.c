/* ThreadSanitizer's and Valgrind's names for the same.
 * races: none
 */
#include "subject.h"

extern void __tsan_acquire(void *at) __attribute__((__weak__));
extern void __tsan_release(void *at) __attribute__((__weak__));
extern void AnnotateHappensBefore(const char *file, int line, const volatile void *at)
    __attribute__((__weak__));
extern void AnnotateHappensAfter(const char *file, int line, const volatile void *at)
    __attribute__((__weak__));
extern void AnnotateBenignRaceSized(const char *file, int line, const volatile void *at, unsigned long size,
                                    const char *why) __attribute__((__weak__));
#define ANNOTATE_HAPPENS_BEFORE(at) \
    (AnnotateHappensBefore ? AnnotateHappensBefore(__FILE__, __LINE__, at) : (void)0)
#define ANNOTATE_HAPPENS_AFTER(at) \
    (AnnotateHappensAfter ? AnnotateHappensAfter(__FILE__, __LINE__, at) : (void)0)

static volatile int stage;
static int message;

static void *sender(void *unused) {
    message = 1;
    ANNOTATE_HAPPENS_BEFORE(&stage);
    stage = 1;
    return unused;
}

static void *relay(void *unused) {
    if (stage == 1) {
        ANNOTATE_HAPPENS_AFTER(&stage);
        message++;
        if (__tsan_release) __tsan_release(&message);
        stage = 2;
    }
    return unused;
}

static void *receiver(void *unused) {
    if (stage == 2) {
        if (__tsan_acquire) __tsan_acquire(&message);
        message++;
    }
    return unused;
}

int main(void) {
    if (AnnotateBenignRaceSized) AnnotateBenignRaceSized(__FILE__, __LINE__, &stage, sizeof stage, "stage");
    run_three(sender, relay, receiver);
    return 0;
}
