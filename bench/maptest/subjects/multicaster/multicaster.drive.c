/* Two threads remove the same listener. */
#include "drive.h"
#include "multicaster.h"

static multicaster *caster;
static bool removed[2];

static void remove_first(void) { removed[0] = multicaster_remove(caster, 1); }

static void remove_second(void) { removed[1] = multicaster_remove(caster, 1); }

int main(void) {
    caster = multicaster_new();
    multicaster_add(caster, NULL, NULL);
    drive_two(remove_first, remove_second);
    assert(removed[0] != removed[1] && multicaster_count(caster) == 0);
    multicaster_free(caster);
    return 0;
}
