/* loops_for_ever with a long way round: the watchdog hardly ever meets it twice at the same place, and it is the same
 * failure all the same. Outcome: hang, cut by the watchdog, in count_up. */
#define ROUND ".rept 1000\n\tnop\n\t.endr"
#include "loops_for_ever.c"
