/* Reading a compiler command line.
 *
 * Three things have to be told apart: options with their value in the next word (so that the value is not
 * taken for a source file), the options that decide how far the compiler goes (-c, -S, -E, -M, ...), and
 * the inputs. Everything else is handed on unseen. An option that is missing in the tables below is
 * therefore harmless unless it takes a separate value that looks like a source file.
 *
 * Words that must not reach the compiler are taken out: -fsanitize=thread (the driver would link
 * libtsan against libravel) and -flto in all its forms (code would be generated, and instrumented, in
 * the link step, which ravel does not control). Only then are response files expanded in what is handed
 * on: they exist because a command line can be too long to be one.
 */
#include "cli/cc_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/response.h"

/* Options whose value is the next word. */
static const char *const with_value[] = {
    "-o",
    "-I",
    "-D",
    "-U",
    "-L",
    "-MF",
    "-MT",
    "-MQ",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-isysroot",
    "-imultilib",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-Xlinker",
    "-Xassembler",
    "-Xclang",
    "-mllvm",
    "-Xpreprocessor",
    "-target",
    "--param",
    "-T",
    "-u",
    "-z",
    "-e",
    "-aux-info",
    "-A",
    "-B",
    "-b",
    "-V",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-wrapper",
    "--sysroot",
    "-rpath",
    "-include-pch",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-h",
    "-G",
    "-arch",
    "-F",
    "-iframework",
    "-framework",
    "--serialize-diagnostics",
    "-Xopenmp-target",
    NULL,
};

/* Options that stop the compiler before it links. */
static const char *const without_link[] = {
    "-c",           "-S",        "-E",         "-M",        "-MM", "-fsyntax-only",
    "--preprocess", "--compile", "--assemble", "-emit-ast", NULL,
};

/* Endings of what only the linker reads. Other names, if they have no known ending, are the linker's as well;
 * taking one of them for a source file costs nothing. */
static const char *const linker_endings[] = {".o",  ".a",   ".so", ".obj", ".lo",
                                             ".la", ".lib", ".ld", ".lds", NULL};

/* A header alone is precompiled: nothing is linked. */
static const char *const header_endings[] = {".h",   ".hh",  ".H",   ".hp",  ".hxx",
                                             ".hpp", ".HPP", ".h++", ".tcc", NULL};

/* What the driver compiles or assembles, by its name. */
static const char *const assembly_endings[] = {".s", ".S", ".sx", NULL};
static const char *const source_endings[] = {".c",   ".i",   ".cc", ".cp", ".cxx", ".cpp",
                                             ".CPP", ".c++", ".C",  ".ii", NULL};

/* Options after which no file of code comes out. */
static const char *const without_code[] = {"-S",           "-E",        "-M",   "-MM", "-fsyntax-only",
                                           "--preprocess", "-emit-ast", "-###", NULL};

/* -g words that do not themselves ask for debug information, or for none. */
static const char *const debug_details[] = {
    "-gz",      "-gno-",    "-gcolumn",   "-gstrict",       "-grecord",   "-gstatement",    "-gvariable",
    "-ginline", "-gas-loc", "-gdescribe", "-gcc-toolchain", "-gpubnames", "-ggnu-pubnames", "-gembed",
    NULL,
};

void rv_words_add(struct rv_words *list, const char *word) {
    if (list->count + 2 > list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        char **words = realloc(list->words, capacity * sizeof *words);
        if (!words) {
            fprintf(stderr, "ravel cc: out of memory\n");
            exit(3);
        }
        list->words = words;
        list->capacity = capacity;
    }
    list->words[list->count++] = (char *)word;
    list->words[list->count] = NULL;
}

static bool starts(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool is_one_of(const char *word, const char *const *words) {
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

static bool starts_with_one_of(const char *word, const char *const *words) {
    for (; *words; words++)
        if (starts(word, *words)) return true;
    return false;
}

static bool is_linker_input(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return !dot || is_one_of(dot, linker_endings) || strstr(name, ".so.") != NULL;
}

static bool is_header(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && is_one_of(dot, header_endings);
}

static void refuse(struct rv_cc_request *request, const char *format, const char *word) {
    if (!request->refused && asprintf(&request->refused, format, word) < 0) request->refused = NULL;
}

/* "-fsanitize=thread,undefined": what is left of it without thread, malloc'ed; NULL: nothing. */
static char *without_thread(struct rv_cc_request *request, const char *word) {
    static const char *const conflicts[] = {"address",        "hwaddress",        "memory",   "leak",
                                            "kernel-address", "kernel-hwaddress", "dataflow", NULL};
    char *list = strdup(word + strlen("-fsanitize="));
    char *left = calloc(1, strlen(word) + 2);
    if (!list || !left) abort();
    strcpy(left, "-fsanitize=");
    char *state = NULL;
    for (char *name = strtok_r(list, ",", &state); name; name = strtok_r(NULL, ",", &state)) {
        if (is_one_of(name, conflicts))
            refuse(request, "-fsanitize=%s cannot be combined with ravel, whose runtime takes its place",
                   name);
        if (strcmp(name, "thread") == 0) continue;
        if (left[strlen(left) - 1] != '=') strcat(left, ",");
        strcat(left, name);
    }
    free(list);
    if (left[strlen(left) - 1] != '=') return left;
    free(left);
    return NULL;
}

bool rv_cc_is_assembly(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && is_one_of(dot, assembly_endings);
}

static bool is_code(const char *path, const char *language) {
    if (strcmp(path, "-") == 0) return false;
    if (language) return !strstr(language, "-header");
    const char *dot = strrchr(path, '.');
    return dot && (is_one_of(dot, source_endings) || is_one_of(dot, assembly_endings));
}

struct reader {
    struct rv_cc_request *request;
    const char *language; /* of -x, if in force */
    bool is_static, relocatable;
    bool linkable; /* there is something that a linker could get in the end */
};

static void read_input(struct reader *reader, const char *word) {
    reader->request->has_input = true;
    if (reader->language || strcmp(word, "-") == 0 || !is_linker_input(word))
        reader->request->has_source = true;
    if (!(reader->language ? strstr(reader->language, "-header") != NULL : is_header(word)))
        reader->linkable = true;
    if (is_code(word, reader->language)) {
        rv_words_add(&reader->request->sources, word);
        rv_words_add(&reader->request->languages, reader->language ? reader->language : "");
    }
}

/* An option; *kept is what to hand on instead, or NULL. */
static void read_option(struct reader *reader, const char *word, const char *value, const char **kept) {
    struct rv_cc_request *request = reader->request;
    if (is_one_of(word, without_code)) request->makes_code = false;
    if (strcmp(word, "-c") == 0 || strcmp(word, "--compile") == 0) request->only_compiles = true;
    if (is_one_of(word, without_link))
        request->links = false;
    else if (starts(word, "-o"))
        request->output = word[2] ? word + 2 : value;
    else if (starts(word, "-O"))
        request->optimises = strcmp(word, "-O0") != 0;
    else if (strcmp(word, "-static") == 0 || strcmp(word, "-static-pie") == 0 ||
             strcmp(word, "--static") == 0)
        reader->is_static = true;
    else if (strcmp(word, "-r") == 0)
        reader->relocatable = true;
    else if (strcmp(word, "-m32") == 0 || strcmp(word, "-mx32") == 0)
        refuse(request, "%s is not supported: ravel's runtime is for 64-bit programs", word);
    else if (starts(word, "-flto")) {
        request->asked_lto = true;
        *kept = NULL;
    } else if (starts(word, "-fsanitize=")) {
        const char *left = without_thread(request, word);
        if (!left || strcmp(left, word) != 0) *kept = left;
    } else if (starts(word, "-x")) {
        const char *language = word[2] ? word + 2 : value;
        reader->language = language && strcmp(language, "none") != 0 ? language : NULL;
    } else if (starts(word, "-l"))
        request->has_input = reader->linkable = true;
    else if (starts(word, "-g") && !starts_with_one_of(word, debug_details))
        request->has_debug = true;
}

void rv_cc_request_read(struct rv_cc_request *request, int argc, char **argv) {
    *request = (struct rv_cc_request){.links = true, .makes_code = true};
    struct reader reader = {.request = request};
    struct rv_words all = {0}, kept_words = {0};
    rv_response_expand(&all, argc, argv);
    for (size_t i = 0; i < all.count; i++) {
        const char *word = all.words[i], *kept = word;
        bool takes_next =
            (is_one_of(word, with_value) || strcmp(word, "-x") == 0 || strcmp(word, "-l") == 0) &&
            i + 1 < all.count;
        if (word[0] != '-' || word[1] == '\0')
            read_input(&reader, word);
        else
            read_option(&reader, word, takes_next ? all.words[i + 1] : NULL, &kept);
        if (kept != word) request->rewritten = true;
        if (kept) rv_words_add(&kept_words, kept);
        if (takes_next) rv_words_add(&kept_words, all.words[++i]);
    }
    request->expanded = all;
    if (reader.is_static && request->links && request->has_input)
        refuse(request, "%s is not supported: ravel's runtime has to be linked dynamically", "-static");
    if (reader.relocatable || !reader.linkable) request->links = false;
    if (request->rewritten) {
        request->arguments = kept_words;
        return;
    }
    free(kept_words.words);
    for (int i = 1; i < argc; i++) rv_words_add(&request->arguments, argv[i]);
}
