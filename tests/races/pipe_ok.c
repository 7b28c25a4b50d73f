/* A byte through a pipe orders what was before it.
 * races: none
 */
#include <unistd.h>

#include "subject.h"

static int ends[2], message;

static void *sender(void *unused) {
    message = 1;
    if (write(ends[1], "x", 1) != 1) return &message;
    return unused;
}

static void *receiver(void *unused) {
    char byte;
    if (read(ends[0], &byte, 1) == 1) message++;
    return unused;
}

int main(void) {
    if (pipe(ends)) return 2;
    run_two(sender, receiver);
    return message != 2;
}
