/* What formatted output and input touch besides their own buffers: the strings behind %s, the targets of %n and of scanf.
 * Formats with numbered arguments (%1$s), and what follows a conversion that is not known here, are not looked at. */
#ifndef RV_RUNTIME_HOOKS_FORMAT_H
#define RV_RUNTIME_HOOKS_FORMAT_H

#include <stdarg.h>
#include <stdint.h>

/* Before the call: announces what printf will read and write by way of its arguments. Leaves `arguments` as they are. */
void rv_format_output(const char *format, va_list arguments, uintptr_t site);
/* After the call, which has assigned `count` of its targets: announces that they were written. */
void rv_format_input(const char *format, va_list arguments, int count, uintptr_t site);

#endif
