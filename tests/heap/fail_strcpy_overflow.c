/* expect: heap-overflow write of 6 byte(s) at offset 0 of a block of 5 */
#include <string.h>

#include "check.h"

int main(void) {
    char *volatile block = malloc(5);
    const char *volatile text = "12345";
    strcpy(block, text);
    return 0;
}
