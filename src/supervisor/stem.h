/* A process of the program that stands before main and gives workers (runtime/stem.h): each as good as one that was executed,
 * for the price of a fork. One worker at a time, on area 0 of a channel whose config.stem is set.
 *
 * The channel is shared with all of them. So what the process had written there when it came to main is kept, and put back
 * before each worker. */
#ifndef RV_SUPERVISOR_STEM_H
#define RV_SUPERVISOR_STEM_H

#include "supervisor/launch.h"

struct rv_stem {
    struct rv_worker process; /* pid 0: there is none */
    struct rv_piece {
        size_t at, size;
        char *bytes;
    } * pieces; /* of the channel, behind the header */
    size_t piece_count;
    long printed; /* bytes of the capture */
};

/* False: there is none, for the program is not fit for it, did not come to main by `deadline` (rv_seconds()), or cannot be
 * executed at all. All is as before then but for the channel, which must not be used any more. */
bool rv_stem_start(struct rv_stem *stem, const struct rv_program *program, const struct rv_channel *channel,
                   const struct rv_streams *streams, double deadline);
/* The channel as it was when the process had come to main. No worker may be there. */
void rv_stem_reset(struct rv_stem *stem, const struct rv_channel *channel, const struct rv_streams *streams);
/* A worker. False: the process is gone or cannot fork; *error. */
bool rv_stem_fork(struct rv_stem *stem, const struct rv_channel *channel, struct rv_worker *worker,
                  char **error);
void rv_stem_close(struct rv_stem *stem);

#endif
