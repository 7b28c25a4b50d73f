/* Compiled without ravel. */
static char events[16];
static unsigned count;

void happened(char event);
const char *order(void);

void happened(char event) { events[count++] = event; }
const char *order(void) { return events; }
