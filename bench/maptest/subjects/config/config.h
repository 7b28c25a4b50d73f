/* A program's configuration: names with values, which can be loaded anew while the program runs.
 *
 * All functions but config_free may be called by several threads on the same configuration at the same time.
 */
#ifndef CONFIG_H
#define CONFIG_H

#include <stdbool.h>
#include <stddef.h>

typedef struct config config;

enum { CONFIG_MAX = 8, CONFIG_MAX_NAME = 15 };

config *config_new(void); /* empty, version 0; NULL: no memory */
void config_free(config *settings);

/* Replaces everything by what `text` says: "name=number" with blanks between. What is not like that, has a longer name than
 * CONFIG_MAX_NAME or comes after CONFIG_MAX names is left out. The new version: one more. */
unsigned config_load(config *settings, const char *text);
bool config_get(config *settings, const char *name, int *value);
bool config_set(config *settings, const char *name, int value); /* no new version; false: no room */
size_t config_count(config *settings);
unsigned config_version(config *settings);
/* Waits until something was loaded after `version`; the version then. */
unsigned config_await(config *settings, unsigned version);

#endif
