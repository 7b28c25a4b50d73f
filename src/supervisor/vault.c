#include "supervisor/vault.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/printer.h"
#include "report/race.h"
#include "report/text.h"

/* mkdir -p; counts the directories made. */
static bool make_directories(const char *path, unsigned *made) {
    char *copy = rv_text_copy(path);
    bool good = true;
    *made = 0;
    for (char *at = copy + 1; good; at++) {
        if (*at != '/' && *at != 0) continue;
        char saved = *at;
        *at = 0;
        if (mkdir(copy, 0777) == 0)
            ++*made;
        else
            good = errno == EEXIST || errno == EISDIR;
        *at = saved;
        if (saved == 0) break;
    }
    int reason = errno;
    free(copy);
    errno = reason;
    return good;
}

/* Whether files can be made in it. A full disk is not a reason to refuse: failures can still be shown. */
static bool is_writable(const char *directory) {
    char *probe = rv_text_format("%s/.probe-XXXXXX", directory);
    int fd = mkstemp(probe), reason = errno;
    if (fd >= 0) {
        close(fd);
        unlink(probe);
    }
    free(probe);
    errno = reason;
    return fd >= 0 || reason == ENOSPC || reason == EDQUOT;
}

/* Whether it is a directory in which files may be made, or could be made one. */
static bool is_possible(const char *directory) {
    char *path = rv_text_copy(directory), *slash;
    while (access(path, F_OK) != 0 && errno == ENOENT && strcmp(path, ".") != 0) {
        slash = strrchr(path, '/');
        if (slash)
            slash[slash == path] = 0;
        else
            rv_text_set(&path, rv_text_copy("."));
    }
    struct stat status;
    bool good = access(path, W_OK | X_OK) == 0 && stat(path, &status) == 0;
    if (good && !S_ISDIR(status.st_mode)) {
        good = false;
        errno = ENOTDIR;
    }
    int reason = errno;
    free(path);
    errno = reason;
    return good;
}

static void name(struct rv_vault *vault, const char *directory) {
    size_t size = strlen(directory);
    while (size > 1 && directory[size - 1] == '/') size--;
    *vault = (struct rv_vault){.directory = rv_text_copy_n(directory, size)};
}

static bool refuse(struct rv_vault *vault, const char *directory, char **error) {
    *error = rv_text_format("%s: failures cannot be saved there: %s", directory, strerror(errno));
    rv_vault_close(vault);
    return false;
}

bool rv_vault_open(struct rv_vault *vault, const char *directory, char **error) {
    name(vault, directory);
    if (make_directories(vault->directory, &vault->made) && is_writable(vault->directory)) return true;
    return refuse(vault, directory, error);
}

bool rv_vault_open_later(struct rv_vault *vault, const char *directory, char **error) {
    name(vault, directory);
    return is_possible(vault->directory) || refuse(vault, directory, error);
}

/* FNV-1a: stable between versions and machines, which is all that a file name needs. */
static uint64_t mix(uint64_t hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static uint32_t identity(const struct rv_failure *failure) {
    const char *slash = strrchr(failure->program, '/'), *base = slash ? slash + 1 : failure->program;
    uint64_t hash = mix(0xcbf29ce484222325u, &failure->signature, sizeof failure->signature);
    hash = mix(hash, base, strlen(base) + 1);
    for (char **arg = failure->args; *arg; arg++) hash = mix(hash, *arg, strlen(*arg) + 1);
    const struct rv_config *config = &failure->config;
    if (*config->test) hash = mix(hash, config->test, strlen(config->test) + 1);
    if (*config->plan_label) hash = mix(hash, config->plan_label, strlen(config->plan_label) + 1);
    return (uint32_t)(hash ^ hash >> 32);
}

/* The function that a reader would name: where the failing thread stands, else where any blocked one does. */
static char *place_of(const struct rv_failure *failure) {
    const struct rv_thread_text *thread = rv_failure_thread(failure, failure->thread);
    uint32_t cycle[2];
    if (!thread && rv_failure_cycle(failure, cycle, 2)) thread = rv_failure_thread(failure, cycle[0]);
    const struct rv_location *at = thread ? rv_stack_place(&thread->stack) : NULL;
    char *name = rv_text_copy_n(at && *at->function ? at->function : "program", 40);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
    return name;
}

bool rv_vault_save(struct rv_vault *vault, struct rv_failure *failure, char **error) {
    if (!*failure->file) {
        char *place = place_of(failure);
        rv_text_set(&failure->file, rv_text_format("%s/%s-%s-%08x.ravel", vault->directory,
                                                   rv_kind_names[failure->kind], place, identity(failure)));
        free(place);
    }
    if (failure->race) rv_text_set(&failure->race->file, rv_text_copy(failure->file));
    if (rv_failure_write(failure, failure->file, error)) return true;
    unsigned made;
    if (access(vault->directory, F_OK) != 0 && make_directories(vault->directory, &made)) {
        free(*error); /* another ravel had made it, and found it empty when it ended */
        *error = NULL;
        if (rv_failure_write(failure, failure->file, error)) return true;
    }
    rv_text_set(&failure->file, rv_text_copy(""));
    return false;
}

static int is_failure_file(const struct dirent *entry) {
    size_t size = strlen(entry->d_name);
    return size > 6 && strcmp(entry->d_name + size - 6, ".ravel") == 0;
}

char **rv_vault_list(const struct rv_vault *vault) {
    struct dirent **entries = NULL;
    int count = scandir(vault->directory, &entries, is_failure_file, alphasort);
    if (count < 0) count = 0;
    char **paths = rv_text_alloc((size_t)count + 1, sizeof *paths);
    for (int i = 0; i < count; i++) {
        paths[i] = rv_text_format("%s/%s", vault->directory, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return paths;
}

void rv_vault_close(struct rv_vault *vault) {
    for (; vault->made > 0 && rmdir(vault->directory) == 0; vault->made--) {
        char *slash = strrchr(vault->directory, '/');
        if (!slash || slash == vault->directory) break;
        *slash = 0;
    }
    free(vault->directory);
    *vault = (struct rv_vault){0};
}
