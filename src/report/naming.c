#include "report/naming.h"

#include <string.h>

#include "report/text.h"

char *rv_name_unnamed(struct rv_unnamed *unnamed, uint64_t address, const char *owner) {
    unsigned i = 0;
    while (i < unnamed->count && unnamed->addresses[i] != address) i++;
    if (i == RV_UNNAMED_MAX) return rv_text_copy("other memory");
    if (i == unnamed->count) unnamed->addresses[unnamed->count++] = address;
    if (owner) return rv_text_format("variable %c (on the stack of %s)", 'A' + (int)i, owner);
    return rv_text_format("memory %c", 'A' + (int)i);
}

void rv_name_ordinal(char **name, unsigned ordinal) {
    static const char plain[] = "heap block";
    const char *typed = strstr(*name, " (heap block");
    if (typed) {
        rv_text_set(name, rv_text_format("%.*s #%u%s", (int)(typed - *name), *name, ordinal, typed));
    } else if (strncmp(*name, plain, strlen(plain)) == 0) {
        rv_text_set(name, rv_text_format("%s #%u%s", plain, ordinal, *name + strlen(plain)));
    }
}
