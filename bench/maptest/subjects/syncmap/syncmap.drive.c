/* Two threads put each of two maps into the other one. */
#include "drive.h"
#include "syncmap.h"

static syncmap *one, *other;

static void put_into_one(void) { syncmap_put_all(one, other); }

static void put_into_other(void) { syncmap_put_all(other, one); }

int main(void) {
    one = syncmap_new();
    other = syncmap_new();
    syncmap_put(one, 1, 10);
    syncmap_put(other, 2, 20);
    drive_two(put_into_one, put_into_other);
    assert(syncmap_equal(one, other) && syncmap_size(one) == 2);
    syncmap_free(one);
    syncmap_free(other);
    return 0;
}
