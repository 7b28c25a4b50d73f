/* A section more in an ELF file. */
#ifndef RV_CLI_ELF_ADD_H
#define RV_CLI_ELF_ADD_H

#include <stdbool.h>
#include <stddef.h>

/* Adds a section that is not loaded to a 64-bit ELF file, an object or a linked one, by writing behind its end: nothing that
 * is in the file moves. A file of which there are other links gets a copy of its own first. False: the file is not of that kind, or
 * cannot be written; it is then as it was. */
bool rv_elf_add_section(const char *path, const char *name, const void *data, size_t size);

#endif
