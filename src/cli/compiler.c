#include "cli/compiler.h"

#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/response.h"

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static enum rv_compiler_family family_by_name(const char *path) {
    const char *name = file_name(path);
    if (strncmp(name, "ravel", 5) == 0) return RV_COMPILER_SELF;
    if (strstr(name, "clang")) return RV_COMPILER_CLANG;
    if (strstr(name, "gcc") || strstr(name, "g++")) return RV_COMPILER_GCC;
    return RV_COMPILER_UNKNOWN;
}

/* "cc" is, over one or two links, a file whose name tells more. */
static enum rv_compiler_family family_by_file(const char *command) {
    char candidate[PATH_MAX], real[PATH_MAX];
    if (strchr(command, '/')) return realpath(command, real) ? family_by_name(real) : RV_COMPILER_UNKNOWN;
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
        size_t size = strcspn(at, ":");
        int length = snprintf(candidate, sizeof candidate, "%.*s/%s", (int)size, at, command);
        if (length > 0 && (size_t)length < sizeof candidate && access(candidate, X_OK) == 0)
            return realpath(candidate, real) ? family_by_name(real) : RV_COMPILER_UNKNOWN;
        at += size + (at[size] == ':');
    }
    return RV_COMPILER_UNKNOWN;
}

/* Asks for the compiler's predefined macros: the one answer that a wrapper cannot hide. */
static enum rv_compiler_family family_by_macros(const struct rv_words *command) {
    struct rv_words ask = {0};
    for (size_t i = 0; i < command->count; i++) rv_words_add(&ask, command->words[i]);
    static const char *const question[] = {"-dM", "-E", "-x", "c", "/dev/null", NULL};
    for (const char *const *word = question; *word; word++) rv_words_add(&ask, *word);

    int ends[2];
    enum rv_compiler_family family = RV_COMPILER_UNKNOWN;
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC) != 0 || posix_spawn_file_actions_init(&actions) != 0) return family;
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    pid_t child;
    bool started = posix_spawnp(&child, ask.words[0], &actions, NULL, ask.words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    free(ask.words);
    close(ends[1]);
    FILE *answer = fdopen(ends[0], "r");
    if (!answer) {
        close(ends[0]);
    } else {
        char line[512];
        while (fgets(line, sizeof line, answer)) {
            if (strncmp(line, "#define __clang__ ", 18) == 0) family = RV_COMPILER_CLANG;
            if (strncmp(line, "#define __GNUC__ ", 17) == 0 && family == RV_COMPILER_UNKNOWN)
                family = RV_COMPILER_GCC;
        }
        fclose(answer);
    }
    if (started) waitpid(child, NULL, 0);
    return family;
}

char *rv_compiler_cxx_name(const char *c_compiler) {
    static const struct { const char *c, *cxx; } pairs[] = {{"clang", "clang++"}, {"gcc", "g++"}};
    const char *name = file_name(c_compiler);
    if (strstr(name, "++")) return strdup(c_compiler);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const char *at = strstr(name, pairs[i].c);
        char *result;
        if (at && asprintf(&result, "%.*s%s%s", (int)(at - c_compiler), c_compiler, pairs[i].cxx,
                           at + strlen(pairs[i].c)) >= 0)
            return result;
    }
    return strcmp(name, "cc") == 0 ? strdup("c++") : NULL;
}

struct rv_compiler rv_compiler_pick(bool cxx) {
    struct rv_compiler compiler = {.family = RV_COMPILER_UNKNOWN};
    const char *own = getenv(cxx ? "RAVEL_CXX" : "RAVEL_CC");
    const char *other = cxx ? getenv("RAVEL_CC") : NULL;
    bool derived = !(own && *own) && other && *other;
    const char *setting = own && *own ? own : derived ? other : cxx ? "g++" : "gcc";
    char *copy = strdup(setting);
    if (!copy) abort();
    rv_response_split(&compiler.words, copy);
    if (compiler.words.count == 0) rv_words_add(&compiler.words, cxx ? "g++" : "gcc");

    /* The compiler is the last word that is not an option: "ccache gcc -pipe". */
    size_t at = compiler.words.count - 1;
    while (at > 0 && compiler.words.words[at][0] == '-') at--;
    if (derived) {
        char *name = rv_compiler_cxx_name(compiler.words.words[at]);
        if (name) compiler.words.words[at] = name;
    }
    for (size_t i = 0; i <= at; i++)
        if (family_by_name(compiler.words.words[i]) == RV_COMPILER_SELF) {
            compiler.family = RV_COMPILER_SELF;
            return compiler;
        }
    compiler.family = family_by_name(compiler.words.words[at]);
    if (compiler.family == RV_COMPILER_UNKNOWN) compiler.family = family_by_file(compiler.words.words[at]);
    if (compiler.family == RV_COMPILER_UNKNOWN) compiler.family = family_by_macros(&compiler.words);
    return compiler;
}
