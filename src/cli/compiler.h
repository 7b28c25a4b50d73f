/* Which compiler `ravel cc` drives. */
#ifndef RV_CLI_COMPILER_H
#define RV_CLI_COMPILER_H

#include "cli/cc_request.h"

enum rv_compiler_family { RV_COMPILER_GCC, RV_COMPILER_CLANG, RV_COMPILER_UNKNOWN, RV_COMPILER_SELF };

struct rv_compiler {
    struct rv_words words; /* the command: "gcc", or "ccache clang-14" as two words */
    enum rv_compiler_family family;
};

/* RAVEL_CC for C; RAVEL_CXX for C++, else the C++ driver that belongs to RAVEL_CC; else gcc and g++.
 * The family is told by the name, then by the name of the file it is a link to, at last by asking the compiler
 * itself; RV_COMPILER_SELF: it is ravel, which would call itself for ever. */
struct rv_compiler rv_compiler_pick(bool cxx);

/* "clang-14" gives "clang++-14", "/opt/bin/gcc" gives "/opt/bin/g++"; malloc'ed; NULL: the name is of
 * neither kind. */
char *rv_compiler_cxx_name(const char *c_compiler);

#endif
