/* libFuzzer target for plans: a text, and after a NUL bytes that say what happens. A text that is refused is refused at a place in it
 * and in words that can be shown; one that is accepted means the same when written again, and what the monitor allows is what
 * does not violate. */
#include <stdlib.h>

#include "plan/monitor.h"
#include "plan_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition) {
    if (!condition) abort();
}

static bool is_plain(const char *text, size_t room) {
    size_t length = strnlen(text, room);
    for (size_t i = 0; i < length; i++)
        if (text[i] < ' ' || text[i] > '~') return false;
    return length < room;
}

static void check_error(const char *text, const struct rv_plan_error *error) {
    size_t length = strlen(text), at = error->at;
    must(at <= length && (at + error->length <= length || length >= RV_PLAN_TEXT));
    must(error->message[0] && is_plain(error->message, sizeof error->message));
    must(is_plain(error->hint, sizeof error->hint));
    size_t shown = rv_plan_error_show(NULL, 0, text, error);
    char *buffer = malloc(shown + 1);
    must(rv_plan_error_show(buffer, shown + 1, text, error) == shown && strlen(buffer) == shown);
    for (size_t i = 0; i < shown; i++) must(buffer[i] == '\n' || (buffer[i] >= ' ' && buffer[i] <= '~'));
    must(strchr(buffer, '^') != NULL);
    free(buffer);
}

static void check_written_again(const struct rv_plan *plan) {
    static struct plan_memory memory;
    static struct plan_text first, second;
    struct rv_plan_error error;
    plan_put_all(&first, plan);
    if (first.length >= RV_PLAN_TEXT) return; /* counts that were not in the text */
    const struct rv_plan *again = rv_plan_parse(plan_arena(&memory), first.data, &error);
    must(again != NULL);
    plan_put_all(&second, again);
    must(strcmp(first.data, second.data) == 0 && again->node_count == plan->node_count);
}

static bool is_blocked(const void *user, uint32_t thread) {
    return *(const uint8_t *)user >> (thread & 7) & 1;
}

/* A byte says which atom's event happens, another in which thread, with which name, and who is blocked. */
static void check_monitor(const struct rv_plan *plan, const uint8_t *data, size_t size) {
    size_t bytes = rv_monitor_size(plan);
    struct rv_monitor *monitor = rv_monitor_begin(malloc(bytes), plan), *copy = malloc(bytes);
    for (; size >= 2; data += 2, size -= 2) {
        const struct rv_plan_atom *atom = &plan->atoms[data[0] % plan->atom_count];
        const struct rv_moment moment = {atom->what, atom->name, data[1] >> 5};
        const struct rv_monitor_view view = {is_blocked, &data[1]};
        const struct rv_plan_ordering *why;
        if (data[1] & 1 && atom->thread) must(rv_monitor_name(monitor, moment.thread, atom->thread));
        memcpy(copy, monitor, bytes);
        bool allowed = rv_monitor_allows(monitor, &moment, &view, &why);
        must(allowed == !why && memcmp(copy, monitor, bytes) == 0);
        bool known = rv_monitor_known(monitor, &moment);
        const struct rv_plan_ordering *violated = rv_monitor_happen(monitor, &moment, &view);
        if (atom->what != RV_PLAN_BLOCK && atom->what != RV_PLAN_UNBLOCK) must(violated == why);
        must(known || (!violated && memcmp(copy, monitor, bytes) == 0));
        if (violated) must(!rv_monitor_holds(copy, violated->condition, &view));
    }
    uint32_t cursor = 0, count = 0;
    for (const struct rv_plan_atom *atom; (atom = rv_monitor_missing(monitor, &cursor)); count++)
        must(atom->positive);
    must(count <= plan->atom_count);
    free(copy);
    free(monitor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct plan_memory memory;
    struct rv_plan_error error;
    size_t length = strnlen((const char *)data, size);
    char *text = malloc(length + 1);
    memcpy(text, data, length);
    text[length] = 0;
    memset(&error, 0xa5, sizeof error);
    const struct rv_plan *plan = rv_plan_parse(plan_arena(&memory), text, &error);
    if (plan) {
        must(strcmp(plan->text, text) == 0);
        check_written_again(plan);
        if (length < size) check_monitor(plan, data + length + 1, size - length - 1);
    } else {
        must(memory.arena.used == 0 && strcmp(error.message, "no memory for a schedule") != 0);
        check_error(text, &error);
    }
    free(text);
    return 0;
}
