/* Bitcode is made by a clang of the LLVM that ravel-model is linked with, whichever compiler makes the program: bitcode of
 * another LLVM could not be read. It is made without optimisation, so that every access of the source is in it. Only
 * options that change what the source means are handed on; one that clang does not know is left out. No file is
 * written but the compiler's own output: clang writes into memory. */
#include "cli/cc_bitcode.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/migrate_log.h"
#include "cli/elf_add.h"
#include "model/section.h"
#include "report/text.h"

#ifndef RV_CLANG
#define RV_CLANG "clang"
#endif

/* Beginnings of options that change the meaning of the source. */
static const char *const meaningful[] = {
    "-D",           "-U",           "-I",
    "-std=",        "-ansi",        "-m",
    "-pthread",     "-fsigned",     "-funsigned",
    "-fshort-",     "-fno-bui",     "-fbuiltin",
    "-ffreest",     "-fwrapv",      "-fexcept",
    "-fno-exce",    "-fno-rtt",     "-frtti",
    "-fgnu89",      "-fms-ext",     "-fpermiss",
    "-ffile-pr",    "-fdebug-p",    "-fmacro-p",
    "-nostdinc",    "-stdlib=",     "-trigraphs",
    "-fopenmp",     "-fPIC",        "-fpic",
    "-fPIE",        "-fpie",        "-fno-common",
    "-fcommon",     "-fvisibility", "--sysroot=",
    "-isysroot",    "--target=",    "-finput-charset=",
    "-fchar8_t",    "-fcoroutines", "-fblocks",
    "-iquote",      "-isystem",     "-idirafter",
    "-include",     "-imacros",     "-iprefix",
    "-iwithprefix", "-fno-strict",  "-fstrict-flex",
    "-fconcepts",   "-fno-char8_t", NULL,
};
/* Those of them that are not, although they begin like one. */
static const char *const meaningless[] = {"-mllvm",          "-include-pch",      "-march=native",
                                          "-mtune=",         "-mindirect-branch", "-mfunction-return",
                                          "-mrecord-mcount", "-mpreferred-stack", NULL};
static const char *const with_next[] = {
    "-D",         "-U",      "-I",       "-include",     "-imacros",           "-isystem",
    "-idirafter", "-iquote", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-isysroot",
    "--sysroot",  "-target", NULL};
static const char *const skips_next[] = {
    "-o",           "-MF",         "-MT",     "-MQ",       "-L",
    "-Xlinker",     "-Xassembler", "-Xclang", "-mllvm",    "-Xpreprocessor",
    "--param",      "-T",          "-u",      "-z",        "-e",
    "-aux-info",    "-A",          "-B",      "-dumpbase", "-dumpbase-ext",
    "-dumpdir",     "-wrapper",    "-rpath",  "-x",        "-l",
    "-include-pch", NULL};

static bool is_one_of(const char *word, const char *const *words) {
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

static bool begins_with_one_of(const char *word, const char *const *words) {
    for (; *words; words++)
        if (strncmp(word, *words, strlen(*words)) == 0) return true;
    return false;
}

bool rv_cc_bitcode_wanted(const struct rv_cc_request *request) {
    const char *asked = getenv("RAVEL_BITCODE");
    if (asked && strcmp(asked, "off") == 0) return false;
    return request->makes_code && request->sources.count > 0 && !getenv(RV_MIGRATE_ENV);
}

/* --- the clang command --- */

static const char *clang_path(void) {
    const char *own = getenv("RAVEL_CLANG");
    if (own && *own) return own;
    return access(RV_CLANG, X_OK) == 0 ? RV_CLANG : "clang";
}

static void add_words(struct rv_words *command, const char *const *words) {
    for (; *words; words++) rv_words_add(command, *words);
}

static void add_meaningful(struct rv_words *command, const struct rv_words *words) {
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->words[i];
        if (word[0] != '-') continue;
        if (is_one_of(word, skips_next)) {
            i++;
        } else if (is_one_of(word, with_next)) {
            if (++i < words->count) add_words(command, (const char *const[]){word, words->words[i], NULL});
        } else if (begins_with_one_of(word, meaningful) && !begins_with_one_of(word, meaningless))
            rv_words_add(command, word);
    }
}

static bool is_cxx(const char *source, const char *language, bool cxx) {
    static const char *const endings[] = {".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C", ".ii", NULL};
    const char *dot = strrchr(source, '.');
    return cxx || (language ? strstr(language, "c++") != NULL : dot && is_one_of(dot, endings));
}

static struct rv_words clang_command(const struct rv_compiler *compiler, const struct rv_cc_request *request,
                                     const char *source, const char *language, bool cxx) {
    struct rv_words command = {0};
    rv_words_add(&command, clang_path());
    if (cxx) rv_words_add(&command, "--driver-mode=g++");
    rv_words_add(&command, request->optimises ? "-O1" : "-O0");
    if (compiler->family == RV_COMPILER_GCC && is_cxx(source, language, cxx))
        rv_words_add(&command,
                     "-std=gnu++17"); /* g++'s default, which differs; -std of the user comes later */
    add_meaningful(&command, &request->expanded);
    /* Behind the user's own: no words about anything, no instrumentation, no checked variants of C functions. */
    add_words(&command, (const char *const[]){"-Xclang", "-disable-O0-optnone", "-Xclang",
                                              "-disable-llvm-passes", "-fno-discard-value-names", "-w", "-g",
                                              "-gcolumn-info", "-U_FORTIFY_SOURCE", "-D__RAVEL__",
                                              "-fno-color-diagnostics", "-Qunused-arguments", NULL});
    if (compiler->family == RV_COMPILER_CLANG)
        add_words(&command, (const char *const[]){"-Xclang", "-fsanitize=thread", NULL});
    else
        rv_words_add(&command, "-D__SANITIZE_THREAD__=1");
    if (request->header_directory)
        add_words(&command, (const char *const[]){"-idirafter", request->header_directory, NULL});
    if (language) add_words(&command, (const char *const[]){"-x", language, NULL});
    add_words(&command, (const char *const[]){"-emit-llvm", "-c", "-o", "-", source, NULL});
    return command;
}

/* --- running it --- */

struct memory_file {
    int fd;
    char *data;
    size_t size;
};

static bool slurp(struct memory_file *file) {
    off_t size = lseek(file->fd, 0, SEEK_END);
    if (size < 0) return false;
    file->size = (size_t)size;
    file->data = rv_text_alloc(file->size + 1, 1);
    return pread(file->fd, file->data, file->size, 0) == size;
}

/* -1: it cannot be run. */
static int run(struct rv_words *command, int output, int errors) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    if (posix_spawnp(&child, command->words[0], &actions, NULL, command->words, environ) == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

/* "clang: error: unknown argument: '-mfoo'": takes that word out. */
static bool drop_unknown(struct rv_words *command, const char *errors) {
    static const char *const sayings[] = {"unknown argument: '", "unknown argument '", "unsupported option '",
                                          "in '", NULL};
    for (const char *const *saying = sayings; *saying; saying++) {
        const char *at = strstr(errors, *saying);
        if (!at) continue;
        at += strlen(*saying);
        size_t length = strcspn(at, "'"), kept = 0, before = command->count;
        for (size_t i = 0; i < command->count; i++) {
            const char *word = command->words[i];
            if (word[0] == '-' && strncmp(word, at, length) == 0 && !word[length]) continue;
            command->words[kept++] = command->words[i];
        }
        command->words[command->count = kept] = NULL;
        if (kept < before) return true;
    }
    return false;
}

/* The line that says why; malloc'ed. */
static char *first_error(const char *errors) {
    const char *at = strstr(errors, "error: ");
    if (!at) return rv_text_copy("clang failed");
    while (at > errors && at[-1] != '\n') at--;
    return rv_text_format("%.*s", (int)strcspn(at, "\n"), at);
}

static void add_frame(struct rv_text *section, enum rv_bitcode_kind kind, const char *source,
                      const char *data, size_t size) {
    static const char zeros[8];
    struct rv_bitcode_head head = {RV_BITCODE_MAGIC, kind, (uint32_t)strlen(source), size};
    rv_text_add_n(section, (const char *)&head, sizeof head);
    rv_text_add_n(section, source, head.name_size);
    rv_text_add_n(section, data, size);
    rv_text_add_n(section, zeros, -section->size & 7);
}

static void add_missing(struct rv_text *section, const char *source, const char *reason) {
    add_frame(section, RV_BITCODE_MISSING, source, reason, strlen(reason));
}

static void add_bitcode(struct rv_text *section, struct rv_words *command, const char *source) {
    for (int attempt = 0; attempt < 8; attempt++) {
        struct memory_file output = {.fd = memfd_create("bitcode", MFD_CLOEXEC)},
                           errors = {.fd = memfd_create("errors", MFD_CLOEXEC)};
        int status = output.fd >= 0 && errors.fd >= 0 ? run(command, output.fd, errors.fd) : -1;
        bool good = status == 0 && slurp(&output) && output.size > 0, again = false;
        if (good) {
            add_frame(section, RV_BITCODE_MODULE, source, output.data, output.size);
        } else if (status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
            char *reason = rv_text_format("%s cannot be run", command->words[0]);
            add_missing(section, source, reason);
            free(reason);
        } else {
            const char *text = slurp(&errors) ? errors.data : "";
            again = attempt < 7 && drop_unknown(command, text);
            char *reason = first_error(text);
            if (!again) add_missing(section, source, reason);
            free(reason);
        }
        free(output.data);
        free(errors.data);
        if (output.fd >= 0) close(output.fd);
        if (errors.fd >= 0) close(errors.fd);
        if (!again) return;
    }
}

static struct rv_text make_section(const struct rv_compiler *compiler, const struct rv_cc_request *request,
                                   size_t which, bool cxx) {
    struct rv_text section = {0};
    const char *source = request->sources.words[which], *language = request->languages.words[which];
    if (!*language) language = NULL;
    if (language ? strstr(language, "assembler") != NULL : rv_cc_is_assembly(source)) {
        add_missing(&section, source, "assembly");
        return section;
    }
    struct rv_words command = clang_command(compiler, request, source, language, cxx);
    add_bitcode(&section, &command, source);
    free(command.words);
    return section;
}

/* --- the compiler, and the two together --- */

static int wait_for(pid_t compiler) {
    int status = 0;
    while (waitpid(compiler, &status, 0) < 0)
        if (errno != EINTR) return 3;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

/* "dir/a.b.c" gives "a.b.o". */
static char *object_name(const char *source) {
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source, *dot = strrchr(name, '.');
    return rv_text_format("%.*s.o", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
}

int rv_cc_bitcode_run(const struct rv_compiler *compiler, const struct rv_cc_request *request, bool cxx) {
    size_t count = request->sources.count;
    pid_t child;
    int reason = posix_spawnp(&child, compiler->words.words[0], NULL, NULL, compiler->words.words, environ);
    if (reason != 0) {
        errno = reason;
        return -1;
    }
    struct rv_text *sections = rv_text_alloc(count, sizeof *sections);
    for (size_t i = 0; i < count; i++) sections[i] = make_section(compiler, request, i, cxx);
    int status = wait_for(child);
    if (status == 0 && request->only_compiles && !(request->output && count == 1)) {
        for (size_t i = 0; i < count; i++) {
            char *object = object_name(request->sources.words[i]);
            rv_elf_add_section(object, RV_BITCODE_SECTION, sections[i].data, sections[i].size);
            free(object);
        }
    } else if (status == 0) {
        struct rv_text all = {0};
        for (size_t i = 0; i < count; i++) rv_text_add_n(&all, sections[i].data, sections[i].size);
        rv_elf_add_section(request->output ? request->output : "a.out", RV_BITCODE_SECTION, all.data,
                           all.size);
        free(all.data);
    }
    for (size_t i = 0; i < count; i++) free(sections[i].data);
    free(sections);
    return status;
}
