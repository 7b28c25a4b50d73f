/* The words for one event, short enough for a lane: what a reader knows anyway is left out. Types lose their
 * `struct`, objects lose where they were allocated (that is said once, below the lanes), addresses become
 * letters. */
#include <stdlib.h>
#include <string.h>

#include "report/lanes.h"

static const struct {
    enum rv_op op;
    const char *name;
} terse_names[] = {
    {RV_OP_ATOMIC_LOAD, "load"},       {RV_OP_ATOMIC_STORE, "store"}, {RV_OP_ATOMIC_RMW, "update"},
    {RV_OP_ATOMIC_CAS, "exchange"},    {RV_OP_RWUNLOCK, "unlock"},    {RV_OP_SEM_WAIT, "sem wait"},
    {RV_OP_SEM_TIMEDWAIT, "sem wait"}, {RV_OP_SEM_POST, "sem post"},  {RV_OP_SEM_TRYWAIT, "sem trywait"},
    {RV_OP_SPINLOCK, "lock"},          {RV_OP_SPINUNLOCK, "unlock"},
};

static const char *op_name(enum rv_op op, bool terse) {
    for (size_t i = 0; terse && i < sizeof terse_names / sizeof terse_names[0]; i++) {
        if (terse_names[i].op == op) return terse_names[i].name;
    }
    return rv_op_names[op];
}

static const char *without_prefix(const char *name) {
    static const char *const prefixes[] = {"struct ", "union ", "class "};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return name + strlen(prefixes[i]);
    }
    return name;
}

/* "struct node.next #2 (heap block from ...)" becomes "node.next #2"; "heap block #2 of 24 bytes from f() a.c:1,
 * +8" becomes "heap block #2, +8". */
static char *short_object(const char *object) {
    const char *name = without_prefix(object), *end = strstr(name, " (");
    static const char plain[] = "heap block";
    const char *size = strstr(name, " of "), *offset = strrchr(name, ',');
    if (strncmp(name, plain, strlen(plain)) == 0 && size && offset && offset > size)
        return rv_text_format("%.*s%s", (int)(size - name), name, strcmp(offset, ", +0") == 0 ? "" : offset);
    return rv_text_copy_n(name, end ? (size_t)(end - name) : strlen(name));
}

/* A block as a whole: "node.next #2" becomes "node #2". */
static void cut_path(char *object) {
    char *path = object + strcspn(object, ".["), *ordinal = strstr(object, " #");
    if (ordinal && ordinal > path)
        memmove(path, ordinal, strlen(ordinal) + 1);
    else if (!ordinal)
        *path = '\0';
}

static bool is_address(uint64_t value) { return value >> 32 != 0 && value >> 47 == 0; }

static void add_pointer(struct rv_text *text, struct rv_lane_pointers *pointers, uint64_t value, bool terse) {
    unsigned i = 0;
    while (i < pointers->count && pointers->values[i] != value) i++;
    if (i == pointers->count && i < RV_POINTERS) pointers->values[pointers->count++] = value;
    rv_text_add(text, terse ? " = ptr" : " = pointer");
    if (i < RV_POINTERS) rv_text_addf(text, " %c", 'A' + (int)i);
}

static void add_value(struct rv_text *text, const struct rv_trace_event *event,
                      struct rv_lane_pointers *pointers, bool terse) {
    if (!(event->flags & RV_EVENT_VALUE) || !(rv_op_flags[event->op] & RV_OPF_MEMORY) ||
        event->op == RV_OP_FREE)
        return;
    uint64_t value = event->value;
    if (event->size == 4)
        rv_text_addf(text, " = %d", (int32_t)value);
    else if (event->size == 8 && is_address(value))
        add_pointer(text, pointers, value, terse);
    else if (event->size == 8)
        rv_text_addf(text, " = %lld", (long long)value);
    else if (event->size <= 2)
        rv_text_addf(text, " = %llu", (unsigned long long)value);
}

static struct rv_lane_words begin(struct rv_text *text, const char *head, const char *object) {
    struct rv_lane_words words;
    rv_text_add(text, head);
    if (*object) rv_text_add(text, " ");
    words.from = text->size;
    rv_text_add(text, object);
    words.to = text->size;
    return words;
}

struct rv_lane_words rv_lane_event(const struct rv_trace_event *event, struct rv_lane_pointers *pointers,
                                   bool terse) {
    struct rv_text text = {0};
    char *object = short_object(event->object);
    if (event->op == RV_OP_FREE || event->op == RV_OP_MALLOC) cut_path(object);
    struct rv_lane_words words = begin(&text, op_name(event->op, terse), object);
    add_value(&text, event, pointers, terse);
    if (event->flags & RV_EVENT_TIMEOUT)
        rv_text_add(&text, " (time-out)");
    else if (event->flags & RV_EVENT_FAILED)
        rv_text_add(&text, " (fails)");
    free(object);
    words.text = rv_text_take(&text);
    return words;
}

static const char *race_verb(const struct rv_race_side *side, bool terse) {
    static const char *const verbs[RV_RACE_KINDS][2] = {
        {"about to read", "next: read"},     {"about to write", "next: write"},
        {"about to load", "next: load"},     {"about to store", "next: store"},
        {"about to update", "next: update"}, {"about to free", "next: free"}};
    return verbs[side->kind][terse];
}

struct rv_lane_words rv_lane_last_word(const struct rv_failure *failure, const struct rv_thread_text *thread,
                                       bool terse) {
    struct rv_text text = {0};
    struct rv_lane_words words;
    const struct rv_race_side *side = rv_lane_race_side(failure, thread->id);
    char *object = short_object(side ? failure->race->variable : thread->object);
    bool spins = strncmp(thread->state, "spinning", 8) == 0;
    if (side && side->kind == RV_STEP_FREE) cut_path(object);
    if (side)
        words = begin(&text, race_verb(side, terse), object);
    else if (thread->id == failure->thread && !rv_thread_blocked(thread))
        words = begin(&text, "FAILS", "");
    else if (thread->op == RV_OP_EVENT)
        words = begin(&text, terse ? "held:" : "held before", object);
    else if (!*object)
        words = begin(&text, spins ? "spins in" : "waits in", rv_op_names[thread->op]);
    else if (terse)
        words = begin(&text, spins ? "spins:" : "waits:", object);
    else
        words = begin(&text, spins ? "spins on" : "waits for", object);
    free(object);
    words.text = rv_text_take(&text);
    return words;
}
