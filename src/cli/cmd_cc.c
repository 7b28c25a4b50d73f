/* ravel cc, ravel c++: the compiler, with the compiler's own ThreadSanitizer instrumentation and our runtime.
 *
 * The instrumentation must be asked of the compiler proper and hidden from the driver: a driver that sees
 * -fsanitize=thread links libtsan. Splitting "cc a.c b.c -o prog" into compiling and linking would
 * do, but would also have to imitate the naming of temporary files, dumps and dependency files. Both
 * drivers have a better way, so that one run of the real compiler does it (and where no code is made, one exec):
 *
 *   gcc    -specs=FILE, where FILE adds the option to what the driver hands to cc1 and cc1plus (cmake/gcc.specs)
 *   clang  -Xclang hands its word to the compiler proper
 *
 * What the instrumentation is told beyond its defaults:
 *   volatile accesses through their own hooks (gcc and clang): they are scheduling points even where a
 *     location is not known to be shared.
 *   clang -tsan-instrument-read-before-write: else clang drops the hook of a read that is followed by a write
 *     to the same address in the same basic block. In x++ just this read is half of the lost update.
 *   gcc -Wno-tsan: gcc warns that its ThreadSanitizer does not model fences; ravel's runtime does, and
 *     with -Werror the warning would end the build.
 *   gcc -fno-builtin-memset and others: gcc writes the code of short ones itself, behind the instrumentation's
 *     back; as calls they come to the runtime's hooks. (strlen stays, for some programs initialise static variables
 *     with it.)
 *   gcc -mstringop-strategy=libcall: the same for memcpy. One of a known small size it turns into instrumented
 *     assignments, which is well; one whose size it knows to be bounded would become a loop without hooks.
 *
 * For the static model, clang is run beside the compiler, and its bitcode becomes a section of what the compiler has made
 * (cc_bitcode.c): behind its back, so that nothing it does depends on that.
 *
 * The program is linked with libravel.so first, before the C library, so that the runtime's functions come
 * first in the dynamic linker's search; its directory becomes a run path, so that the program also runs by hand.
 * The compilers define __SANITIZE_THREAD__ (gcc) and __has_feature(thread_sanitizer) (clang), and that stays so:
 * code that asks for them wants to know just that its memory accesses are instrumented.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cc_bitcode.h"
#include "cli/cc_migrate.h"
#include "cli/cc_request.h"
#include "cli/command.h"
#include "cli/compiler.h"
#include "cli/paths.h"

static int run_cc(int argc, char **argv);
static int run_cxx(int argc, char **argv);

#define CC_DESCRIPTION(compiler, variable)                                                                 \
    "All arguments are " compiler "'s, or those of the compiler that " variable " names (gcc or clang;\n"  \
    "\"ccache gcc\" works as well). The program gets ThreadSanitizer's instrumentation, ravel's runtime\n" \
    "instead of ThreadSanitizer's, and debug information unless a -g option is given. Link-time\n"         \
    "optimisation is left out. Not supported: -static, -m32, and other sanitizers that come with a\n"      \
    "runtime of their own (address, memory, leak).\n"                                                      \
    "Objects also get LLVM bitcode for `ravel model`, in a section that is not loaded;\n"                  \
    "RAVEL_BITCODE=off leaves it out.\n"

const struct rv_command rv_command_cc = {
    .name = "cc",
    .summary = "compile and link C so that ravel sees every memory access (CC=\"ravel cc\")",
    .usage = "ARG...",
    .description = CC_DESCRIPTION("gcc", "RAVEL_CC"),
    .run = run_cc,
};

const struct rv_command rv_command_cxx = {
    .name = "c++",
    .summary = "the same for C++ (CXX=\"ravel c++\")",
    .usage = "ARG...",
    .description = CC_DESCRIPTION("g++", "RAVEL_CXX"),
    .run = run_cxx,
};

#define DEFINES "-D__RAVEL__" /* ravel.h: the program will have libravel */

static const char *const clang_words[] = {
    "--start-no-unused-arguments", /* an assembler file has no use for them */
    "-Xclang",
    "-fsanitize=thread",
    "-mllvm",
    "-tsan-instrument-read-before-write",
    "-mllvm",
    "-tsan-distinguish-volatile",
    DEFINES,
    "--end-no-unused-arguments",
    NULL,
};

static char *join(const char *a, const char *b, const char *c) {
    char *text;
    if (asprintf(&text, "%s%s%s", a, b, c) < 0) abort();
    return text;
}

static void add_all(struct rv_words *list, const char *const *words) {
    for (; *words; words++) rv_words_add(list, *words);
}

/* -Xlinker takes any path; -Wl would cut it at a comma. */
static void add_runtime(struct rv_words *list, const char *directory) {
    add_all(list, (const char *const[]){"-Xlinker", "--push-state", "-Xlinker", "--no-as-needed", "-Xlinker",
                                        join(directory, "/libravel.so", ""), "-Xlinker", "--pop-state",
                                        "-Xlinker", "-rpath", "-Xlinker", directory, NULL});
}

/* ravel.h is found without being told where, after everything else of its name: "/a/lib" has "/a/include" beside it. */
static void add_header(struct rv_words *list, struct rv_cc_request *request, const char *directory) {
    const char *slash = strrchr(directory, '/');
    char *include;
    if (!slash || asprintf(&include, "%.*s/include", (int)(slash - directory), directory) < 0) return;
    char *header = join(include, "/ravel.h", "");
    if (access(header, R_OK) == 0) {
        add_all(list, (const char *const[]){"-idirafter", include, NULL});
        request->header_directory = include;
    }
    free(header);
}

static int drive(const struct rv_command *command, bool cxx, int argc, char **argv) {
    /* `ravel cc --help` is ours, as for every command; `ravel-cc --help` is the compiler's. */
    if (argc == 2 && strcmp(argv[1], "--help") == 0 && strcmp(argv[0], command->name) == 0) {
        rv_command_help(command);
        return RV_EXIT_FINE;
    }
    struct rv_compiler compiler = rv_compiler_pick(cxx);
    const char *variable = cxx ? "RAVEL_CXX" : "RAVEL_CC";
    if (compiler.family == RV_COMPILER_SELF)
        return rv_usage_error(command, "%s names ravel itself; expected gcc or clang", variable);
    if (compiler.family == RV_COMPILER_UNKNOWN)
        return rv_usage_error(command, "%s: '%s' cannot be run or is neither gcc nor clang", variable,
                              compiler.words.words[0]);

    struct rv_cc_request request;
    rv_cc_request_read(&request, argc, argv);
    if (request.refused) return rv_usage_error(command, "%s", request.refused);
    static char directory[PATH_MAX];
    if (request.has_input && !rv_library_directory(directory, sizeof directory))
        return rv_command_error(command, "libravel.so is not in %s", directory);

    if (request.has_source) rv_cc_migrate(&request.arguments);
    struct rv_words *words = &compiler.words;
    if (request.has_input && request.has_source) {
        if (compiler.family == RV_COMPILER_CLANG)
            add_all(words, clang_words);
        else
            add_all(words,
                    (const char *const[]){join("-specs=", directory, "/ravel/gcc.specs"), DEFINES, NULL});
        if (!request.has_debug) rv_words_add(words, "-g");
        add_header(words, &request, directory);
    }
    if (request.has_input && request.links) add_runtime(words, directory);
    for (size_t i = 0; i < request.arguments.count; i++) rv_words_add(words, request.arguments.words[i]);
    if (request.asked_lto) rv_words_add(words, "-fno-lto");
    if (rv_cc_bitcode_wanted(&request)) {
        int status = rv_cc_bitcode_run(&compiler, &request, cxx);
        if (status >= 0) return status;
    } else
        execvp(words->words[0], words->words);
    return rv_command_error(command, "%s: %s", words->words[0], strerror(errno));
}

static int run_cc(int argc, char **argv) { return drive(&rv_command_cc, false, argc, argv); }
static int run_cxx(int argc, char **argv) { return drive(&rv_command_cxx, true, argc, argv); }
