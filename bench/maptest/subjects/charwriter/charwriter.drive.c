/* One thread writes, the other one throws away what was written. */
#include "drive.h"
#include "charwriter.h"

static charwriter *writer;

static void put(void) { charwriter_put(writer, 'c'); }

static void reset(void) { charwriter_reset(writer); }

int main(void) {
    writer = charwriter_new();
    charwriter_write(writer, "ab", 2);
    drive_two(put, reset);
    assert(charwriter_size(writer) <= 1);
    charwriter_free(writer);
    return 0;
}
