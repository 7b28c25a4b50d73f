/* Whether an abort() is the end of std::terminate, and what exception led there. */
#ifndef RV_RUNTIME_HOOKS_UNCAUGHT_H
#define RV_RUNTIME_HOOKS_UNCAUGHT_H

#include <stddef.h>
#include <stdint.h>

enum rv_uncaught {
    RV_UNCAUGHT_NOT,       /* an ordinary abort() */
    RV_UNCAUGHT_TERMINATE, /* std::terminate, with no exception under way (a joinable std::thread destroyed ...) */
    RV_UNCAUGHT_EXCEPTION, /* an exception that nobody caught: described in `text` */
};
/* *site: where abort was called from; becomes where the program threw or called, if that can be found. */
enum rv_uncaught rv_uncaught_describe(uintptr_t *site, char *text, size_t size);

#endif
