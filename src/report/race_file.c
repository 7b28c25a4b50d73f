#include "report/race_file.h"

#include <stdlib.h>
#include <string.h>

#include "report/failure_fields.h"
#include "report/failure_format.h"
#include "report/owned.h"

#define PREFIX "race-" /* of all keywords but the first line's: they do not depend on the lines before */

/* --- writing --- */

static void add_side(struct rv_text *out, const char *keyword, const struct rv_race_side *side) {
    rv_text_addf(out, "  " PREFIX "%s %u ", keyword, side->thread.id);
    rv_field_add_quoted(out, side->thread.name);
    rv_text_add(out, " ");
    rv_field_add_thread(out, side->thread.creator);
    rv_text_addf(out, " \"%s\" \"%s\" %llu\n", rv_race_kind_name(side), rv_race_order_name(side),
                 (unsigned long long)side->size);
    rv_field_add_stack(out, "    " PREFIX "frame", &side->stack);
    rv_field_add_stack(out, "    " PREFIX "created", &side->thread.created);
    for (unsigned i = 0; i < side->held_count; i++) {
        rv_text_add(out, "    " PREFIX "held ");
        rv_field_add_quoted(out, side->held[i].object);
        rv_text_add(out, "\n");
        rv_field_add_stack(out, "      " PREFIX "acquired", &side->held[i].acquired);
    }
}

void rv_race_add_text(struct rv_text *out, const struct rv_race_text *race) {
    rv_text_addf(out, "race \"%s\" %d %d 0x%llx %llu %u ", rv_race_status_names[race->status],
                 race->predicted, race->standing, (unsigned long long)race->signature,
                 (unsigned long long)race->count, race->tries);
    rv_field_add_quoted(out, race->variable);
    rv_text_add(out, " ");
    rv_field_add_quoted(out, race->why);
    rv_text_add(out, "\n");
    add_side(out, "first", &race->first);
    add_side(out, "second", &race->second);
    if (race->block) rv_field_add_block(out, "  " PREFIX, race->block);
    if (!*race->harm && !*race->harm_file) return;
    rv_text_add(out, "  " PREFIX "harm ");
    rv_field_add_quoted(out, race->harm);
    rv_text_add(out, " ");
    rv_field_add_quoted(out, race->harm_file);
    rv_text_add(out, "\n");
}

/* --- reading --- */

/* A quoted text that is one of the names; what it is, or `count` with an error. */
static unsigned read_name(struct rv_scan *scan, const char *const *names, unsigned count, const char *what) {
    char *name;
    unsigned found = 0;
    if (!rv_scan_text(scan, &name, what)) return count;
    while (found < count && strcmp(names[found], name) != 0) found++;
    if (found == count) rv_scan_error(scan, "expected %s, not \"%.40s\"", what, name);
    free(name);
    return found;
}

static bool read_status(struct rv_scan *scan, struct rv_race_text *race) {
    unsigned status = read_name(scan, rv_race_status_names, RV_RACE_STATUS_COUNT, "the status of a race");
    uint64_t predicted = 0, standing = 0;
    if (scan->error || !rv_scan_number(scan, &predicted, 1, "0 or 1") ||
        !rv_scan_number(scan, &standing, 1, "0 or 1"))
        return false;
    race->status = (enum rv_race_status)status;
    race->predicted = predicted != 0;
    race->standing = standing != 0;
    return true;
}

static bool read_race(struct rv_race_reader *reader) {
    struct rv_scan *scan = reader->scan;
    if (*reader->race) return rv_scan_error(scan, "race a second time");
    struct rv_race_text *race = *reader->race = rv_text_alloc(1, sizeof *race);
    rv_race_complete(race);
    return read_status(scan, race) && rv_scan_number(scan, &race->signature, UINT64_MAX, "a signature") &&
           rv_scan_number(scan, &race->count, UINT64_MAX, "a count") &&
           rv_field_u32(scan, &race->tries, UINT32_MAX, "a number of tries") &&
           rv_field_text(scan, &race->variable, "a variable") && rv_field_text(scan, &race->why, "a reason");
}

/* Atomic accesses have an order, others have none. */
static bool read_access(struct rv_scan *scan, struct rv_race_side *side) {
    unsigned kind = read_name(scan, rv_race_kind_names, RV_RACE_KINDS, "a kind of access"), order = 0;
    if (scan->error) return false;
    side->kind = (uint8_t)kind;
    if (rv_step_is_atomic(kind)) {
        order = read_name(scan, rv_race_order_names, RV_RACE_ORDERS, "a memory order");
    } else {
        static const char *const none[] = {""};
        read_name(scan, none, 1, "no memory order (\"\")");
    }
    if (scan->error) return false;
    side->order = (uint8_t)order;
    return rv_scan_number(scan, &side->size, UINT64_MAX, "a size");
}

static bool read_side(struct rv_race_reader *reader, struct rv_race_side *side) {
    struct rv_scan *scan = reader->scan;
    reader->side = side;
    return rv_field_u32(scan, &side->thread.id, UINT32_MAX - 1, "a thread's number") &&
           rv_field_text(scan, &side->thread.name, "a name") &&
           rv_field_thread(scan, &side->thread.creator) && read_access(scan, side);
}

static bool read_first(struct rv_race_reader *reader) {
    if (reader->first_seen) return rv_scan_error(reader->scan, PREFIX "first a second time");
    reader->first_seen = true;
    return read_side(reader, &(*reader->race)->first);
}

static bool read_second(struct rv_race_reader *reader) {
    if (reader->second_seen) return rv_scan_error(reader->scan, PREFIX "second a second time");
    reader->second_seen = true;
    return read_side(reader, &(*reader->race)->second);
}

static bool read_frame(struct rv_race_reader *reader) {
    return rv_field_frame(reader->scan, &reader->side->stack);
}

static bool read_created(struct rv_race_reader *reader) {
    return rv_field_frame(reader->scan, &reader->side->thread.created);
}

static bool read_held(struct rv_race_reader *reader) {
    struct rv_race_side *side = reader->side;
    void *bigger =
        rv_field_grow(reader->scan, side->held, side->held_count, sizeof *side->held, RV_FILE_HELD, "locks");
    if (!bigger) return false;
    side->held = bigger;
    struct rv_lock_text *lock = &side->held[side->held_count++];
    lock->object = rv_text_copy("");
    return rv_field_text(reader->scan, &lock->object, "an object");
}

static bool read_acquired(struct rv_race_reader *reader) {
    struct rv_race_side *side = reader->side;
    if (!side->held_count)
        return rv_scan_error(reader->scan, "\"" PREFIX "acquired\" belongs to a held lock");
    return rv_field_frame(reader->scan, &side->held[side->held_count - 1].acquired);
}

static bool read_block(struct rv_race_reader *reader) {
    struct rv_race_text *race = *reader->race;
    if (race->block) return rv_scan_error(reader->scan, PREFIX "block a second time");
    return rv_field_block(reader->scan, &race->block);
}

static bool read_allocated(struct rv_race_reader *reader) {
    struct rv_block_text *block = (*reader->race)->block;
    if (!block) return rv_scan_error(reader->scan, "\"" PREFIX "allocated\" belongs to a block");
    return rv_field_frame(reader->scan, &block->allocated);
}

static bool read_released(struct rv_race_reader *reader) {
    struct rv_block_text *block = (*reader->race)->block;
    if (!block) return rv_scan_error(reader->scan, "\"" PREFIX "released\" belongs to a block");
    return rv_field_frame(reader->scan, &block->released);
}

static bool read_harm(struct rv_race_reader *reader) {
    struct rv_race_text *race = *reader->race;
    if (*race->harm || *race->harm_file) return rv_scan_error(reader->scan, PREFIX "harm a second time");
    return rv_field_text(reader->scan, &race->harm, "a harm") &&
           rv_field_text(reader->scan, &race->harm_file, "a file");
}

enum owner { NOBODY, RACE, SIDE };

static const struct {
    const char *keyword;
    bool (*read)(struct rv_race_reader *reader);
    enum owner owner; /* what must have come before */
} lines[] = {
    {"race", read_race, NOBODY},
    {PREFIX "first", read_first, RACE},
    {PREFIX "second", read_second, RACE},
    {PREFIX "frame", read_frame, SIDE},
    {PREFIX "created", read_created, SIDE},
    {PREFIX "held", read_held, SIDE},
    {PREFIX "acquired", read_acquired, SIDE},
    {PREFIX "block", read_block, RACE},
    {PREFIX "allocated", read_allocated, RACE},
    {PREFIX "released", read_released, RACE},
    {PREFIX "harm", read_harm, RACE},
};
enum { LINES = sizeof lines / sizeof lines[0] };

static unsigned find_line(const char *keyword, size_t size) {
    unsigned i = 0;
    while (i < LINES && (strlen(lines[i].keyword) != size || memcmp(lines[i].keyword, keyword, size) != 0))
        i++;
    return i;
}

bool rv_race_is_line(const char *keyword, size_t size) { return find_line(keyword, size) < LINES; }

bool rv_race_read_line(struct rv_race_reader *reader, const char *keyword, size_t size) {
    unsigned i = find_line(keyword, size);
    if (lines[i].owner >= RACE && !*reader->race)
        return rv_scan_error(reader->scan, "\"%s\" belongs to a race", lines[i].keyword);
    if (lines[i].owner == SIDE && !reader->side)
        return rv_scan_error(reader->scan, "\"%s\" belongs to a side of a race", lines[i].keyword);
    return lines[i].read(reader);
}

bool rv_race_read_end(struct rv_race_reader *reader) {
    if (!*reader->race) return true;
    if (!reader->first_seen) return rv_scan_error(reader->scan, "there is no \"" PREFIX "first\" line");
    if (!reader->second_seen) return rv_scan_error(reader->scan, "there is no \"" PREFIX "second\" line");
    return true;
}
