#include "runtime/events.h"

#include <stdio.h>

#include "runtime/engine.h"
#include "runtime/events_text.h"
#include "runtime/hooks/outside.h"
#include "runtime/reserve.h"

enum { ARENA = 1 << 20 };

static const struct rv_plan *plan; /* NULL: none */
static struct rv_monitor *monitor;
static void *saved_monitor;
static size_t monitor_size;

/* What belongs to an execution, beside the monitor. */
static struct state {
    bool holds;
    bool blocked[RV_MONITOR_THREADS];             /* as last noticed */
    uint8_t happened[RV_MAX_EVENT_NAMES / 8 + 1]; /* by number of the text */
} state, saved;

bool rv_plan_looks;

/* ---- texts of events ---- */

uint32_t rv_event_number(const char *text) {
    struct rv_area *area = rv.area;
    static struct {
        const char *text;
        uint32_t number;
    } known[256]; /* by address: the same marker again */
    size_t at = ((uintptr_t)text >> 2 ^ (uintptr_t)text >> 12) & 255;
    uint32_t count =
        area->event_name_count < RV_MAX_EVENT_NAMES ? area->event_name_count : RV_MAX_EVENT_NAMES;
    uint32_t number = known[at].text == text ? known[at].number : 0;
    if (number && number <= count && strcmp(area->event_names[number - 1], text) == 0) return number;
    for (number = 0; number < count && strcmp(area->event_names[number], text) != 0;) number++;
    size_t length = strlen(text);
    if (number == RV_MAX_EVENT_NAMES || length >= RV_EVENT_NAME) return 0;
    if (number == count) {
        memcpy(area->event_names[number], text, length + 1);
        __atomic_store_n(&area->event_name_count, count + 1, __ATOMIC_RELEASE);
    }
    known[at].text = text;
    known[at].number = number + 1;
    return number + 1;
}

/* ---- who is blocked ---- */

static bool is_blocked(const void *user, uint32_t thread) {
    (void)user;
    if (thread >= rv.fiber_count) return false;
    const struct rv_fiber *fiber = rv.fibers[thread];
    const struct rv_pending *pending = &fiber->pending;
    /* Not asked whether it spins: a thread that spins could go on, and one that spun before it came to a wait still counts so. */
    if (fiber->state != RV_FIBER_ALIVE || !pending->ready) return false;
    if (pending->op == RV_OP_SLEEP || pending->op == RV_OP_YIELD || pending->op == RV_OP_EVENT) return false;
    return !pending->ready(fiber);
}

static const struct rv_monitor_view view = {is_blocked, NULL};

/* Now or before; as long as names are kept. */
static bool has_thread(const char *name) {
    for (uint32_t i = 0; i < rv.fiber_count; i++)
        if (strncmp(i == 0 ? "main" : rv.fibers[i]->name, name, sizeof rv.fibers[i]->name - 1) == 0)
            return true;
    return false;
}

/* ---- the plan's life ---- */

void rv_plan_init(void) {
    static char text[RV_MAX_PLAN];
    static struct rv_arena arena;
    static void *memory;
    static size_t monitor_room;
    struct rv_plan_error error;
    memcpy(text, rv.config->plan, sizeof text - 1);
    memset(&state, 0, sizeof state);
    rv_plan_looks = false;
    plan = NULL;
    if (!text[0]) return;
    if (!memory) memory = rv_reserve(ARENA);
    if (!memory) rv_unusable("no memory for the schedule of events");
    memset(memory, 0, arena.used); /* of the last one, where tests follow each other */
    rv_arena_init(&arena, memory, ARENA);
    plan = rv_plan_parse(&arena, text, &error);
    if (!plan) rv_unusable("schedule: %s (at %u)", error.message, error.at + 1);
    monitor_size = rv_monitor_size(plan);
    if (monitor_size > monitor_room) {
        monitor = rv_reserve(monitor_size);
        saved_monitor = rv_reserve(monitor_size);
        monitor_room = monitor_size;
    }
    if (!monitor || !saved_monitor) rv_unusable("no memory for the schedule of events");
}

static bool speaks_of(enum rv_plan_what what) {
    for (uint32_t i = 0; i < plan->atom_count; i++)
        if (plan->atoms[i].what == what) return true;
    return false;
}

static void set_holds(bool holds) {
    state.holds = holds;
    rv_plan_looks = holds && (speaks_of(RV_PLAN_BLOCK) || speaks_of(RV_PLAN_UNBLOCK));
}

void rv_plan_snapshot(void) {
    saved = state;
    if (plan) memcpy(saved_monitor, monitor, monitor_size);
}

void rv_plan_restore(void) {
    state = saved;
    if (!plan) return;
    memcpy(monitor, saved_monitor, monitor_size);
    set_holds(state.holds);
}

/* ---- what happens ---- */

static _Noreturn void violated(const struct rv_moment *moment, const struct rv_plan_ordering *ordering) {
    char text[RV_MAX_MESSAGE];
    static const char *const words[] = {"the event", "start", "end", "block", "unblock"};
    struct rv_plan_state now = {plan, monitor, &view, has_thread};
    struct rv_line line = rv_line_begin(text, sizeof text);
    rv.internal++;
    rv_line_add(&line, "violated: %s of thread %u came before ", words[moment->what], moment->thread);
    rv_plan_add_open(&line, &now, ordering);
    rv.internal--;
    /* At once: this may be found in the middle of choosing who goes on. */
    rv_fail_at(RV_KIND_SCHEDULE, rv.current->pending.site, 0, false, text);
}

static void happen(const struct rv_moment *moment) {
    const struct rv_plan_ordering *against = rv_monitor_happen(monitor, moment, &view);
    if (against) violated(moment, against);
}

/* What an operation is about, on the stack of its thread. */
struct about {
    struct rv_moment moment;
    uint32_t number;
};

uint32_t rv_event_pending(const struct rv_pending *pending) {
    const struct about *about = pending->data;
    return about ? about->number : 0;
}

static bool allowed(const struct rv_fiber *fiber) {
    const struct about *about = fiber->pending.data;
    return !state.holds || rv_monitor_allows(monitor, &about->moment, &view, NULL);
}

static void note_happened(uint32_t number) {
    if (number) state.happened[number / 8] |= (uint8_t)(1u << number % 8);
}

/* One operation; `text` is what reports call it. */
static void operation(enum rv_plan_what what, const char *name, const char *text, uintptr_t site) {
    struct about about = {{what, name, rv_self()->id}, rv_event_number(text)};
    struct rv_pending pending = RV_PENDING(RV_OP_EVENT, NULL, site);
    int saved_errno = errno;
    bool known =
        state.holds && about.moment.thread < RV_MONITOR_THREADS && rv_monitor_known(monitor, &about.moment);
    pending.data = &about;
    if (known) {
        pending.object = RV_PLAN_OBJECT;
        pending.ready = allowed;
    }
    rv_schedule(&pending);
    note_happened(about.number);
    if (known && state.holds) happen(&about.moment);
    rv_done(&pending, about.number, known ? 0 : RV_EVENT_LOOKED);
    errno = saved_errno;
}

void rv_event(const char *name, uintptr_t site) { operation(RV_PLAN_EVENT, name, name, site); }

static void at_thread(char *text, const char *what, const char *name) {
    rv.internal++;
    (void)snprintf(text, RV_EVENT_NAME, "%s@%.*s", what, RV_PLAN_NAME - 1, name);
    rv.internal--;
}

void rv_event_start(const char *name, uintptr_t site) {
    char text[RV_EVENT_NAME];
    struct rv_fiber *self = rv_self();
    size_t length = strlen(name);
    if (length > sizeof self->name - 1) length = sizeof self->name - 1;
    memset(self->name, 0, sizeof self->name);
    memcpy(self->name, name, length);
    if (state.holds && self->id < RV_MONITOR_THREADS) rv_monitor_name(monitor, self->id, name);
    at_thread(text, "start", name);
    operation(RV_PLAN_START, NULL, text, site);
}

void rv_event_end(uintptr_t site) {
    struct rv_fiber *self = rv_self();
    struct rv_moment moment = {RV_PLAN_END, NULL, self->id};
    if (!state.holds || self->id >= RV_MONITOR_THREADS || !rv_monitor_known(monitor, &moment)) return;
    char text[RV_EVENT_NAME];
    at_thread(text, "end", self->id == 0 ? "main" : self->name);
    operation(RV_PLAN_END, NULL, text, site);
}

void rv_plan_begin(void) {
    if (!plan) return;
    (void)rv_monitor_begin(monitor, plan);
    memset(&state, 0, sizeof state);
    set_holds(true);
    struct rv_moment moment = {RV_PLAN_START, NULL, rv_self()->id};
    rv_self()->pending = RV_PENDING(RV_OP_EVENT, NULL, rv_self()->pending.site);
    if (moment.thread >= RV_MONITOR_THREADS) return;
    rv_monitor_name(monitor, moment.thread, "main");
    happen(&moment);
}

static size_t happened_names(const char **names) {
    size_t count = 0;
    for (uint32_t number = 1; number <= rv.area->event_name_count && number <= RV_MAX_EVENT_NAMES; number++)
        if (state.happened[number / 8] & 1u << number % 8) names[count++] = rv.area->event_names[number - 1];
    return count;
}

bool rv_plan_end(char *text, size_t size, uintptr_t site) {
    static const char *names[RV_MAX_EVENT_NAMES];
    if (!state.holds) return true;
    rv_event_end(site);
    struct rv_line line = rv_line_begin(text, size);
    struct rv_plan_state now = {plan, monitor, &view, has_thread};
    rv.internal++;
    bool missing = rv_plan_add_missing(&line, &now, names, happened_names(names));
    rv.internal--;
    rv_plan_drop();
    return !missing;
}

void rv_plan_drop(void) {
    if (plan) set_holds(false);
}

void rv_plan_look_slow(void) {
    for (uint32_t i = 0; i < rv.fiber_count && i < RV_MONITOR_THREADS; i++) {
        bool blocked = is_blocked(NULL, i);
        if (blocked == state.blocked[i]) continue;
        state.blocked[i] = blocked;
        struct rv_moment moment = {blocked ? RV_PLAN_BLOCK : RV_PLAN_UNBLOCK, NULL, i};
        if (rv_monitor_known(monitor, &moment)) happen(&moment);
    }
}

/* ---- nobody can go on ---- */

static void add_waiter(struct rv_line *line, const struct rv_fiber *fiber) {
    const struct rv_moment *moment = &((const struct about *)fiber->pending.data)->moment;
    const struct rv_plan_ordering *why = NULL;
    struct rv_plan_state now = {plan, monitor, &view, has_thread};
    const char *name = fiber->id == 0 ? "main" : fiber->name;
    if (rv_monitor_allows(monitor, moment, &view, &why) || !why) return;
    rv_line_add(line, line->used ? "; " : "infeasible: ");
    if (moment->what == RV_PLAN_EVENT)
        rv_line_add(line, "event %s", moment->name);
    else
        rv_line_add(line, "%s@%s", moment->what == RV_PLAN_START ? "start" : "end", name);
    rv_line_add(line, " in thread %u", fiber->id);
    if (fiber->name[0] || fiber->id == 0) rv_line_add(line, " (%.15s)", name);
    rv_line_add(line, " waits for ");
    rv_plan_add_open(line, &now, why);
}

bool rv_plan_waits(char *text, size_t size) {
    struct rv_line line = rv_line_begin(text, size);
    if (!state.holds) return false;
    rv.internal++;
    for (uint32_t i = 0; i < rv.fiber_count; i++) {
        const struct rv_fiber *fiber = rv.fibers[i];
        if (fiber->state == RV_FIBER_ALIVE && fiber->pending.ready == allowed) add_waiter(&line, fiber);
    }
    rv.internal--;
    return line.used > 0;
}
