/* The directory that failures are saved in (--out): made and proven writable before a campaign spends any
 * time, left as it was if nothing had to be saved.
 *
 * File names are KIND-FUNCTION-XXXXXXXX.ravel. The digits come from the failure's signature and from what was
 * run, so that the same failure found again replaces its file, and other programs' files are left alone.
 */
#ifndef RV_SUPERVISOR_VAULT_H
#define RV_SUPERVISOR_VAULT_H

#include <stdbool.h>

#include "report/failure.h"

struct rv_vault {
    char *directory;
    unsigned made; /* how many of the directory's last components did not exist before */
};

/* False: *error is one line (malloc'ed). */
bool rv_vault_open(struct rv_vault *vault, const char *directory, char **error);
/* The same, but it is made when something is to be saved, and only looked at now: for requests of some milliseconds, which making
 * and removing directories would double. */
bool rv_vault_open_later(struct rv_vault *vault, const char *directory, char **error);
/* Saves under failure->file, or under a name made for it if that is "": then failure->file becomes it.
 * False: *error; failure->file is "" then. */
bool rv_vault_save(struct rv_vault *vault, struct rv_failure *failure, char **error);
/* The paths of all *.ravel files in it, sorted; NULL-terminated, all malloc'ed. */
char **rv_vault_list(const struct rv_vault *vault);
/* Removes what rv_vault_open made if it is still empty. */
void rv_vault_close(struct rv_vault *vault);

#endif
