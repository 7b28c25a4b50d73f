/* One thread makes a timer expire, the other one cancels it. */
#include "drive.h"
#include "timerlist.h"

static timerlist *list;
static int expired;
static bool cancelled;

static void tick(void) { expired = timerlist_tick(list); }

static void cancel(void) { cancelled = timerlist_cancel(list, 1); }

int main(void) {
    list = timerlist_new();
    timerlist_add(list, 1);
    drive_two(tick, cancel);
    assert(expired + cancelled == 1 && timerlist_pending(list) == 0);
    timerlist_free(list);
    return 0;
}
