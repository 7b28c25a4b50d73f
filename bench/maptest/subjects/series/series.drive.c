/* One thread adds a point, of which a listener is told; the other one adds a listener. */
#include "drive.h"
#include "series.h"

static series *points;
static int told[2]; /* each by the one thread that adds a point */

static void note(series *changed, void *context) {
    (void)changed;
    ++*(int *)context;
}

static void put(void) { series_put(points, 1, 10); }

static void listen_too(void) { series_add_listener(points, note, &told[1]); }

int main(void) {
    points = series_new();
    series_add_listener(points, note, &told[0]);
    drive_two(put, listen_too);
    assert(told[0] == 1 && told[1] <= 1 && series_listeners(points) == 2);
    series_free(points);
    return 0;
}
