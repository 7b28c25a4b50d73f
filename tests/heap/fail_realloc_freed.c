/* expect: double-free realloc of a block that was freed before */
#include "check.h"

int main(void) {
    char *volatile block = malloc(10);
    free(block);
    block = realloc(block, 20);
    return block == NULL;
}
