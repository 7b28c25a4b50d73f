/* A wrapper: starts another program in its place before it has a thread. Outcome: refused, with the name of what it would
 * start, for ravel has nothing to run here. */
#include <stdio.h>
#include <unistd.h>

int main(void) {
    char *const arguments[] = {"true", NULL};
    execv("/bin/true", arguments);
    perror("execv");
    return 1;
}
