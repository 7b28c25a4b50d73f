#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned rv_terminal_width(FILE *stream) {
    struct winsize size;
    if (!isatty(fileno(stream))) return 0;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

struct rv_print_options rv_terminal_options(FILE *stream) {
    const char *no_colour = getenv("NO_COLOR"), *kind = getenv("TERM");
    unsigned width = rv_terminal_width(stream);
    bool dumb = !kind || strcmp(kind, "dumb") == 0;
    return (struct rv_print_options){.colour = width > 0 && !dumb && !(no_colour && *no_colour),
                                     .width = width};
}
