/* LLVM bitcode in objects: the section that `ravel cc` adds (cli/cc_bitcode.c) and `ravel-model` reads.
 *
 * The section is not loaded. A linker puts those of all inputs one behind the other, so each module has a head that says
 * how long it is; between modules there may be zeros, up to the next multiple of 8. A file may have several sections of
 * this name. A source that has no bitcode is there too, with the reason in its place. */
#ifndef RV_MODEL_SECTION_H
#define RV_MODEL_SECTION_H

#include <stdint.h>

#define RV_BITCODE_SECTION ".ravel.bc"
#define RV_BITCODE_MAGIC   UINT64_C(0x3163622e6c657672) /* "rvel.bc1" */

enum rv_bitcode_kind { RV_BITCODE_MODULE = 1, RV_BITCODE_MISSING = 2 };

struct rv_bitcode_head {
    uint64_t magic;
    uint32_t kind;      /* enum rv_bitcode_kind */
    uint32_t name_size; /* bytes of the source's path, which follows the head */
    uint64_t size;      /* bytes of bitcode, or of the reason, which follow the path */
};

#endif
