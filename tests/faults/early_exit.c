/* Exits before any thread starts. Outcome: one execution, complete, nothing found. */
#include <stdio.h>

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return 0;
    }
    return 1;
}
