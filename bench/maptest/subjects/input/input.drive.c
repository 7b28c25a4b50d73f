/* One thread reads, the other one closes. */
#include "drive.h"
#include "input.h"

static input *in;
static int byte;

static void read_one(void) { byte = input_read(in); }

static void close_it(void) { input_close(in); }

int main(void) {
    in = input_new("abcdef", 6);
    drive_two(read_one, close_it);
    assert(byte == 'a' || byte == -1);
    assert(input_available(in) == 0);
    input_free(in);
    return 0;
}
