/* What is known of functions without bitcode, by name. */
#ifndef RV_MODELLER_FOREIGN_H
#define RV_MODELLER_FOREIGN_H

#include "modeller/modeller.h"

/* A line of the table; foreign_table.c says how to read it. */
struct foreign {
    const char *name, *result, *arguments;
    int size_argument;
};

/* Both by the name that rm_foreign_name gives. NULL: it is not in the table. */
const struct foreign *rm_foreign_find(const char *name);
/* It does nothing with what its arguments point to but synchronise. */
bool rm_foreign_is_harmless(const char *name);
bool rm_begins(const char *text, const char *beginning);

#endif
