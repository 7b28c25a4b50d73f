/* Two threads count in categories that were not used before. */
#include "drive.h"
#include "counter.h"

static struct counter counted;

static void add_one(void) { counter_add(&counted, 1, 5); }

static void add_two(void) { counter_add(&counted, 2, 7); }

int main(void) {
    counter_init(&counted);
    drive_two(add_one, add_two);
    assert(counter_sum(&counted) == 12);
    counter_destroy(&counted);
    return 0;
}
