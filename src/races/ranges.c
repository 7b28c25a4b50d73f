#include "races/ranges.h"

#include <stdlib.h>

#include "races/trace.h"
#include "report/text.h"

void rv_ranges_add(struct rv_ranges *ranges, uint64_t address, uint64_t size, uint32_t record) {
    if (!size) return;
    if (ranges->count == ranges->capacity) {
        ranges->capacity = ranges->capacity * 2 + 64;
        ranges->list = rv_text_realloc(ranges->list, ranges->capacity, sizeof *ranges->list);
    }
    ranges->list[ranges->count++] = (struct rv_range){address, address + (size - 1), record};
}

static int compare(const void *left, const void *right) {
    const struct rv_range *a = left, *b = right;
    if (a->address != b->address) return a->address < b->address ? -1 : 1;
    if (a->last != b->last) return a->last < b->last ? -1 : 1;
    return a->record < b->record ? -1 : a->record > b->record;
}

/* The tree of [low, high) has its root in the middle. As deep as the logarithm of its size. */
static uint64_t set_reach(struct rv_range_group *groups, uint32_t low,
                          uint32_t high) { /* NOLINT(misc-no-recursion) */
    if (low >= high) return 0;
    uint32_t middle = low + (high - low) / 2;
    uint64_t left = set_reach(groups, low, middle), right = set_reach(groups, middle + 1, high);
    uint64_t reach = groups[middle].last;
    if (left > reach) reach = left;
    if (right > reach) reach = right;
    return groups[middle].reach = reach;
}

void rv_ranges_sort(struct rv_ranges *ranges) {
    if (ranges->count) qsort(ranges->list, ranges->count, sizeof *ranges->list, compare);
    ranges->groups = rv_text_realloc(ranges->groups, ranges->count, sizeof *ranges->groups);
    ranges->group_count = 0;
    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct rv_range *range = &ranges->list[i];
        struct rv_range_group *group = &ranges->groups[ranges->group_count - !!ranges->group_count];
        if (!i || group->address != range->address || group->last != range->last) {
            group = &ranges->groups[ranges->group_count++];
            *group = (struct rv_range_group){.address = range->address, .last = range->last, .begin = i};
        }
        group->end = i + 1;
    }
    set_reach(ranges->groups, 0, ranges->group_count);
}

void rv_ranges_free(struct rv_ranges *ranges) {
    free(ranges->list);
    free(ranges->groups);
    *ranges = (struct rv_ranges){0};
}

struct question {
    const struct rv_ranges *ranges;
    uint64_t byte;
    uint32_t record; /* the border */
    bool latest;     /* before it; else the first from it on */
    uint32_t answer;
};

static void look_at(struct question *question, const struct rv_range_group *group) {
    const struct rv_range *list = question->ranges->list;
    uint32_t low = group->begin, high = group->end; /* low: the first record not before the border */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list[middle].record < question->record)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t *answer = &question->answer;
    if (question->latest) {
        if (low == group->begin) return;
        if (*answer == RV_NO_RECORD || list[low - 1].record > *answer) *answer = list[low - 1].record;
    } else if (low < group->end && list[low].record < *answer) {
        *answer = list[low].record;
    }
}

static void ask(struct question *question, uint32_t low, uint32_t high) { /* NOLINT(misc-no-recursion) */
    if (low >= high) return;
    uint32_t middle = low + (high - low) / 2;
    const struct rv_range_group *group = &question->ranges->groups[middle];
    if (group->reach < question->byte) return;
    ask(question, low, middle);
    if (group->address > question->byte) return; /* so are all to the right */
    if (group->last >= question->byte) look_at(question, group);
    ask(question, middle + 1, high);
}

uint32_t rv_ranges_latest(const struct rv_ranges *ranges, uint64_t byte, uint32_t before) {
    struct question question = {ranges, byte, before, true, RV_NO_RECORD};
    ask(&question, 0, ranges->group_count);
    return question.answer;
}

uint32_t rv_ranges_first(const struct rv_ranges *ranges, uint64_t byte, uint32_t from) {
    struct question question = {ranges, byte, from, false, RV_NO_RECORD};
    ask(&question, 0, ranges->group_count);
    return question.answer;
}
