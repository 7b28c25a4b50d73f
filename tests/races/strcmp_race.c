/* Strings that are compared, duplicated and searched while another thread writes.
 * races: a-d b-d c-d
 */
#include <stdlib.h>
#include <string.h>

#include "subject.h"

static char name[8] = "abc";

static void *use(void *unused) {
    int same = strcmp(name, "abc"); /* @a */
    char *copy = strdup(name);      /* @b */
    char *at = strchr(name, 'x');   /* @c */
    free(copy);
    return same && at ? name : unused;
}

static void *change(void *unused) {
    name[0] = 'a'; /* @d */
    return unused;
}

int main(void) {
    run_two(use, change);
    return 0;
}
