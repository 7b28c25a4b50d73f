/* ravel-model: from LLVM bitcode to the static model (model/model.h has what comes out). A program of its own, so
 * that ravel needs no LLVM to run.
 *
 *   load.c      bitcode sections of a program and its libraries, linked into one module
 *   block.c     hashes of basic blocks, while the code is still as the source has it; then locals become values
 *   debug.c     names of variables and members, from debug information
 *   object.c    memory: objects, their fields, one number (location) for each
 *   build.c     the module's instructions as constraints on what points where
 *   foreign.c   what functions of the C library do with pointers
 *   solve.c     the least solution
 *   thread.c    who calls whom, which functions run in which threads, what escapes from a thread
 *   lock.c      locks certainly held
 *   access.c    variables, and the places that access them
 *   name.c      names of variables
 *   statement.c what is compared between two versions: parts of blocks, and what flows between them
 *   write.c     the text
 *
 * Points-to analysis is Andersen's, by inclusion: a node for each value and for the content of each location, a set of locations for
 * each node, edges along which sets flow. Locations are object and byte offset; arrays count as one element. What
 * is done to an address by arithmetic that cannot be followed makes all of the object one location.
 */
#ifndef RM_MODELLER_H
#define RM_MODELLER_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modeller/bits.h"
#include "modeller/map.h"

enum rm_object_kind {
    RM_GLOBAL,
    RM_FUNCTION,
    RM_STACK,
    RM_HEAP,
    RM_OUTSIDE, /* memory of others: one for what unknown functions have, one for each function that gives some */
    RM_ARGUMENTS, /* those behind a variable argument list */
    RM_PASSAGE,   /* what a memcpy carries from one side to the other */
};

struct rm_object {
    enum rm_object_kind kind;
    LLVMValueRef value;        /* the global, function, alloca or call; NULL: none */
    LLVMTypeRef type;          /* of the whole, or of an element of an array on the heap; NULL: not known */
    uint64_t size;             /* of the type, or of the block on the heap if known; 0: not known */
    const char *what;          /* how it is named if debug information has no name for it */
    LLVMMetadataRef described; /* its type in debug information */
    struct rm_field {
        uint64_t offset;
        uint32_t node;
    } * fields;
    uint32_t field_count, field_capacity;
    uint32_t base; /* the node of its first byte */
    bool named;    /* on the heap: by `what` alone */
    bool collapsed, array, own /* each thread has one of its own, until it escapes */, escaped;
    struct rm_list {
        uint32_t *items, count, capacity;
    } copies_in, copies_out; /* rm_copy */
};

struct rm_shift { /* dst contains src, moved by `offset`, and by any multiple of `stride` if that is not 0 */
    uint32_t target;
    int64_t offset;
    uint64_t stride;
};

struct rm_node {
    uint32_t same;   /* the node that stands for this one; itself */
    uint32_t object; /* whose content it is; RM_NONE: a value */
    uint64_t offset;
    struct rm_bits points;         /* locations: nodes of contents */
    struct rm_bits flown, applied; /* what of them has gone along edges; through what follows */
    struct rm_bits edges;          /* nodes that contain this one */
    struct rm_bits loads, stores;  /* nodes that contain what this points to; nodes that that contains */
    struct rm_shift *shifts;
    uint32_t shift_count, shift_capacity;
    struct rm_list calls;    /* rm_call that go where this points */
    struct rm_list passages; /* rm_passage */
};

struct rm_copy { /* bytes of one object to another one */
    uint32_t from, to;
    uint64_t from_offset, to_offset, size;
};

struct rm_passage {
    uint32_t object; /* of kind RM_PASSAGE */
    uint64_t size;
    bool in;
};

enum rm_call_kind { RM_CALL, RM_THREAD, RM_HANDLER, RM_CALLBACK };

struct rm_call { /* a call as far as it is about functions of the program */
    LLVMValueRef instruction;
    uint32_t caller; /* rm_function */
    enum rm_call_kind kind;
    uint32_t *arguments; /* nodes, RM_NONE: nothing that points */
    uint32_t argument_count;
    uint32_t result;        /* node or RM_NONE */
    struct rm_bits callees; /* rm_function */
    bool direct;
};

struct rm_function {
    LLVMValueRef value;
    const char *name;
    uint32_t object, result, rest; /* node of what it returns; object of its variable arguments or RM_NONE */
    bool defined, wrapper, recursive;
    struct rm_bits threads; /* rm_thread that may execute it */
    struct rm_bits calls;   /* rm_call in it */
    struct rm_bits callers; /* rm_call of it */
    uint32_t first_block, block_count;
    uint32_t number; /* in the text; RM_NONE: not there */
};

struct rm_thread {
    uint32_t function;
    bool many;
};

struct rm_block {
    LLVMBasicBlockRef block;
    uint64_t hash;
    uint32_t *lines, line_count;
};

struct rm_access {                   /* an instruction that accesses memory through a value */
    LLVMValueRef instruction, place; /* place: the address; NULL: several */
    uint32_t address;                /* its node */
    uint32_t function;
    unsigned kind; /* enum rv_model_kind */
    uint64_t size; /* 0: not known */
    bool range;    /* several things may lie there */
    struct rm_bits variables;
};

struct rm_variable {
    uint32_t object;
    uint64_t start, end;
    uint32_t number;                 /* in the text */
    struct rm_bits readers, writers; /* threads */
    bool shared, used;
    uint32_t joined; /* the variable that stands for this one; itself */
    uint32_t others; /* how many this one stands for, besides itself */
};

#define RM_ARRAY(type, name) \
    struct type *name##s;    \
    uint32_t name##_count, name##_capacity

struct rm {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    RM_ARRAY(rm_object, object);
    RM_ARRAY(rm_node, node);
    RM_ARRAY(rm_copy, transfer);
    RM_ARRAY(rm_passage, passage);
    RM_ARRAY(rm_call, call);
    RM_ARRAY(rm_function, function);
    RM_ARRAY(rm_thread, thread);
    RM_ARRAY(rm_block, block);
    RM_ARRAY(rm_access, use);
    RM_ARRAY(rm_variable, variable);
    struct rm_map values;       /* LLVMValueRef to node */
    struct rm_map functions_of; /* LLVMValueRef to rm_function */
    struct rm_map blocks_of;    /* LLVMBasicBlockRef to rm_block */
    struct rm_map objects_of;   /* LLVMValueRef to object */
    struct rm_map fields;       /* object + 1, offset as asked for, to node */
    struct rm_map copies_of;    /* so that none is there twice */
    struct rm_map call_of;      /* instruction to rm_call */
    struct rm_map leaf_of;      /* call whose result the function returns that it is in, to rm_function */
    char **unsure;
    uint32_t unsure_count, unsure_capacity;
    struct rm_map unsure_known, foreign_known;
    uint32_t outside;                          /* object */
    uint32_t joined, specific, thrown, mapped; /* nodes: what threads return, what keys hold, what is thrown,
                                                 * what mmap gave */
    uint32_t main_function;                    /* or RM_NONE: a library */
    bool changed;                              /* while solving */
    bool missing;                              /* some source has no bitcode */
};

/* One more, zeroed. */
#define RM_ADD(rm, name)                                                                            \
    ((rm)->name##_count == (rm)->name##_capacity                                                    \
         ? (void)((rm)->name##_capacity = (rm)->name##_capacity ? (rm)->name##_capacity * 2 : 64,   \
                  (rm)->name##s =                                                                   \
                      rv_text_realloc((rm)->name##s, (rm)->name##_capacity, sizeof *(rm)->name##s)) \
         : (void)0,                                                                                 \
     memset(&(rm)->name##s[(rm)->name##_count], 0, sizeof *(rm)->name##s), (rm)->name##_count++)

void rm_list_add(struct rm_list *list, uint32_t item);
/* Once for each text. */
void rm_unsure(struct rm *rm, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* load.c: false: a message was written to standard error. */
bool rm_load(struct rm *rm, char **paths, int count);

/* block.c */
void rm_hash_blocks(struct rm *rm);
uint64_t rm_hash_initial(LLVMValueRef global); /* of what it begins with */

/* statement.c */
void rm_statement_take(struct rm *rm, LLVMValueRef instruction, uint64_t hash, uint64_t loose,
                       const struct rm_list *locals); /* in the order of the code; of the next block */
void rm_statements_connect(struct rm *rm);            /* while locals are in memory still */
void rm_statement_site(LLVMValueRef instruction, uint32_t site);
void rm_statement_sync(LLVMValueRef instruction, uint32_t sync);
void rm_write_statements(struct rm *rm, FILE *output);

/* debug.c */
void rm_debug_collect(struct rm *rm);
LLVMMetadataRef rm_debug_of_struct(const char *ir_name, uint64_t size); /* NULL: none, or several */
LLVMMetadataRef rm_debug_of_local(LLVMValueRef alloca_, const char **name);
LLVMMetadataRef rm_debug_of_global(LLVMValueRef global, const char **name);
/* ".head", "[].next", "" ...; malloc'ed. `array`: begin with the elements of an array of this type. */
char *rm_debug_path(LLVMMetadataRef type, uint64_t offset, uint64_t size);
/* Path malloc'ed, or NULL: no position. */
char *rm_debug_place(LLVMValueRef value, uint32_t *line, uint32_t *column);
const char *rm_debug_of_function(LLVMValueRef function); /* its name in the source, or NULL */
char *rm_where(LLVMValueRef value);                      /* "a.c:12", malloc'ed */

/* object.c */
uint32_t rm_object_new(struct rm *rm, enum rm_object_kind kind, LLVMValueRef value, LLVMTypeRef type,
                       const char *what);
uint64_t rm_size_of(struct rm *rm, LLVMTypeRef type); /* 0: it has none */
/* The node of what is at this offset; makes it. */
uint32_t rm_field(struct rm *rm, uint32_t object, int64_t offset);
void rm_collapse(struct rm *rm, uint32_t object);
uint64_t rm_normal_offset(struct rm *rm, const struct rm_object *object, int64_t offset);
/* The array that the offset is in, of those in one another the outermost (size: of all of it) or the one whose elements are
 * a divisor of stride; false: none. */
bool rm_array_at(struct rm *rm, const struct rm_object *object, uint64_t offset, uint64_t stride,
                 uint64_t *start, uint64_t *element, uint64_t *size);
/* Size of the array of bytes that the offset is in, a member of a struct and not its first one (or that, too); 0: it is in none. What
 * is copied from there is taken to be text and to end there, however long it may be. */
uint64_t rm_text_at(struct rm *rm, const struct rm_object *object, uint64_t offset, bool first);
void rm_copy_object(struct rm *rm, uint32_t from, uint64_t from_offset, uint32_t to, uint64_t to_offset,
                    uint64_t size);

/* name.c: both malloc'ed */
char *rm_variable_name(struct rm *rm, const struct rm_variable *variable);
char *rm_function_name(LLVMValueRef function);

/* solve.c */
uint32_t rm_node_new(struct rm *rm);
uint32_t rm_find(struct rm *rm, uint32_t node);
void rm_merge(struct rm *rm, uint32_t a, uint32_t b);
void rm_edge(struct rm *rm, uint32_t from, uint32_t to);
void rm_point(struct rm *rm, uint32_t node, uint32_t location);
void rm_load_from(struct rm *rm, uint32_t address, uint32_t to);
void rm_store_to(struct rm *rm, uint32_t address, uint32_t from);
void rm_shift(struct rm *rm, uint32_t from, uint32_t to, int64_t offset, uint64_t stride);
void rm_passage(struct rm *rm, uint32_t address, uint32_t object, uint64_t size, bool in);
void rm_call_through(struct rm *rm, uint32_t address, uint32_t call);
void rm_solve(struct rm *rm);
const struct rm_bits *rm_points(struct rm *rm, uint32_t node);

/* build.c */
void rm_build(struct rm *rm);
uint32_t rm_value(struct rm *rm, LLVMValueRef value); /* its node; RM_NONE: points nowhere */
uint32_t rm_call_new(struct rm *rm, LLVMValueRef instruction, uint32_t caller, enum rm_call_kind kind);
void rm_connect(struct rm *rm, uint32_t call, uint32_t function); /* the call may be of this function */
/* The address that this one is a fixed number of bytes behind. */
LLVMValueRef rm_strip(struct rm *rm, LLVMValueRef address, int64_t *offset);
LLVMValueRef rm_callee(LLVMValueRef call); /* the function called, without casts; or what is called */
bool rm_is_call(LLVMValueRef instruction);
void rm_fresh_memory(struct rm *rm, LLVMValueRef call, uint32_t function, const char *what);

/* foreign.c, foreign_table.c: a function without a body, called. Constraints; accesses are made of rm_foreign_use. */
const char *rm_foreign_name(const char *name, char *room,
                            size_t size); /* without the parts that only say how it was compiled */
void rm_foreign_call(struct rm *rm, LLVMValueRef call, LLVMValueRef function, uint32_t caller);
bool rm_foreign_gives_memory(const char *name);
/* 'r', 'w', 'u': the function accesses what this argument points to, '.': it does not. *size: how much, 0: not known. */
char rm_foreign_use(LLVMValueRef call, LLVMValueRef function, unsigned argument, uint64_t *size);
/* The word of a call that synchronises, or NULL; *object is its argument with the lock, or -1. */
const char *rm_foreign_sync(const char *name, int *object);

/* thread.c, lock.c, access.c, write.c */
void rm_find_threads(struct rm *rm);
void rm_find_escaping(struct rm *rm);
void rm_find_accesses(struct rm *rm);
/* How long an array of bytes is from where the address is taken: what a function of the C library gets does not go beyond. 0: unknown. */
uint64_t rm_bytes_behind(LLVMValueRef address);
uint32_t rm_variable_at(struct rm *rm, uint32_t location); /* RM_NONE: it is none */
void rm_find_locks(struct rm *rm);
bool rm_location_is_single(struct rm *rm,
                           uint32_t location); /* means one place in memory while the program runs */
/* Locks held for certain before the instruction, into *held: those with one place in memory (locations), and others. */
void rm_locks_at(struct rm *rm, LLVMValueRef instruction, uint32_t function, struct rm_bits *held);
/* Of these, for an access of a variable: the former, and those that lie in the same object as what is accessed. */
void rm_locks_of(struct rm *rm, const struct rm_bits *held, const struct rm_access *access,
                 const struct rm_variable *variable, struct rm_bits *locations);
bool rm_in_cycle(struct rm *rm, LLVMBasicBlockRef block);
void rm_write(struct rm *rm, FILE *output);

#endif
