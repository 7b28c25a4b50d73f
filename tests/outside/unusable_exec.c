/* unusable: replaces itself by '/bin/true' \(exec\) before it creates a thread
 * A wrapper: there is nothing to run under control. */
#include <unistd.h>

int main(void) {
    execl("/bin/true", "true", (char *)0);
    return 1;
}
