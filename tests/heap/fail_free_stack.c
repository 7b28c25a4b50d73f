/* expect: misuse free of memory that malloc did not give */
#include "check.h"

int main(void) {
    char room[100];
    char *volatile block = room;
    free(block);
    return 0;
}
