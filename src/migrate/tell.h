/* What was found, for people and for programs. */
#ifndef RV_MIGRATE_TELL_H
#define RV_MIGRATE_TELL_H

#include <jansson.h>
#include <stdio.h>

#include "migrate/session.h"

/* Of each test: events and orderings with why and how sure, sleeps that stay, what can be merged. */
void rv_migration_tell(FILE *out, const struct rv_migration *migration);
json_t *rv_migration_json(const struct rv_migration *migration, double seconds, bool written);

#endif
