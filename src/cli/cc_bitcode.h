/* What `ravel cc` leaves for the static model: LLVM bitcode of each source, as a section of what comes out. */
#ifndef RV_CLI_CC_BITCODE_H
#define RV_CLI_CC_BITCODE_H

#include "cli/cc_request.h"
#include "cli/compiler.h"

/* Whether this request gives a file of code, made from sources, of which bitcode is wanted (RAVEL_BITCODE=off: not). */
bool rv_cc_bitcode_wanted(const struct rv_cc_request *request);

/* Runs the compiler, with clang beside it for the bitcode, and adds that to what the compiler made. Returns what the
 * compiler returned (a signal that ended it ends this process, too), or -1 with errno if it could not be run.
 * Nothing about bitcode is ever an error: what is missing is noted in the section. */
int rv_cc_bitcode_run(const struct rv_compiler *compiler, const struct rv_cc_request *request, bool cxx);

#endif
