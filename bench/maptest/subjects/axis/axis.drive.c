/* One thread moves the range beyond its old end, the other one asks where a value is. */
#include "drive.h"
#include "axis.h"

static struct axis shown;
static int place;

static void set_range(void) { axis_set_range(&shown, 10, 20); }

static void ask(void) { place = axis_to_screen(&shown, 15, 100); }

int main(void) {
    axis_init(&shown, 0, 5);
    drive_two(set_range, ask);
    assert(place == -1 || place == 50);
    axis_destroy(&shown);
    return 0;
}
