/* One thread logs, the other one changes the level of an appender. */
#include "drive.h"
#include "logger.h"

static logger *target;

static void write_text(void) { logger_log(target, 1, "hello"); }

static void set_level(void) { logger_set_level(target, 0, 2); }

int main(void) {
    target = logger_new();
    logger_add_appender(target, 0);
    drive_two(write_text, set_level);
    assert(logger_activity(target) == 2);
    logger_free(target);
    return 0;
}
