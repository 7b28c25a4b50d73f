/* Keys 0 to 3 are in different stripes, 0 and 4 in the same one. One thread moves a value, one counts, one adds to a stripe
 * until it grows. */
#include "drive.h"
#include "stripedmap.h"

static stripedmap *map;

static void move(void) {
    bool removed = stripedmap_remove(map, 0);
    bool put = stripedmap_put_new(map, 1, 10);
    assert(removed && put);
}

static void count(void) {
    size_t first = stripedmap_size(map), second = stripedmap_size(map);
    assert(first >= 3 && first <= 5 && second + 1 >= first && second <= 5);
    assert(stripedmap_has_value(map, 40));
}

static void add(void) {
    int value = 0;
    stripedmap_put(map, 16, 40);
    assert(stripedmap_replace(map, 16, 40, 41));
    assert(stripedmap_get(map, 16, &value) && value == 41);
}

int main(void) {
    drive_part *parts[] = {move, count, add};
    int value = 0;
    map = stripedmap_new();
    for (int key = 0; key <= 12; key += 4) stripedmap_put(map, key, key == 0 ? 10 : 40);
    drive(parts, 3);
    assert(stripedmap_size(map) == 5 && stripedmap_get(map, 1, &value) && value == 10);
    stripedmap_clear(map);
    assert(stripedmap_size(map) == 0 && !stripedmap_remove(map, 4));
    stripedmap_free(map);
    return 0;
}
