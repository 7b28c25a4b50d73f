/* libclang, opened when it is wanted: only `ravel migrate` and `ravel generate` need it, and no other command shall need it, or start slower
 * because of it. The functions are used as rv_clang->getCursorKind(cursor) and so on. */
#ifndef RV_MIGRATE_CLANG_H
#define RV_MIGRATE_CLANG_H

#include <clang-c/Index.h>
#include <stdbool.h>

#define RV_CLANG_FUNCTIONS(X)       \
    X(createIndex)                  \
    X(disposeIndex)                 \
    X(parseTranslationUnit2)        \
    X(disposeTranslationUnit)       \
    X(getTranslationUnitCursor)     \
    X(getNumDiagnostics)            \
    X(getDiagnostic)                \
    X(getDiagnosticSeverity)        \
    X(formatDiagnostic)             \
    X(disposeDiagnostic)            \
    X(visitChildren)                \
    X(getCursorKind)                \
    X(getCursorSpelling)            \
    X(getCursorReferenced)          \
    X(getCursorLocation)            \
    X(getCursorExtent)              \
    X(getCursorType)                \
    X(getCursorResultType)          \
    X(getCanonicalType)             \
    X(getTypeSpelling)              \
    X(getCursorSemanticParent)      \
    X(isCursorDefinition)           \
    X(equalCursors)                 \
    X(hashCursor)                   \
    X(isExpression)                 \
    X(isStatement)                  \
    X(isInvalid)                    \
    X(getRangeStart)                \
    X(getRangeEnd)                  \
    X(getFileLocation)              \
    X(getSpellingLocation)          \
    X(getFile)                      \
    X(File_isEqual)                 \
    X(getCString)                   \
    X(disposeString)                \
    X(Cursor_Evaluate)              \
    X(EvalResult_getKind)           \
    X(EvalResult_getAsLongLong)     \
    X(EvalResult_dispose)           \
    X(Cursor_getStorageClass)       \
    X(Cursor_getNumArguments)       \
    X(Cursor_getArgument)           \
    X(getPointeeType)               \
    X(isConstQualifiedType)         \
    X(isFunctionTypeVariadic)       \
    X(getResultType)                \
    X(getNumArgTypes)               \
    X(getArgType)                   \
    X(getTypeDeclaration)           \
    X(getEnumConstantDeclValue)     \
    X(getTypedefDeclUnderlyingType) \
    X(Type_getSizeOf)

struct rv_clang {
#define RV_CLANG_MEMBER(name) __typeof__(clang_##name) *name;
    RV_CLANG_FUNCTIONS(RV_CLANG_MEMBER)
#undef RV_CLANG_MEMBER
};

/* The functions; NULL if the library is not there or has not all of them. Stays open. */
extern const struct rv_clang *rv_clang;
const struct rv_clang *rv_clang_open(void);

/* Of a compiler's words: whether it decides how the text reads (others may be unknown to libclang), and whether the next word
 * belongs to it. */
bool rv_clang_matters(const char *word);
bool rv_clang_takes_value(const char *word);

#endif
