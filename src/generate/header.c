/* Reading the header with libclang: every function it declares, with the types of its parameters. Which type the module is
 * about: the one that most functions take a pointer to. */
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "generate/api.h"
#include "migrate/clang.h"
#include "report/text.h"

struct cursors {
    CXCursor *items;
    unsigned count;
};

struct reading {
    struct rv_api *api;
    CXTranslationUnit unit;
    CXFile file;
    struct cursors functions;
};

static char *text_of(CXString string) {
    const char *text = rv_clang->getCString(string);
    char *copy = rv_text_copy(text);
    rv_clang->disposeString(string);
    return copy;
}

/* "const struct a" gives "struct a". */
static char *without_qualifiers(char *spelling) {
    static const char *const words[] = {"const ", "volatile "};
    for (size_t i = 0; i < 2; i++)
        while (strncmp(spelling, words[i], strlen(words[i])) == 0)
            memmove(spelling, spelling + strlen(words[i]), strlen(spelling + strlen(words[i])) + 1);
    return spelling;
}

static char *plain_spelling(CXType type) {
    return without_qualifiers(text_of(rv_clang->getTypeSpelling(rv_clang->getCanonicalType(type))));
}

/* ---- what the header declares ---- */

static bool is_here(const struct reading *reading, CXCursor cursor) {
    CXFile file;
    rv_clang->getFileLocation(rv_clang->getCursorLocation(cursor), &file, NULL, NULL, NULL);
    return file && rv_clang->File_isEqual(file, reading->file);
}

static unsigned line_of(CXCursor cursor) {
    unsigned line = 0;
    rv_clang->getFileLocation(rv_clang->getCursorLocation(cursor), NULL, &line, NULL, NULL);
    return line;
}

static enum CXChildVisitResult add_constant(CXCursor cursor, CXCursor parent, CXClientData data) {
    struct rv_api *api = data;
    (void)parent;
    if (rv_clang->getCursorKind(cursor) != CXCursor_EnumConstantDecl) return CXChildVisit_Continue;
    api->constants = rv_text_realloc(api->constants, api->constant_count + 1, sizeof *api->constants);
    api->constants[api->constant_count++] = rv_clang->getEnumConstantDeclValue(cursor);
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult note_declaration(CXCursor cursor, CXCursor parent, CXClientData data) {
    struct reading *reading = data;
    (void)parent;
    if (!is_here(reading, cursor)) return CXChildVisit_Continue;
    enum CXCursorKind kind = rv_clang->getCursorKind(cursor);
    if (kind == CXCursor_EnumDecl) (void)rv_clang->visitChildren(cursor, add_constant, reading->api);
    if (kind != CXCursor_FunctionDecl) return CXChildVisit_Continue;
    struct cursors *functions = &reading->functions;
    char *name = text_of(rv_clang->getCursorSpelling(cursor));
    bool twice = false; /* declared again */
    for (unsigned i = 0; i < functions->count && !twice; i++) {
        char *other = text_of(rv_clang->getCursorSpelling(functions->items[i]));
        twice = strcmp(name, other) == 0;
        free(other);
    }
    free(name);
    if (twice) return CXChildVisit_Continue;
    functions->items = rv_text_realloc(functions->items, functions->count + 1, sizeof *functions->items);
    functions->items[functions->count++] = cursor;
    return CXChildVisit_Continue;
}

/* ---- the type ---- */

struct candidate {
    char *spelling; /* of the record, canonical */
    unsigned uses;  /* functions that take a pointer to it */
    unsigned makes; /* ... that return one */
    bool complete;
};

struct candidates {
    struct candidate *items;
    unsigned count;
};

/* The record that the type is a pointer to. */
static bool points_to_record(CXType type, CXType *record) {
    type = rv_clang->getCanonicalType(type);
    if (type.kind != CXType_Pointer) return false;
    *record = rv_clang->getCanonicalType(rv_clang->getPointeeType(type));
    return record->kind == CXType_Record;
}

static struct candidate *candidate_of(struct candidates *all, CXType record) {
    char *spelling = plain_spelling(record);
    for (unsigned i = 0; i < all->count; i++)
        if (strcmp(all->items[i].spelling, spelling) == 0) {
            free(spelling);
            return &all->items[i];
        }
    all->items = rv_text_realloc(all->items, all->count + 1, sizeof *all->items);
    all->items[all->count] =
        (struct candidate){.spelling = spelling, .complete = rv_clang->Type_getSizeOf(record) >= 0};
    return &all->items[all->count++];
}

static bool is_foreign(const char *spelling) { /* FILE, va_list and the like */
    return strncmp(spelling, "struct _IO_", 11) == 0 || strncmp(spelling, "struct __", 9) == 0;
}

static void find_candidates(const struct reading *reading, struct candidates *all) {
    for (unsigned f = 0; f < reading->functions.count; f++) {
        CXType record, type = rv_clang->getCursorType(reading->functions.items[f]);
        int count = rv_clang->getNumArgTypes(type);
        for (int i = 0; i < count; i++)
            if (points_to_record(rv_clang->getArgType(type, (unsigned)i), &record)) {
                candidate_of(all, record)->uses++;
                break; /* the first is what it is about */
            }
        if (points_to_record(rv_clang->getResultType(type), &record)) candidate_of(all, record)->makes++;
    }
}

static const char *short_name(const char *spelling) {
    const char *space = strrchr(spelling, ' ');
    return space ? space + 1 : spelling;
}

/* NULL: *error. */
static const struct candidate *choose(const struct reading *reading, const struct candidates *all,
                                      const char *wanted, char **error) {
    const struct candidate *best = NULL;
    struct rv_suggestion suggestion = {.typed = wanted ? short_name(wanted) : ""};
    for (unsigned i = 0; i < all->count; i++) {
        const struct candidate *each = &all->items[i];
        if (is_foreign(each->spelling) || each->uses == 0) continue;
        if (wanted) rv_suggest_offer(&suggestion, short_name(each->spelling));
        if (wanted && strcmp(short_name(wanted), short_name(each->spelling)) != 0) continue;
        if (!best || each->uses + each->makes > best->uses + best->makes) best = each;
    }
    if (best) return best;
    if (wanted)
        *error = rv_text_format("%s: no function takes a pointer to a type '%s'%s%s%s", reading->api->header,
                                wanted, suggestion.best ? " (did you mean '" : "",
                                suggestion.best ? suggestion.best : "", suggestion.best ? "'?)" : "");
    else
        *error = rv_text_format(
            "%s: no usable type: looked for a struct (opaque or not) that functions declared in this file "
            "take a pointer to; it declares %u function%s, and none does",
            reading->api->header, reading->functions.count, reading->functions.count == 1 ? "" : "s");
    return NULL;
}

/* ---- parameters ---- */

static bool is_integer(enum CXTypeKind kind) {
    return (kind >= CXType_Bool && kind <= CXType_ULongLong) ||
           (kind >= CXType_Char_S && kind <= CXType_LongLong);
}
static bool is_signed(enum CXTypeKind kind) {
    return kind == CXType_Char_S || kind == CXType_SChar || (kind >= CXType_Short && kind <= CXType_LongLong);
}
static bool is_float(enum CXTypeKind kind) {
    return kind == CXType_Float || kind == CXType_Double || kind == CXType_LongDouble;
}

static bool is_object(const struct rv_api *api, CXType type) {
    CXType record;
    if (!points_to_record(type, &record)) return false;
    char *spelling = plain_spelling(record);
    bool same = strcmp(spelling, api->type) == 0;
    free(spelling);
    return same;
}

static enum CXChildVisitResult add_value(CXCursor cursor, CXCursor parent, CXClientData data) {
    struct rv_parameter *parameter = data;
    (void)parent;
    if (rv_clang->getCursorKind(cursor) == CXCursor_EnumConstantDecl && parameter->value_count < 64) {
        parameter->values =
            rv_text_realloc(parameter->values, parameter->value_count + 1, sizeof *parameter->values);
        parameter->values[parameter->value_count++] = rv_clang->getEnumConstantDeclValue(cursor);
    }
    return CXChildVisit_Continue;
}

static uint32_t callback_of(struct rv_api *api, CXType pointer, CXType function) {
    char *spelling = plain_spelling(pointer);
    for (uint32_t i = 0; i < api->callback_count; i++)
        if (strcmp(api->callbacks[i].type, spelling) == 0) {
            free(spelling);
            return i;
        }
    api->callbacks = rv_text_realloc(api->callbacks, api->callback_count + 1, sizeof *api->callbacks);
    struct rv_callback *callback = &api->callbacks[api->callback_count];
    CXType result = rv_clang->getCanonicalType(rv_clang->getResultType(function));
    *callback = (struct rv_callback){.type = spelling,
                                     .result = plain_spelling(result),
                                     .object = -1,
                                     .number = is_integer(result.kind) || result.kind == CXType_Enum ||
                                               is_float(result.kind),
                                     .pointer = result.kind == CXType_Pointer};
    int count = rv_clang->getNumArgTypes(function);
    callback->count = count > 0 ? (uint32_t)count : 0;
    callback->types = rv_text_alloc(callback->count, sizeof *callback->types);
    for (uint32_t i = 0; i < callback->count; i++) {
        CXType type = rv_clang->getArgType(function, i);
        callback->types[i] = text_of(rv_clang->getTypeSpelling(rv_clang->getCanonicalType(type)));
        if (callback->object < 0 && is_object(api, type)) callback->object = (int)i;
    }
    return api->callback_count++;
}

/* What a pointer is, as far as its type tells; guess.c goes on. NULL, or why it cannot be made. */
static char *read_pointer(struct rv_api *api, struct rv_parameter *parameter, CXType type) {
    CXType item = rv_clang->getCanonicalType(rv_clang->getPointeeType(type));
    parameter->is_const = rv_clang->isConstQualifiedType(item);
    parameter->item = plain_spelling(item);
    long long size = rv_clang->Type_getSizeOf(item);
    parameter->bytes = size > 0 && size < 4096 ? (uint32_t)size : 1;
    parameter->is_signed = is_signed(item.kind);
    if (item.kind == CXType_FunctionProto || item.kind == CXType_FunctionNoProto) {
        if (rv_clang->isFunctionTypeVariadic(item))
            return rv_text_copy("its callback has variable arguments");
        parameter->kind = RV_PARAMETER_CALLBACK;
        parameter->callback = callback_of(api, type, item);
    } else if (is_object(api, type)) {
        parameter->kind = RV_PARAMETER_OBJECT;
    } else if (item.kind == CXType_Void) {
        parameter->kind = RV_PARAMETER_POINTER;
        parameter->bytes = 1;
    } else if (is_integer(item.kind) || is_float(item.kind) || item.kind == CXType_Enum) {
        parameter->kind = parameter->is_const ? RV_PARAMETER_INPUT : RV_PARAMETER_RESULT;
    } else if (item.kind == CXType_Pointer && !parameter->is_const) {
        parameter->kind = RV_PARAMETER_RESULT;
    } else {
        return rv_text_format("nothing is known of what '%s' points to", parameter->type);
    }
    return NULL;
}

static char *read_parameter(struct rv_api *api, struct rv_parameter *parameter, CXCursor cursor,
                            CXType declared) {
    CXType type = rv_clang->getCanonicalType(declared);
    *parameter = (struct rv_parameter){.name = text_of(rv_clang->getCursorSpelling(cursor)),
                                       .type = text_of(rv_clang->getTypeSpelling(type)),
                                       .length = -1};
    if (type.kind == CXType_Pointer) return read_pointer(api, parameter, type);
    parameter->item = rv_text_copy("");
    long long size = rv_clang->Type_getSizeOf(type);
    parameter->bytes = size > 0 && size <= 16 ? (uint32_t)size : 8;
    if (is_integer(type.kind)) {
        parameter->kind = RV_PARAMETER_INTEGER;
        parameter->is_signed = is_signed(type.kind);
        if (type.kind == CXType_Bool) parameter->bytes = 0;
    } else if (type.kind == CXType_Enum) {
        parameter->kind = RV_PARAMETER_ENUM;
        (void)rv_clang->visitChildren(rv_clang->getTypeDeclaration(type), add_value, parameter);
        if (parameter->value_count == 0) parameter->kind = RV_PARAMETER_INTEGER;
    } else if (is_float(type.kind)) {
        parameter->kind = RV_PARAMETER_FLOAT;
    } else {
        return rv_text_format("an argument of type '%s' cannot be made", parameter->type);
    }
    return NULL;
}

static enum rv_result_kind result_kind(CXType type) {
    if (type.kind == CXType_Void) return RV_RESULT_NONE;
    if (is_integer(type.kind) || type.kind == CXType_Enum) return RV_RESULT_INTEGER;
    if (is_float(type.kind)) return RV_RESULT_FLOAT;
    return type.kind == CXType_Pointer ? RV_RESULT_POINTER : RV_RESULT_OPAQUE;
}

static void read_function(struct rv_api *api, CXCursor cursor) {
    CXType type = rv_clang->getCursorType(cursor);
    CXType result = rv_clang->getCanonicalType(rv_clang->getResultType(type));
    api->methods = rv_text_realloc(api->methods, api->count + 1, sizeof *api->methods);
    struct rv_method *method = &api->methods[api->count];
    *method = (struct rv_method){.name = text_of(rv_clang->getCursorSpelling(cursor)),
                                 .line = line_of(cursor),
                                 .result = text_of(rv_clang->getTypeSpelling(result)),
                                 .result_kind = result_kind(result),
                                 .object = -1};
    int count = rv_clang->Cursor_getNumArguments(cursor);
    char *why = NULL;
    method->count = count > 0 ? (uint32_t)count : 0;
    method->parameters = rv_text_alloc(method->count, sizeof *method->parameters);
    for (uint32_t i = 0; i < method->count; i++) {
        char *problem = read_parameter(api, &method->parameters[i], rv_clang->Cursor_getArgument(cursor, i),
                                       rv_clang->getArgType(type, i));
        if (method->object < 0 && method->parameters[i].kind == RV_PARAMETER_OBJECT && !problem)
            method->object = (int)i;
        if (!why)
            why = problem;
        else
            free(problem);
    }
    if (!why && rv_clang->isFunctionTypeVariadic(type)) why = rv_text_copy("it has variable arguments");
    if (!why && method->count > 8) why = rv_text_copy("it has more than 8 parameters");
    bool makes = is_object(api, result);
    if (makes && method->object < 0) method->role = RV_ROLE_CONSTRUCTOR;
    api->count++;
    if (!why && method->object < 0 && !makes) why = rv_text_format("it takes no %s *", api->type);
    if (why) rv_api_skip(api, api->count - 1, why);
}

/* ---- the file ---- */

/* The first errors, as the compiler says them; NULL: none. */
static char *errors_of(CXTranslationUnit unit) {
    struct rv_text text = {0};
    unsigned errors = 0;
    for (unsigned i = 0; i < rv_clang->getNumDiagnostics(unit) && errors < 3; i++) {
        CXDiagnostic diagnostic = rv_clang->getDiagnostic(unit, i);
        if (rv_clang->getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            char *words = text_of(rv_clang->formatDiagnostic(diagnostic, CXDiagnostic_DisplaySourceLocation |
                                                                             CXDiagnostic_DisplayColumn));
            rv_text_addf(&text, "%s%s", errors++ ? "\n" : "", words);
            free(words);
        }
        rv_clang->disposeDiagnostic(diagnostic);
    }
    return errors ? rv_text_take(&text) : NULL;
}

static bool read_unit(struct reading *reading, const char *wanted, char **error) {
    struct rv_api *api = reading->api;
    struct candidates all = {0};
    (void)rv_clang->visitChildren(rv_clang->getTranslationUnitCursor(reading->unit), note_declaration,
                                  reading);
    find_candidates(reading, &all);
    const struct candidate *chosen = choose(reading, &all, wanted, error);
    if (chosen) {
        api->type = rv_text_copy(chosen->spelling);
        api->short_name = rv_text_copy(short_name(chosen->spelling));
        api->complete = chosen->complete;
        for (unsigned i = 0; i < reading->functions.count; i++)
            read_function(api, reading->functions.items[i]);
    }
    for (unsigned i = 0; i < all.count; i++) free(all.items[i].spelling);
    free(all.items);
    free(reading->functions.items);
    return chosen != NULL;
}

bool rv_api_read(struct rv_api *api, const char *header, const char *type, char *const *arguments,
                 char **error) {
    *api = (struct rv_api){.header = rv_text_copy(header), .type = NULL};
    *error = NULL;
    if (!rv_clang_open()) {
        *error = rv_text_copy("libclang cannot be loaded; it is in Debian's package libclang-dev");
        return false;
    }
    size_t count = 0;
    while (arguments && arguments[count]) count++;
    const char **words = rv_text_alloc(count + 3, sizeof *words);
    words[0] = "-xc";
    words[1] = "-w";
    size_t used = 2;
    for (size_t i = 0; i < count; i++) {
        if (!rv_clang_matters(arguments[i])) continue;
        words[used++] = arguments[i];
        if (rv_clang_takes_value(arguments[i]) && arguments[i + 1]) words[used++] = arguments[++i];
    }
    CXIndex index = rv_clang->createIndex(0, 0);
    CXTranslationUnit unit = NULL;
    (void)rv_clang->parseTranslationUnit2(index, header, words, (int)used, NULL, 0, 0, &unit);
    *error = unit ? errors_of(unit) : rv_text_format("%s: cannot be parsed", header);
    if (!*error) {
        struct reading reading = {.api = api, .unit = unit, .file = rv_clang->getFile(unit, header)};
        (void)read_unit(&reading, type, error);
    }
    if (unit) rv_clang->disposeTranslationUnit(unit);
    rv_clang->disposeIndex(index);
    free(words);
    return !*error;
}
