/* Opening files by name. */
#include <fcntl.h>
#include <unistd.h>

#include "runtime/hooks/io.h"

long rv_file_open(int directory, const char *path, int flags, unsigned mode, uintptr_t site) {
    (void)site;
    return rv_sys4(SYS_openat, directory, (long)path, flags, mode);
}

void rv_file_fopen(const char *path, const char *mode) { (void)path, (void)mode; }
