#include "store/key.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char build_word[] = "build-id:";

_Static_assert(sizeof build_word + 2 * RV_KEY_ID_MAX <= RV_KEY_SIZE, "the key of a build-id fits");

void rv_key_of_build(const uint8_t *build_id, size_t size, char key[RV_KEY_SIZE]) {
    key[0] = '\0';
    if (size == 0) return;
    int at = snprintf(key, RV_KEY_SIZE, "%s", build_word);
    for (size_t i = 0; i < size && i < RV_KEY_ID_MAX; i++)
        at += snprintf(key + at, RV_KEY_SIZE - (size_t)at, "%02x", build_id[i]);
}

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const uint8_t *bytes, size_t size) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

static void key_of_content(int fd, size_t size, char key[RV_KEY_SIZE]) {
    uint64_t hash = hash_of(NULL, 0);
    if (size > 0) {
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED) return;
        hash = hash_of(bytes, size);
        munmap(bytes, size);
    }
    snprintf(key, RV_KEY_SIZE, "content:%zx-%016" PRIx64, size, hash);
}

static void key_of_note(int fd, char key[RV_KEY_SIZE]) {
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    const void *id = NULL;
    ssize_t size = elf && elf_kind(elf) == ELF_K_ELF ? dwelf_elf_gnu_build_id(elf, &id) : 0;
    if (size > 0) rv_key_of_build(id, (size_t)size, key);
    elf_end(elf);
}

void rv_key_of_file(const char *path, char key[RV_KEY_SIZE]) {
    struct stat status;
    key[0] = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        key_of_note(fd, key);
        if (!key[0]) key_of_content(fd, (size_t)status.st_size, key);
    }
    close(fd);
}
