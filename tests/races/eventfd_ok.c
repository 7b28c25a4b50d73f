/* An eventfd as a semaphore between two threads.
 * races: none
 */
#include <sys/eventfd.h>

#include "subject.h"

static int event, message;

static void *sender(void *unused) {
    message = 1;
    eventfd_write(event, 1);
    return unused;
}

static void *receiver(void *unused) {
    eventfd_t count;
    if (eventfd_read(event, &count) == 0) message++;
    return unused;
}

int main(void) {
    event = eventfd(0, 0);
    run_two(sender, receiver);
    return message != 2;
}
