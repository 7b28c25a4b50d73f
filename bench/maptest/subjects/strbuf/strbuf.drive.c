/* One thread appends a buffer to another one; the other thread cuts the first off. */
#include "drive.h"
#include "strbuf.h"

#include <string.h>

static strbuf *target, *source;

static void append(void) { strbuf_append_buffer(target, source); }

static void cut(void) { strbuf_truncate(source, 1); }

int main(void) {
    char text[8];
    target = strbuf_new();
    source = strbuf_new();
    strbuf_append(source, "abc");
    drive_two(append, cut);
    strbuf_copy(target, text, sizeof text);
    assert(strcmp(text, "abc") == 0 || strcmp(text, "a") == 0);
    strbuf_free(target);
    strbuf_free(source);
    return 0;
}
