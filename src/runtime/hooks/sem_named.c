/* Named semaphores, emulated inside the process: the program's threads are the only ones that ravel controls,
 * and files in /dev/shm would survive the execution.
 *
 * A name is an entry in a list; entry and semaphore are one block of the program's heap, so restoring memory
 * restores values and list links. The list's head is a variable of this library, which restoring does
 * not touch; so each change of it during an execution registers its undoing. Differences from glibc: a
 * semaphore keeps its address when it is closed and opened again, or opened by a name with more slashes, and
 * permissions are not looked at.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/hooks/sync.h"
#include "runtime/real.h"

enum { NAME_LENGTH_MAX = NAME_MAX - 4 }; /* glibc puts "sem." before it */

struct named {
    sem_t semaphore;
    struct named *next;
    unsigned opened; /* times opened and not closed */
    bool linked;     /* has its name; false after sem_unlink */
    char name[];
};

static struct named *names; /* all entries, unlinked but open ones included */

static void undo_names(uintptr_t former, uintptr_t unused) {
    (void)unused;
    names = (struct named *)former;
}

static void set_names(struct named *head) {
    if (rv.mode == RV_CONTROLLED) rv_on_restore(undo_names, (uintptr_t)names, 0);
    names = head;
}

/* The name without leading slashes; *error is 0 or what is wrong with it. */
static const char *plain_name(const char *name, int *error) {
    while (*name == '/') name++;
    size_t length = strlen(name);
    *error = length == 0 || length > NAME_MAX ? EINVAL : length > NAME_LENGTH_MAX ? ENAMETOOLONG : 0;
    for (size_t i = 0; i < length; i++)
        if (name[i] == '/') *error = EINVAL;
    return name;
}

static struct named *find_linked(const char *name) {
    for (struct named *entry = names; entry; entry = entry->next)
        if (entry->linked && strcmp(entry->name, name) == 0) return entry;
    return NULL;
}

static void drop_if_unused(struct named *entry) {
    if (entry->linked || entry->opened) return;
    if (names == entry) {
        set_names(entry->next);
    } else {
        struct named *before = names;
        while (before->next != entry) before = before->next;
        before->next = entry->next;
    }
    free(entry);
}

static struct named *create(const char *name, unsigned value) {
    size_t length = strlen(name) + 1;
    struct named *entry = malloc(sizeof *entry + length);
    if (!entry) return NULL;
    memset(entry, 0, sizeof *entry);
    memcpy(entry->name, name, length);
    memcpy(&entry->semaphore, &value, sizeof value);
    entry->linked = true;
    entry->next = names;
    set_names(entry);
    return entry;
}

static sem_t *fail_with(int error) {
    errno = error;
    return SEM_FAILED;
}

/* One scheduling point for all that looks at the table of names; the table is its object. */
static void point(uintptr_t site) {
    if (rv.mode == RV_DETACHED) rv_note("named semaphores are not shared with child processes");
    struct rv_pending pending = RV_PENDING(RV_OP_SEM_GETVALUE, &names, site);
    rv_schedule(&pending);
}

static sem_t *open_named(const char *full_name, int flags, unsigned value, uintptr_t site) {
    int error;
    const char *name = plain_name(full_name, &error);
    if (error) return fail_with(error);
    point(site);
    bool exclusive = (flags & O_CREAT) && (flags & O_EXCL);
    struct named *entry = find_linked(name);
    if (!(flags & O_CREAT) && !entry) return fail_with(ENOENT);
    if ((exclusive || !entry) && value > SEM_VALUE_MAX) return fail_with(EINVAL);
    if (exclusive && entry) return fail_with(EEXIST);
    if (!entry) entry = create(name, value);
    if (!entry) return fail_with(ENOMEM);
    entry->opened++;
    return &entry->semaphore;
}

RV_EXPORT sem_t *sem_open(const char *name, int flags, ...) {
    mode_t mode = 0;
    unsigned value = 0;
    if (flags & O_CREAT) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        value = va_arg(arguments, unsigned);
        va_end(arguments);
    }
    if (rv_passive()) return RV_REAL(sem_open)(name, flags, mode, value);
    return open_named(name, flags, value, RV_SITE());
}

RV_EXPORT int sem_close(sem_t *semaphore) {
    if (rv_passive()) return RV_REAL(sem_close)(semaphore);
    point(RV_SITE());
    struct named *entry = names;
    while (entry && &entry->semaphore != semaphore) entry = entry->next;
    if (!entry || !entry->opened) {
        errno = EINVAL;
        return -1;
    }
    entry->opened--;
    drop_if_unused(entry);
    return 0;
}

RV_EXPORT int sem_unlink(const char *full_name) {
    if (rv_passive()) return RV_REAL(sem_unlink)(full_name);
    point(RV_SITE());
    int error;
    const char *name = plain_name(full_name, &error);
    struct named *entry = error ? NULL : find_linked(name);
    if (!entry) {
        errno = error == ENAMETOOLONG ? ENAMETOOLONG : ENOENT;
        return -1;
    }
    entry->linked = false;
    drop_if_unused(entry);
    return 0;
}
