/* Reading the test file with libclang. Only the text that was handed to it is looked at: offsets are into `text`. */
#include "migrate/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "migrate/source_private.h"
#include "report/text.h"
#include "report/whole_file.h"

enum { SIZE_LIMIT = 16 };

bool rv_name_asserts(const char *name);

/* ---- cursors ---- */

static enum CXChildVisitResult add_child(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    struct rv_cursors *children = data;
    children->items = rv_text_realloc(children->items, children->count + 1, sizeof *children->items);
    children->items[children->count++] = cursor;
    return CXChildVisit_Continue;
}

struct rv_cursors rv_children(CXCursor cursor) {
    struct rv_cursors children = {0};
    (void)rv_clang->visitChildren(cursor, add_child, &children);
    return children;
}

bool rv_cursor_range(const struct rv_reading *reading, CXCursor cursor, size_t *begin, size_t *end) {
    CXSourceRange range = rv_clang->getCursorExtent(cursor);
    CXFile from, to;
    unsigned first, last;
    rv_clang->getFileLocation(rv_clang->getRangeStart(range), &from, NULL, NULL, &first);
    rv_clang->getFileLocation(rv_clang->getRangeEnd(range), &to, NULL, NULL, &last);
    if (!from || !to || !rv_clang->File_isEqual(from, reading->file) ||
        !rv_clang->File_isEqual(to, reading->file) || last < first || last > reading->source->size)
        return false;
    *begin = first;
    *end = last;
    return true;
}

char *rv_cursor_name(CXCursor cursor) {
    CXString spelling = rv_clang->getCursorSpelling(cursor);
    char *name = rv_text_copy(rv_clang->getCString(spelling));
    rv_clang->disposeString(spelling);
    return name;
}

uint32_t rv_function_of(const struct rv_reading *reading, CXCursor declaration) {
    if (rv_clang->getCursorKind(declaration) != CXCursor_FunctionDecl) return RV_NO_FUNCTION;
    char *name = rv_cursor_name(declaration);
    uint32_t found = RV_NO_FUNCTION;
    for (uint32_t i = 0; i < reading->source->function_count && found == RV_NO_FUNCTION; i++)
        if (strcmp(reading->source->functions[i].name, name) == 0) found = i;
    free(name);
    return found;
}

/* ---- functions ---- */

struct definitions {
    CXCursor *cursors, *bodies;
};

static bool takes_like_test(CXCursor function) {
    int count = rv_clang->Cursor_getNumArguments(function);
    if (count == 0) return true;
    if (count > 1) return false;
    CXType type =
        rv_clang->getCanonicalType(rv_clang->getCursorType(rv_clang->Cursor_getArgument(function, 0)));
    if (type.kind == CXType_Int) return true;
    if (type.kind != CXType_Pointer) return false;
    CXString spelling = rv_clang->getTypeSpelling(type);
    bool state = strcmp(rv_clang->getCString(spelling), "void **") == 0;
    rv_clang->disposeString(spelling);
    return state;
}

/* "START_TEST(name)", "Test(suite, name)", "RAVEL_TEST(name)": the words in brackets, joined by "_". NULL: no macro of that kind. */
static char *macro_name(const char *text, const char *stop, bool *scoped) {
    static const char *const macros[] = {"START_TEST", "RAVEL_TEST",        "Test",
                                         "TEST",       "ParameterizedTest", NULL};
    for (const char *const *macro = macros; *macro; macro++) {
        size_t length = strlen(*macro);
        if ((size_t)(stop - text) <= length || strncmp(text, *macro, length) != 0) continue;
        const char *at = text + length;
        while (at < stop && isspace((unsigned char)*at)) at++;
        if (at == stop || *at != '(') continue;
        struct rv_text name = {0};
        for (at++; at < stop && *at != ')'; at++) {
            if (isalnum((unsigned char)*at) || *at == '_') rv_text_add_n(&name, at, 1);
            if (*at == ',') rv_text_add(&name, "_");
        }
        *scoped = strcmp(*macro, "RAVEL_TEST") == 0;
        return rv_text_take(&name);
    }
    return NULL;
}

/* What the function returns where nothing has made it return before: for a test, that it has passed. */
static char *last_result(const struct rv_reading *reading, CXCursor body) {
    struct rv_cursors statements = rv_children(body);
    CXCursor last = statements.count > 0 ? statements.items[statements.count - 1] : body;
    free(statements.items);
    if (rv_clang->getCursorKind(last) != CXCursor_ReturnStmt) return NULL;
    struct rv_cursors value = rv_children(last);
    char *text = NULL;
    size_t begin, end;
    if (value.count == 1 && rv_cursor_range(reading, value.items[0], &begin, &end)) {
        CXEvalResult known = rv_clang->Cursor_Evaluate(value.items[0]);
        if (known && rv_clang->EvalResult_getKind(known) == CXEval_Int)
            text = rv_text_copy_n(reading->source->text + begin, end - begin);
        if (known) rv_clang->EvalResult_dispose(known);
    }
    free(value.items);
    return text;
}

static void add_function(struct rv_reading *reading, CXCursor cursor, CXCursor body,
                         struct definitions *definitions) {
    struct rv_source *source = reading->source;
    size_t begin, end, open, close;
    if (!rv_cursor_range(reading, cursor, &begin, &end) || !rv_cursor_range(reading, body, &open, &close) ||
        source->text[open] != '{')
        return;
    uint32_t count = source->function_count + 1;
    source->functions = rv_text_realloc(source->functions, count, sizeof *source->functions);
    definitions->cursors = rv_text_realloc(definitions->cursors, count, sizeof *definitions->cursors);
    definitions->bodies = rv_text_realloc(definitions->bodies, count, sizeof *definitions->bodies);
    definitions->cursors[source->function_count] = cursor;
    definitions->bodies[source->function_count] = body;
    struct rv_function *function = &source->functions[source->function_count++];
    CXType result = rv_clang->getCanonicalType(rv_clang->getCursorResultType(cursor));
    bool number = result.kind == CXType_Int || result.kind == CXType_Bool;
    *function = (struct rv_function){
        .name = rv_cursor_name(cursor),
        .begin = begin,
        .open = open,
        .close = close - 1,
        .is_void = result.kind == CXType_Void,
        .is_static = rv_clang->Cursor_getStorageClass(cursor) == CX_SC_Static,
        .result = number ? last_result(reading, body) : NULL,
        .like_test = takes_like_test(cursor) && (result.kind == CXType_Void || number),
    };
    function->is_main = strcmp(function->name, "main") == 0;
    if (function->is_main) rv_text_set(&function->result, NULL); /* becomes a function without one */
    function->test_name = macro_name(source->text + begin, source->text + open, &function->scoped);
    if (!function->test_name) function->test_name = rv_text_copy(function->name);
    if (memmem(source->text + open, close - open, "RAVEL_TEST_SCOPE", 16)) function->scoped = true;
    function->line = 1;
    for (size_t i = 0; i < begin; i++) function->line += source->text[i] == '\n';
}

static void find_functions(struct rv_reading *reading, struct definitions *definitions) {
    struct rv_cursors top = rv_children(rv_clang->getTranslationUnitCursor(reading->unit));
    for (unsigned i = 0; i < top.count; i++) {
        if (rv_clang->getCursorKind(top.items[i]) != CXCursor_FunctionDecl ||
            !rv_clang->isCursorDefinition(top.items[i]))
            continue;
        struct rv_cursors parts = rv_children(top.items[i]);
        if (parts.count > 0 && rv_clang->getCursorKind(parts.items[parts.count - 1]) == CXCursor_CompoundStmt)
            add_function(reading, top.items[i], parts.items[parts.count - 1], definitions);
        free(parts.items);
    }
    free(top.items);
}

/* ---- who calls whom, and whose address goes where ---- */

static void add_call(struct rv_function *caller, uint32_t callee) {
    caller->calls = rv_text_realloc(caller->calls, caller->call_count + 1, sizeof *caller->calls);
    caller->calls[caller->call_count++] = callee;
}

/* `caller` NULL: at file scope. */
static void find_uses(struct rv_reading *reading, CXCursor cursor, struct rv_function *caller) {
    struct rv_cursors children = rv_children(cursor);
    enum CXCursorKind kind = rv_clang->getCursorKind(cursor);
    unsigned first = 0;
    if (kind == CXCursor_CallExpr) {
        uint32_t callee = rv_function_of(reading, rv_clang->getCursorReferenced(cursor));
        if (callee != RV_NO_FUNCTION) {
            if (caller) add_call(caller, callee);
            first = 1; /* its name is no address taken */
        }
    } else if (kind == CXCursor_DeclRefExpr) {
        uint32_t function = rv_function_of(reading, rv_clang->getCursorReferenced(cursor));
        if (function != RV_NO_FUNCTION) {
            struct rv_function *taken = &reading->source->functions[function];
            taken->address_taken = true;
            if (!caller || caller->is_main) taken->shown = true;
            if (caller && !caller->is_main) caller->hands_on = true;
        }
    }
    for (unsigned i = first; i < children.count; i++) find_uses(reading, children.items[i], caller);
    free(children.items);
}

static void find_uses_everywhere(struct rv_reading *reading, const struct definitions *definitions) {
    struct rv_source *source = reading->source;
    for (uint32_t i = 0; i < source->function_count; i++)
        find_uses(reading, definitions->bodies[i], &source->functions[i]);
    struct rv_cursors top = rv_children(rv_clang->getTranslationUnitCursor(reading->unit));
    size_t begin, end;
    for (unsigned i = 0; i < top.count; i++)
        if (rv_clang->getCursorKind(top.items[i]) == CXCursor_VarDecl &&
            rv_cursor_range(reading, top.items[i], &begin, &end))
            find_uses(reading, top.items[i], NULL);
    free(top.items);
}

/* Helpers that only sleep, or make threads, over any number of calls. */
static void find_helpers(struct rv_reading *reading, const struct definitions *definitions) {
    struct rv_source *source = reading->source;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < source->function_count; i++) {
            struct rv_function *function = &source->functions[i];
            struct rv_deeds deeds = {0};
            rv_deeds_of(reading, definitions->bodies[i], &deeds);
            bool sleeper = deeds.sleeps && !deeds.calls && !deeds.writes && !deeds.creates && !deeds.joins &&
                           !deeds.meets && !function->address_taken && !function->shown && !function->is_main;
            again |= sleeper != function->sleeper || deeds.creates != function->creates;
            function->sleeper = sleeper;
            function->creates = deeds.creates;
            function->calls_sleep = deeds.sleeps;
            rv_deeds_free(&deeds);
        }
    }
}

/* ---- local variables ---- */

struct locals {
    struct rv_reading *reading;
    CXCursor *declarations;
};

static void add_local(struct locals *locals, CXCursor statement) {
    struct rv_source *source = locals->reading->source;
    struct rv_cursors declared = rv_children(statement);
    struct rv_deeds deeds = {0};
    size_t begin, end;
    rv_deeds_of(locals->reading, statement, &deeds);
    if (declared.count == 1 && rv_clang->getCursorKind(declared.items[0]) == CXCursor_VarDecl &&
        !deeds.calls && !deeds.writes && !deeds.creates &&
        rv_cursor_range(locals->reading, statement, &begin, &end)) {
        source->locals = rv_text_realloc(source->locals, source->local_count + 1, sizeof *source->locals);
        locals->declarations =
            rv_text_realloc(locals->declarations, source->local_count + 1, sizeof *locals->declarations);
        locals->declarations[source->local_count] = declared.items[0];
        source->locals[source->local_count++] = (struct rv_local){.begin = begin, .end = end};
    }
    rv_deeds_free(&deeds);
    free(declared.items);
}

static void add_use(struct locals *locals, CXCursor use) {
    struct rv_source *source = locals->reading->source;
    CXCursor declaration = rv_clang->getCursorReferenced(use);
    size_t begin, end;
    if (!rv_cursor_range(locals->reading, use, &begin, &end)) return;
    for (uint32_t i = 0; i < source->local_count; i++) {
        struct rv_local *local = &source->locals[i];
        if (!rv_clang->equalCursors(locals->declarations[i], declaration)) continue;
        local->uses = rv_text_realloc(local->uses, local->use_count + 1, sizeof *local->uses);
        local->uses[local->use_count++] = begin;
    }
}

static void find_locals(struct locals *locals, CXCursor cursor) {
    enum CXCursorKind kind = rv_clang->getCursorKind(cursor);
    if (kind == CXCursor_DeclStmt) add_local(locals, cursor);
    if (kind == CXCursor_DeclRefExpr) add_use(locals, cursor);
    struct rv_cursors children = rv_children(cursor);
    for (unsigned i = 0; i < children.count; i++) find_locals(locals, children.items[i]);
    free(children.items);
}

/* ---- the file ---- */

/* After the last #include that no #if decides on; the begin of the file if there is none. */
static void find_includes(struct rv_source *source) {
    int depth = 0;
    for (char *line = source->text; line && *line;) {
        char *next = strchr(line, '\n');
        size_t length = next ? (size_t)(next - line) + 1 : strlen(line);
        const char *at = line + strspn(line, " \t");
        if (*at == '#') {
            at += 1 + strspn(at + 1, " \t");
            if (strncmp(at, "if", 2) == 0) depth++;
            if (strncmp(at, "endif", 5) == 0 && depth > 0) depth--;
            if (strncmp(at, "include", 7) == 0) {
                if (depth == 0) source->include_at = (size_t)(line - source->text) + length;
                if (memmem(at, length - (size_t)(at - line), "ravel.h", 7)) source->has_include = true;
            }
        }
        line = next ? next + 1 : NULL;
    }
}

bool rv_clang_takes_value(const char *word) {
    static const char *const words[] = {"-I",       "-D",      "-U",         "-include", "-imacros",
                                        "-isystem", "-iquote", "-idirafter", NULL};
    for (const char *const *known = words; *known; known++)
        if (strcmp(word, *known) == 0) return true;
    return false;
}

/* What decides how the text reads. */
bool rv_clang_matters(const char *word) {
    return rv_clang_takes_value(word) || strncmp(word, "-I", 2) == 0 || strncmp(word, "-D", 2) == 0 ||
           strncmp(word, "-U", 2) == 0 || strncmp(word, "-std=", 5) == 0 || strcmp(word, "-ansi") == 0 ||
           strcmp(word, "-pthread") == 0 || strncmp(word, "-iquote", 7) == 0 ||
           strncmp(word, "-isystem", 8) == 0;
}

static CXTranslationUnit parse(CXIndex index, const char *path, char *const *arguments,
                               const char *directory) {
    const char **words = rv_text_alloc(8, sizeof *words);
    int count = 0;
    char *working = rv_text_format("-working-directory=%s", directory);
    words[count++] = "-xc";
    words[count++] = "-w";
    words[count++] = "-Wno-everything";
    words[count++] = working;
    for (; arguments && *arguments; arguments++) {
        if (!rv_clang_matters(*arguments)) continue;
        words = rv_text_realloc(words, (size_t)count + 4, sizeof *words);
        words[count++] = *arguments;
        if (rv_clang_takes_value(*arguments) && arguments[1]) words[count++] = *++arguments;
    }
    CXTranslationUnit unit = NULL;
    (void)rv_clang->parseTranslationUnit2(index, path, words, count, NULL, 0,
                                          CXTranslationUnit_DetailedPreprocessingRecord, &unit);
    free(words);
    free(working);
    return unit;
}

/* The first error, as the compiler says it; NULL: none. */
static char *first_error(CXTranslationUnit unit) {
    for (unsigned i = 0; i < rv_clang->getNumDiagnostics(unit); i++) {
        CXDiagnostic diagnostic = rv_clang->getDiagnostic(unit, i);
        char *text = NULL;
        if (rv_clang->getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            CXString words = rv_clang->formatDiagnostic(diagnostic, CXDiagnostic_DisplaySourceLocation |
                                                                        CXDiagnostic_DisplayColumn);
            text = rv_text_copy(rv_clang->getCString(words));
            rv_clang->disposeString(words);
        }
        rv_clang->disposeDiagnostic(diagnostic);
        if (text) return text;
    }
    return NULL;
}

static void read_unit(struct rv_reading *reading) {
    struct rv_source *source = reading->source;
    struct definitions definitions = {0};
    find_functions(reading, &definitions);
    find_uses_everywhere(reading, &definitions);
    find_helpers(reading, &definitions);
    rv_functions_classify(source);
    struct locals locals = {.reading = reading};
    for (uint32_t i = 0; i < source->function_count; i++) {
        rv_places_read(reading, i, definitions.bodies[i]);
        find_locals(&locals, definitions.bodies[i]);
    }
    free(locals.declarations);
    free(definitions.cursors);
    free(definitions.bodies);
}

bool rv_source_read(struct rv_source *source, const char *path, char *const *arguments, const char *directory,
                    char **error) {
    *source = (struct rv_source){.path = rv_text_copy(path)};
    if (!rv_clang_open()) {
        *error = rv_text_copy("libclang cannot be loaded; it is in Debian's package libclang-dev");
        return false;
    }
    source->text = rv_whole_file(path, SIZE_LIMIT << 20, "C file", &source->size, error);
    if (!source->text) return false;
    CXIndex index = rv_clang->createIndex(0, 0);
    CXTranslationUnit unit = parse(index, path, arguments, directory);
    *error = unit ? first_error(unit) : rv_text_format("%s: cannot be parsed", path);
    if (!*error) {
        struct rv_reading reading = {.source = source, .unit = unit, .file = rv_clang->getFile(unit, path)};
        find_includes(source);
        read_unit(&reading);
    }
    if (unit) rv_clang->disposeTranslationUnit(unit);
    rv_clang->disposeIndex(index);
    return !*error;
}

void rv_source_free(struct rv_source *source) {
    for (uint32_t i = 0; i < source->function_count; i++) {
        free(source->functions[i].name);
        free(source->functions[i].test_name);
        free(source->functions[i].result);
        free(source->functions[i].calls);
    }
    for (uint32_t i = 0; i < source->place_count; i++) free(source->places[i].callee);
    for (uint32_t i = 0; i < source->local_count; i++) free(source->locals[i].uses);
    free(source->functions);
    free(source->places);
    free(source->locals);
    free(source->path);
    free(source->text);
}
