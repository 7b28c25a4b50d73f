/* What the header does not say, in the user's words (--spec FILE.toml):
 *
 *     constructor = "cache_open"        # or a list; then no other function makes objects
 *     destructor = "cache_close"        # "" for none
 *     objects = 2                       # most that a test has
 *     strings = ["a=1", "b"]            # for arguments that are strings
 *     skip = ["cache_dump"]             # not called
 *     unsafe = ["cache_reset"]          # not while another thread calls something
 *
 *     [cache_put]                       # a function, and its parameters by name or as "1", "2" ...
 *     needs = ["cache_start"]           # is called only after these, before the threads start
 *     observes = true                   # it looks and changes nothing
 *     key = [0, 1, 2]                   # these values
 *     value = {min = 0, max = 100}      # this range
 *     text = ["x", "y"]                 # these strings
 *     buffer = {length = "size"}        # parameter `size` says how much room `buffer` has
 *     callback = {null = true}          # NULL is allowed
 *
 * The file is not trusted; what is wrong in it is said with its line and column.
 */
#ifndef RV_GENERATE_SPEC_H
#define RV_GENERATE_SPEC_H

#include "generate/api.h"

struct rv_spec; /* the file, read */

/* NULL: *error. */
struct rv_spec *rv_spec_read(const char *path, char **error);
struct rv_spec *rv_spec_parse(const char *text, size_t size, const char *name, char **error);
void rv_spec_free(struct rv_spec *spec);
/* Before roles are guessed: lengths of buffers. After: all else. false: *error. */
bool rv_spec_lengths(const struct rv_spec *spec, struct rv_api *api, char **error);
bool rv_spec_apply(const struct rv_spec *spec, struct rv_api *api, char **error);

#endif
