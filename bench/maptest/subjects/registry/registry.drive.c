/* Two threads ask for the number of a new name. */
#include "drive.h"
#include "registry.h"

static registry *names;
static int first, second;

static void intern_first(void) { first = registry_intern(names, "red"); }

static void intern_second(void) { second = registry_intern(names, "red"); }

int main(void) {
    names = registry_new();
    drive_two(intern_first, intern_second);
    assert(first == 1 && second == 1 && registry_count(names) == 1);
    registry_free(names);
    return 0;
}
