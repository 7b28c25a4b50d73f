/* What a header offers to tests: a type, how its objects are made and destroyed, and what can be done with them. Read by
 * libclang (header.c), roles guessed from names, signatures and const-ness (guess.c), and put right by a file of the user's (spec.h).
 */
#ifndef RV_GENERATE_API_H
#define RV_GENERATE_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a number means as an argument; what the harness does with it is in harness.c. */
enum rv_parameter_kind {
    RV_PARAMETER_OBJECT,   /* T *: number of an object; -1: NULL */
    RV_PARAMETER_INTEGER,  /* itself; char and bool, too */
    RV_PARAMETER_ENUM,     /* itself, one of those that there are */
    RV_PARAMETER_FLOAT,    /* itself, in halves */
    RV_PARAMETER_STRING,   /* number in the pool; -1: NULL */
    RV_PARAMETER_INPUT,    /* const bytes or items: how many, of fixed contents; -1: NULL */
    RV_PARAMETER_OUTPUT,   /* room for bytes or items: how many; -1: NULL */
    RV_PARAMETER_LENGTH,   /* of the buffer before it (or after): itself */
    RV_PARAMETER_RESULT,   /* one thing that is written: 1; NULL: 0 */
    RV_PARAMETER_CALLBACK, /* number of a function of this type; -1: NULL */
    RV_PARAMETER_POINTER,  /* void *: number of an address that nobody looks at; -1: NULL */
};

struct rv_parameter {
    char *name; /* "" if it has none */
    char *type; /* as in C, canonical */
    char *item; /* what it points to, without const; "" if it is no pointer */
    enum rv_parameter_kind kind;
    bool is_const;  /* what it points to */
    bool is_signed; /* INTEGER, LENGTH */
    uint32_t bytes; /* of an INTEGER, or of an item */
    int length;     /* buffers: which parameter says how long; -1: none. LENGTH: of which */
    bool may_be_null;
    uint32_t callback;    /* CALLBACK: number in api.callbacks */
    int64_t *values;      /* ENUM: those there are; others: what the spec says */
    uint32_t value_count; /* 0: guessed */
};

enum rv_role { RV_ROLE_METHOD, RV_ROLE_CONSTRUCTOR, RV_ROLE_DESTRUCTOR, RV_ROLE_UNUSED };

enum rv_result_kind {
    RV_RESULT_NONE,
    RV_RESULT_INTEGER,
    RV_RESULT_FLOAT,
    RV_RESULT_POINTER, /* which of ours it is, or whether it is NULL */
    RV_RESULT_OPAQUE   /* not looked at */
};

struct rv_method {
    char *name;
    unsigned line; /* in the header */
    char *result;  /* type */
    enum rv_result_kind result_kind;
    enum rv_role role;
    bool initialises; /* CONSTRUCTOR: of an object whose memory is there; its first parameter is that */
    bool observes;    /* it looks at the object, and changes nothing as far as its name and type say */
    bool unsafe;      /* not for two threads at once (spec) */
    struct rv_parameter *parameters;
    uint32_t count;
    int object;      /* the parameter that it is a method of; -1: none */
    uint32_t *needs; /* methods that must have been called (spec) */
    uint32_t need_count;
};

/* A function type of callbacks. */
struct rv_callback {
    char *type;   /* canonical, of the pointer */
    char *result; /* type */
    char **types; /* of its parameters */
    uint32_t count;
    int object;  /* parameter that is a T *; -1: none */
    bool number; /* its result is one */
    bool pointer;
};

struct rv_skipped {
    char *name;
    unsigned line;
    char *why;
};

struct rv_api {
    char *header;              /* as given */
    char *type;                /* as declared in C: "lru", "struct axis" */
    char *short_name;          /* without struct */
    bool complete;             /* objects can be made of memory */
    struct rv_method *methods; /* constructors and the destructor among them */
    uint32_t count;
    struct rv_callback *callbacks;
    uint32_t callback_count;
    struct rv_skipped *skipped;
    uint32_t skipped_count;
    int64_t *constants; /* of enumerations in the header: likely limits */
    uint32_t constant_count;
    uint32_t objects; /* most that a test has */
    char **strings;   /* the pool */
    uint32_t string_count;
};

/* `arguments`: for the compiler, NULL-terminated. `type`: NULL, or which. False: *error is one line or more (malloc'ed), and
 * the header is at fault. */
bool rv_api_read(struct rv_api *api, const char *header, const char *type, char *const *arguments,
                 char **error);
void rv_api_free(struct rv_api *api);

/* What comes after reading. Roles and pairs of parameters, from names and types. */
void rv_api_guess(struct rv_api *api);
void rv_api_skip(struct rv_api *api, uint32_t method, char *why); /* takes the method out */

/* Methods by role; the number of a method, or -1. */
int rv_api_find(const struct rv_api *api, const char *name);
int rv_api_destructor(const struct rv_api *api);
bool rv_api_callable(const struct rv_method *method); /* by a thread of a test */

#endif
