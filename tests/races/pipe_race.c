/* The message is finished only after the byte was sent.
 * races: a-b
 */
#include <unistd.h>

#include "subject.h"

static int ends[2], message;

static void *sender(void *unused) {
    if (write(ends[1], "x", 1) != 1) return &message;
    message = 1; /* @a */
    return unused;
}

static void *receiver(void *unused) {
    char byte;
    if (read(ends[0], &byte, 1) == 1) message = 2; /* @b */
    return unused;
}

int main(void) {
    if (pipe(ends)) return 2;
    run_two(sender, receiver);
    return 0;
}
