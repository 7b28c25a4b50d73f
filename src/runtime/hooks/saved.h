/* The objects of the snapshot, between the two files that handle them: saved.c fills in, revive.c brings back. */
#ifndef RV_RUNTIME_HOOKS_SAVED_H
#define RV_RUNTIME_HOOKS_SAVED_H

#include <sys/socket.h>
#include <sys/time.h>

#include "runtime/hooks/io.h"

enum { RV_SAVED_SMALL = 4 << 20, RV_SAVED_OPTIONS = 7 };

struct rv_saved_option {
    bool known;
    union {
        int number;
        struct timeval time;
    } value;
    socklen_t size;
};

struct rv_saved_object {
    enum rv_fd_kind kind;
    uint64_t device, inode;
    bool internal;
    bool remakeable;
    int fd[2];    /* a descriptor of the snapshot for it; of pipes: for each end; -1: none */
    int flags[2]; /* status flags; of pipes: for each end */
    int peer;     /* object of the other end of a socketpair, 0: none */
    int domain, type, protocol;
    bool pair; /* made by socketpair */
    bool listening;
    bool output; /* the file behind standard output or error: what is written there stays */
    struct rv_saved_option options[RV_SAVED_OPTIONS];
    int64_t offset;   /* of files, -1: has none */
    int64_t watched;  /* of regular files that can be written: their size, else -1 */
    uint64_t counter; /* of eventfds */
    int capacity;     /* of pipes */
    char *contents;   /* of pipes and stream sockets: what was in it; of files: saved at the first write */
    size_t size;      /* of contents */
    bool file_saved;
    /* what the execution did */
    bool touched, rewritten, reflagged, remake;
    bool later; /* contents still to be put back */
};

struct rv_saved_descriptor {
    int fd;
    int object;
    int end; /* of pipes: 0 reads, 1 writes */
    int fd_flags;
    int hidden; /* our copy; -1: none made yet */
    bool gone;
};

extern struct rv_saved_object *rv_saved_objects; /* 1-based */
extern int rv_saved_object_count;
extern struct rv_saved_descriptor *rv_saved_descriptors; /* ascending by fd */
extern int rv_saved_descriptor_count;

void rv_saved_put_options(const struct rv_saved_object *object, int fd);
/* Bytes that can be read now. */
int rv_saved_available(int fd);
/* Memory for the saved state; NULL: none. */
void *rv_saved_memory(size_t size);
/* Brings back everything that is marked and takes the marks away. */
void rv_revive_all(void);

#endif
