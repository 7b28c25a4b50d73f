/* The store's key for a file of code: which build of it this is.
 *
 * "build-id:HEX" from its ELF note (at most RV_KEY_ID_MAX bytes of it, which is all of what linkers make), or for
 * a file without one "content:SIZE-HASH" of its bytes: against accidents, not against forgers.
 */
#ifndef RV_STORE_KEY_H
#define RV_STORE_KEY_H

#include <stddef.h>
#include <stdint.h>

enum { RV_KEY_ID_MAX = 20, RV_KEY_SIZE = 64 }; /* bytes of a build-id; of the text, with its NUL */

/* Writes the key of the regular file at `path`, "" if it cannot be read. */
void rv_key_of_file(const char *path, char key[RV_KEY_SIZE]);
/* The key of a file with this build-id; "" if the size is 0. */
void rv_key_of_build(const uint8_t *build_id, size_t size, char key[RV_KEY_SIZE]);

#endif
