/* One thread holds a handle once more and looks at its text, while the other one, which was the only one to hold it, lets go. */
#include "drive.h"
#include "handles.h"

#include <string.h>

static handles *table;

static void retain(void) {
    char text[8] = "text";
    if (handles_retain(table, 0)) handles_text(table, 0, text, sizeof text);
    assert(strcmp(text, "text") == 0);
}

static void release(void) { handles_release(table, 0); }

int main(void) {
    table = handles_new();
    handles_open(table, "text");
    drive_two(retain, release);
    handles_free(table);
    return 0;
}
