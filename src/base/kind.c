#include "base/kind.h"

#include <string.h>

const char *const rv_kind_names[RV_KIND_COUNT] = {
#define RV_KIND_TEXT(id, text) text,
    RV_KINDS(RV_KIND_TEXT)
#undef RV_KIND_TEXT
};

enum rv_kind rv_kind_from_name(const char *name) {
    unsigned kind = 0;
    while (kind < RV_KIND_COUNT && strcmp(rv_kind_names[kind], name) != 0) kind++;
    return (enum rv_kind)kind;
}
