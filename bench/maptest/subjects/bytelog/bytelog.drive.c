/* The buffer is full. Two threads write, and both have to flush it first. */
#include "drive.h"
#include "bytelog.h"

static bytelog *target;

static void write_first(void) { bytelog_write(target, "first", 5); }

static void write_second(void) { bytelog_write(target, "other", 5); }

int main(void) {
    target = bytelog_new(8);
    bytelog_write(target, "12345678", 8);
    drive_two(write_first, write_second);
    assert(bytelog_written(target) == 18 && bytelog_buffered(target) == 5);
    bytelog_free(target);
    return 0;
}
