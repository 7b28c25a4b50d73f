/* What the standard streams are: terminals of some width that may show colour, or not. */
#ifndef RV_CLI_TERMINAL_H
#define RV_CLI_TERMINAL_H

#include <stdio.h>

#include "report/failure.h"

/* Colour only on a terminal, and never with NO_COLOR; the terminal's width, else the default. */
struct rv_print_options rv_terminal_options(FILE *stream);
/* Columns of the terminal; 0: not a terminal. */
unsigned rv_terminal_width(FILE *stream);

#endif
