/* There is activity in two sessions at once. */
#include "drive.h"
#include "sessions.h"

static sessions *table;
static unsigned first, second;

static void touch_first(void) { first = sessions_touch(table, 0); }

static void touch_second(void) { second = sessions_touch(table, 1); }

int main(void) {
    table = sessions_new();
    sessions_open(table, 5);
    sessions_open(table, 6);
    drive_two(touch_first, touch_second);
    assert(first != second && first + second == 3 + 4);
    sessions_free(table);
    return 0;
}
