/* expect: misuse free of an address inside a block that malloc gave */
#include "check.h"

int main(void) {
    char *volatile block = malloc(100);
    free(block + 16);
    return 0;
}
