/* One thread waits for the first load, which the other one does. */
#include "drive.h"
#include "config.h"

static config *settings;
static unsigned version;

static void await(void) { version = config_await(settings, 0); }

static void load(void) { config_load(settings, "size=3"); }

int main(void) {
    int size = 0;
    settings = config_new();
    drive_two(await, load);
    assert(version == 1 && config_get(settings, "size", &size) && size == 3);
    config_free(settings);
    return 0;
}
