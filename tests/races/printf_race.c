/* A string that is formatted while another thread writes it.
 * races: a-b
 */
#include <stdio.h>

#include "subject.h"

static char name[8] = "abc";

static void *format(void *unused) {
    char text[32];
    int size = snprintf(text, sizeof text, "name: %s", name); /* @a */
    return size == 9 ? unused : name;
}

static void *change(void *unused) {
    name[0] = 'x'; /* @b */
    return unused;
}

int main(void) {
    run_two(format, change);
    return 0;
}
