#include "supervisor/standing.h"

#include "base/signature.h"
#include "races/memory.h"
#include "races/recorded.h"
#include "races/stand.h"
#include "supervisor/util.h"

enum { DEPTH_MAX = 16 /* races that depend on races */ };

struct inquiry {
    const struct rv_case *about;
    struct rv_trace trace;
    struct rv_memory memory;
    struct rv_schedule schedule;
    bool odd; /* what some operation did depended on others in ways that no step tells */
};

static bool is_odd(const struct rv_area *area, const struct rv_schedule *schedule) {
    uint64_t count = rv_load64(&area->outcome.event_count);
    if (count > RV_MAX_EVENTS) return true;
    for (uint64_t i = 0; i < count; i++)
        if (area->events[i].flags & (RV_EVENT_TIMEOUT | RV_EVENT_FAILED)) return true;
    for (uint64_t i = 0; i < schedule->choice_count; i++)
        if (schedule->choices[i]) return true;
    return false;
}

/* One execution that should end with both at their accesses. */
static enum rv_standing try_meeting(const struct inquiry *inquiry, const struct rv_stand *stand,
                                    uint64_t signature, struct rv_server *server) {
    const struct rv_expectation expected = {RV_KIND_RACE, signature, .met = true};
    struct rv_schedule schedule = rv_stand_schedule(stand, &inquiry->schedule);
    struct rv_reply reply;
    bool ran = rv_confirm_run(server, inquiry->about, &schedule, &expected, &reply);
    rv_schedule_free(&schedule);
    if (!ran) return RV_STANDING_UNKNOWN;
    return rv_expected(&expected, &reply.outcome) ? RV_STANDING_MET : RV_STANDING_HIDDEN;
}

static bool is_atomic(const struct inquiry *inquiry, uint32_t record) {
    return rv_step_is_atomic(inquiry->trace.records[record].step.kind);
}

/* The program says of bytes that both touch that races on them are no matter: threads do not stop for those. */
static bool is_benign(const struct inquiry *inquiry, uint32_t write, uint32_t read) {
    const struct rv_step *a = &inquiry->trace.records[write].step, *b = &inquiry->trace.records[read].step;
    uint64_t address = a->address > b->address ? a->address : b->address;
    uint64_t a_last = a->address + (a->size - 1), b_last = b->address + (b->size - 1);
    uint64_t last = a_last < b_last ? a_last : b_last;
    return address <= last && rv_memory_is_benign(&inquiry->memory, address, last - address + 1, read);
}

static enum rv_standing inquire(const struct inquiry *inquiry, uint32_t first, uint32_t second,
                                unsigned depth, struct rv_server *met);

/* No execution has been found in which they meet: is there a reason that is known? */
static enum rv_standing explain(const struct inquiry *inquiry, const struct rv_stand *stand, unsigned depth) {
    if (inquiry->odd) return RV_STANDING_EXPLAINED;
    if (!stand->depends || depth == DEPTH_MAX) return RV_STANDING_HIDDEN;
    if (is_atomic(inquiry, stand->write) && is_atomic(inquiry, stand->read)) return RV_STANDING_EXPLAINED;
    if (is_benign(inquiry, stand->write, stand->read)) return RV_STANDING_EXPLAINED;
    struct rv_server server;
    enum rv_standing cause = inquire(inquiry, stand->write, stand->read, depth + 1, &server);
    if (cause == RV_STANDING_MET) {
        rv_server_close(&server);
        return RV_STANDING_EXPLAINED;
    }
    return cause;
}

static enum rv_standing inquire(const struct inquiry *inquiry, uint32_t first, uint32_t second,
                                unsigned depth, struct rv_server *met) {
    const struct rv_record *records = inquiry->trace.records;
    struct rv_stand stand;
    rv_stand_find(&stand, &inquiry->trace, first, second);
    if (!stand.cuts) return RV_STANDING_EXPLAINED;
    uint64_t signature = rv_race_signature(records[first].step.site, records[second].step.site);
    enum rv_standing standing = try_meeting(inquiry, &stand, signature, met);
    if (standing != RV_STANDING_MET) rv_server_close(met);
    if (standing == RV_STANDING_HIDDEN) standing = explain(inquiry, &stand, depth);
    rv_stand_free(&stand);
    return standing;
}

enum rv_standing rv_standing_find(const struct rv_case *about, const struct rv_server *server,
                                  struct rv_server *met) {
    const struct rv_area *area = rv_server_area(server);
    struct inquiry inquiry = {.about = about,
                              .trace = rv_recorded_trace(area, rv_recording_of(server->channel.shared)),
                              .schedule = rv_schedule_of_log(area)};
    uint32_t first, second;
    enum rv_standing standing = RV_STANDING_EXPLAINED;
    rv_memory_init(&inquiry.memory, &inquiry.trace);
    inquiry.odd = is_odd(area, &inquiry.schedule);
    if (rv_recorded_race(area, &inquiry.trace, &first, &second))
        standing = inquire(&inquiry, first, second, 0, met);
    rv_schedule_free(&inquiry.schedule);
    rv_memory_free(&inquiry.memory);
    rv_trace_free(&inquiry.trace);
    return standing;
}
