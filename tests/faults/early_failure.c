/* Fails before any thread starts. Outcome: exit status 7 is a failure like any other. */
#include <stdio.h>

int main(void) {
    fputs("configuration missing\n", stderr);
    return 7;
}
