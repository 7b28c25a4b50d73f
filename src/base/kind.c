#include "base/kind.h"

#include <signal.h>
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

enum rv_kind rv_kind_of_signal(int number) {
    switch (number) {
    case SIGSEGV: return RV_KIND_SEGV;
    case SIGABRT: return RV_KIND_ABORT;
    case SIGFPE: return RV_KIND_FPE;
    case SIGBUS: return RV_KIND_BUS;
    case SIGILL: return RV_KIND_ILL;
    case SIGTRAP: return RV_KIND_TRAP;
    case SIGSYS: return RV_KIND_SYS;
    default: return RV_KIND_SIGNAL;
    }
}
