#include "supervisor/trace_text.h"

#include <stdlib.h>
#include <string.h>

#include "report/printer.h"
#include "report/text.h"

uint64_t rv_trace_count(const struct rv_area *area) {
    uint64_t count = area->outcome.event_count;
    return count < RV_MAX_EVENTS ? count : RV_MAX_EVENTS;
}

bool rv_event_same(const struct rv_event *a, const struct rv_event *b) {
    return a->thread == b->thread && a->op == b->op && a->site == b->site && a->step == b->step &&
           a->size == b->size && a->flags == b->flags && a->block == b->block && a->offset == b->offset;
}

uint64_t rv_trace_parting(const struct rv_event *a, uint64_t a_count, const struct rv_event *b,
                          uint64_t b_count) {
    uint64_t both = a_count < b_count ? a_count : b_count;
    for (uint64_t i = 0; i < both; i++)
        if (!rv_event_same(&a[i], &b[i])) return i;
    return a_count == b_count ? UINT64_MAX : both;
}

static const struct rv_block_report *find_block(const struct rv_area *area, uint32_t number) {
    uint32_t count = area->outcome.block_count < RV_MAX_BLOCKS ? area->outcome.block_count : RV_MAX_BLOCKS;
    for (uint32_t i = 0; number && i < count; i++)
        if (area->blocks[i].number == number) return &area->blocks[i];
    return NULL;
}

static char *event_name(const struct rv_area *area, uint64_t number) {
    if (number == 0 || number > RV_MAX_EVENT_NAMES || number > area->event_name_count)
        return rv_text_copy("");
    return rv_text_format(" %.*s", RV_EVENT_NAME - 1, area->event_names[number - 1]);
}

/* "" if the operation is about nothing that has a name. */
static char *object_text(struct rv_symboliser *symbols, const struct rv_area *area,
                         const struct rv_event *event, uint16_t flags) {
    if (event->op == RV_OP_EVENT) return event_name(area, event->value);
    if (flags & RV_OPF_IO) return rv_text_format(" of descriptor %llu", (unsigned long long)event->address);
    if (event->address == 0) return rv_text_copy("");
    if (event->address < 4096 && !(flags & RV_OPF_MEMORY))
        return rv_text_format(" of thread %llu", (unsigned long long)event->address);
    const struct rv_block_report *block = find_block(area, event->block);
    char *name;
    if (block)
        name = rv_symbolise_block(symbols, block, event->offset);
    else if (event->block)
        name = rv_text_format("heap block %u+%u", event->block, event->offset);
    else
        name = rv_symbolise_data(symbols, event->address, flags & RV_OPF_MEMORY ? event->size : 0);
    if (!name) return rv_text_copy("");
    char *text = rv_text_format(" of %s", name);
    free(name);
    return text;
}

/* Where it happened: the site, or if that has no line, the program's code that led there. */
static char *place_text(struct rv_symboliser *symbols, const struct rv_event *event) {
    struct rv_location at = {0};
    bool known = event->site != 0 && event->site != RV_CODE_UNKNOWN;
    if (known) rv_symbolise_code(symbols, event->site, true, &at, 1);
    if ((!known || at.line == 0) && event->caller != 0 && event->caller != RV_CODE_UNKNOWN) {
        if (known) rv_location_free(&at);
        rv_symbolise_code(symbols, event->caller, true, &at, 1);
        known = true;
    }
    if (!known) return rv_text_copy("");
    char *place = rv_describe_location(&at), *text = rv_text_format(", in %s", place);
    free(place);
    rv_location_free(&at);
    return text;
}

char *rv_event_text(struct rv_symboliser *symbols, const struct rv_area *area, const struct rv_event *event) {
    enum rv_op op = event->op < RV_OP_COUNT ? (enum rv_op)event->op : RV_OP_NONE;
    char *object = object_text(symbols, area, event, rv_op_flags[op]), *place = place_text(symbols, event);
    char value[40] = "";
    bool wide = event->value >> 32 && ~event->value >> 32; /* a pointer, rather than a number or -1 */
    if (event->flags & RV_EVENT_VALUE && wide)
        snprintf(value, sizeof value, " = 0x%llx", (unsigned long long)event->value);
    else if (event->flags & RV_EVENT_VALUE)
        snprintf(value, sizeof value, " = %lld", (long long)event->value);
    char *text = rv_text_format("thread %u, step %llu: %s%s%s%s%s%s", event->thread,
                                (unsigned long long)event->step, rv_op_names[op], object, value,
                                event->flags & RV_EVENT_TIMEOUT ? ", ended by time" : "",
                                event->flags & RV_EVENT_FAILED ? ", without success" : "", place);
    free(object);
    free(place);
    return text;
}

void rv_trace_print(FILE *out, struct rv_symboliser *symbols, const struct rv_area *area) {
    uint64_t count = rv_trace_count(area);
    for (uint64_t i = 0; i < count; i++) {
        const struct rv_event *event = &area->events[i];
        char *text = rv_event_text(symbols, area, event), *clean = rv_text_harmless(text, false);
        const char *mark = event->flags & RV_EVENT_PREEMPT ? "!" : event->flags & RV_EVENT_SWITCH ? ">" : " ";
        fprintf(out, "%6llu %s %s\n", (unsigned long long)i + 1, mark, clean);
        free(text);
        free(clean);
    }
    if (area->outcome.event_count > count)
        fprintf(out, "(and %llu more events that were not kept)\n",
                (unsigned long long)(area->outcome.event_count - count));
}
