#include "base/op.h"

#include <string.h>

const char *const rv_op_names[RV_OP_COUNT] = {
#define RV_OP_TEXT(id, text, flags) text,
    RV_OPS(RV_OP_TEXT)
#undef RV_OP_TEXT
};

const uint16_t rv_op_flags[RV_OP_COUNT] = {
#define RV_OP_FLAG(id, text, flags) flags,
    RV_OPS(RV_OP_FLAG)
#undef RV_OP_FLAG
};

enum rv_op rv_op_from_name(const char *name) {
    unsigned op = 0;
    while (op < RV_OP_COUNT && strcmp(rv_op_names[op], name) != 0) op++;
    return (enum rv_op)op;
}
