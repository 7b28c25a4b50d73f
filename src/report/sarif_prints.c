/* Fingerprints by which a code-review system knows a find again after the program has changed: of names rather than lines,
 * and the same whichever side came first. */
#include <stdlib.h>
#include <string.h>

#include "report/json_parts.h"
#include "report/printer.h"
#include "report/sarif_parts.h"

enum { PARTS_MAX = 16 }; /* threads of a deadlock that count */

struct parts {
    char *texts[PARTS_MAX];
    unsigned count;
};

/* Without line numbers: "struct node.next (heap block from push() queue.c)". */
static void add_name(struct rv_text *text, const char *name) {
    while (*name) {
        size_t size = strcspn(name, ":"), digits = name[size] ? strspn(name + size + 1, "0123456789") : 0;
        size_t kept = size + (name[size] && digits == 0);
        rv_text_add_n(text, name, kept);
        name += digits ? size + 1 + digits : kept;
    }
    rv_text_add(text, "\n");
}

static void add_place(struct rv_text *text, const struct rv_stack_text *stack, bool with_source) {
    const struct rv_location *at = rv_stack_place(stack);
    rv_text_addf(text, "%s\n", at ? at->function : "");
    if (with_source) rv_text_addf(text, "%s\n", at ? at->source : "");
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Hexadecimal FNV-1a of the text, then of the parts in their order by text; frees all. */
static json_t *fingerprint(struct rv_text *text, struct parts *parts) {
    uint64_t hash = 0xcbf29ce484222325;
    if (parts->count) qsort(parts->texts, parts->count, sizeof *parts->texts, by_text);
    for (unsigned i = 0; i < parts->count; i++) {
        rv_text_add(text, parts->texts[i]);
        free(parts->texts[i]);
    }
    for (size_t i = 0; i < text->size; i++) hash = (hash ^ (unsigned char)text->data[i]) * 0x100000001b3;
    free(text->data);
    char *hex = rv_text_format("%016llx", (unsigned long long)hash);
    json_t *value = json_string(hex);
    free(hex);
    return value;
}

static json_t *of_race(const struct rv_race_text *race, bool with_source) {
    const struct rv_race_side *const sides[] = {&race->first, &race->second};
    struct rv_text text = {0};
    struct parts parts = {0};
    rv_text_add(&text, "race\n");
    add_name(&text, race->variable);
    for (unsigned i = 0; i < 2; i++) {
        struct rv_text side = {0};
        rv_text_addf(&side, "%s\n", rv_race_kind_name(sides[i]));
        add_place(&side, &sides[i]->stack, with_source);
        parts.texts[parts.count++] = rv_text_take(&side);
    }
    return fingerprint(&text, &parts);
}

static json_t *of_deadlock(const struct rv_deadlock_text *deadlock, bool with_source) {
    struct rv_text text = {0};
    struct parts parts = {0};
    rv_text_addf(&text, "deadlock %u\n", deadlock->wait_count);
    for (unsigned i = 0; i < deadlock->wait_count && i < PARTS_MAX; i++) {
        const struct rv_deadlock_wait *wait = &deadlock->waits[i];
        struct rv_text part = {0};
        add_name(&part, wait->held);
        add_name(&part, wait->wanted);
        add_place(&part, &wait->held_at, with_source);
        add_place(&part, &wait->wanted_at, with_source);
        parts.texts[parts.count++] = rv_text_take(&part);
    }
    return fingerprint(&text, &parts);
}

static json_t *all(json_t *names, json_t *text, uint64_t signature) {
    json_t *object = json_object();
    char *hex = rv_text_format("%016llx", (unsigned long long)signature);
    json_object_set_new(object, "names/v1", names);
    json_object_set_new(object, "text/v1", text);
    json_object_set_new(object, "signature/v1", json_string(hex));
    free(hex);
    return object;
}

json_t *rv_sarif_race_prints(const struct rv_race_text *race) {
    return all(of_race(race, false), of_race(race, true), race->signature);
}

json_t *rv_sarif_deadlock_prints(const struct rv_deadlock_text *deadlock) {
    return all(of_deadlock(deadlock, false), of_deadlock(deadlock, true), deadlock->signature);
}
