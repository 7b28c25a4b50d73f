#include "runtime/cases.h"

#include <fcntl.h>

#include "runtime/engine.h"
#include "runtime/sys.h"
#include "runtime/worker.h"

RV_EXPORT const void *ravel__case(const char *path, uint32_t *size, uint64_t *number);
RV_EXPORT void ravel__case_called(uint32_t call);
RV_EXPORT void ravel__case_returned(uint32_t call, const void *result, uint32_t size);
RV_EXPORT void ravel__case_over(void);

static _Alignas(8) unsigned char own[RV_CASE_ROOM]; /* of a harness started by hand */

/* 0: it cannot be read. */
static uint32_t read_file(const char *path, unsigned char *to) {
    uint32_t size = 0;
    if (!path) return 0;
    long fd = rv_sys_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (rv_sys_failed(fd)) return 0;
    while (size < RV_CASE_ROOM) {
        long got = rv_sys_read((int)fd, to + size, RV_CASE_ROOM - size);
        if (got <= 0) break;
        size += (uint32_t)got;
    }
    (void)rv_sys_close((int)fd);
    return size;
}

/* Whether the lengths are right; what calls and arguments mean is the harness's to check. */
static bool is_case(const unsigned char *data, uint32_t size) {
    const struct rv_case_header *header = (const void *)data;
    if (size < sizeof *header || size > RV_CASE_ROOM) return false;
    if (header->magic != RV_CASE_MAGIC || header->size != size) return false;
    if (header->objects > RV_CASE_OBJECTS || header->calls > RV_CASE_CALLS || header->orders > RV_CASE_ROOM)
        return false;
    uint64_t need = sizeof *header +
                    (uint64_t)(header->objects + header->calls) * sizeof(struct rv_case_call) +
                    (uint64_t)header->orders * header->calls + header->results;
    return need <= size;
}

static bool under_control(void) { return rv.mode == RV_SINGLE || rv.mode == RV_CONTROLLED; }

const void *ravel__case(const char *path, uint32_t *size, uint64_t *number) {
    if (!under_control()) {
        *number = 0;
        *size = read_file(path, own);
        return is_case(own, *size) ? own : NULL;
    }
    struct rv_cases *cases = &rv.area->cases;
    if (cases->size == 0) cases->size = read_file(path, cases->test);
    rv_worker_snapshot();
    *size = cases->size;
    *number = cases->number;
    return is_case(cases->test, *size) ? cases->test : NULL;
}

uint8_t rv_cases_calling[RV_CASE_CALLERS];

/* call: RV_CASE_CALLS: none. */
static void set_calling(uint32_t call) {
    const struct rv_case_header *header = (const void *)rv.area->cases.test;
    const struct rv_case_call *calls = (const void *)(header + 1);
    if (rv.current->id >= RV_CASE_CALLERS) return;
    uint32_t method = call < RV_CASE_CALLS ? calls[header->objects + call].method : RV_CASE_METHODS;
    rv_cases_calling[rv.current->id] = method < RV_CASE_METHODS ? (uint8_t)(method + 1) : 0;
}

void ravel__case_called(uint32_t call) {
    if (!under_control()) return;
    struct rv_cases *cases = &rv.area->cases;
    set_calling(call);
    if (call < RV_CASE_CALLS) cases->called_at[call] = rv.current->step;
    if (cases->told + 2 > RV_CASE_TOLD) return;
    cases->history[cases->told] = 'C';
    cases->history[cases->told + 1] = (unsigned char)call;
    cases->told += 2;
}

void ravel__case_returned(uint32_t call, const void *result, uint32_t size) {
    if (!under_control()) return;
    struct rv_cases *cases = &rv.area->cases;
    set_calling(RV_CASE_CALLS);
    if (call < RV_CASE_CALLS) cases->returned_at[call] = rv.current->step;
    if (size > UINT16_MAX || size + 4 > RV_CASE_TOLD - cases->told) return;
    unsigned char *at = cases->history + cases->told;
    at[0] = 'R';
    at[1] = (unsigned char)call;
    at[2] = (unsigned char)size;
    at[3] = (unsigned char)(size >> 8);
    memcpy(at + 4, result, size);
    cases->told += 4 + size;
}

void rv_cases_begin(void) {
    struct rv_cases *cases = &rv.area->cases;
    cases->told = 0;
    memset(cases->called_at, 0, sizeof cases->called_at);
    memset(cases->returned_at, 0, sizeof cases->returned_at);
    memset(rv_cases_calling, 0, sizeof rv_cases_calling);
}

/* ---- the results that are wrong ---- */

struct told {
    uint64_t returned_before; /* set of calls */
    uint32_t state, size;     /* as in a case */
    const unsigned char *result;
};

static void read_told(struct told *calls) {
    const struct rv_cases *cases = &rv.area->cases;
    uint64_t returned = 0;
    for (uint32_t at = 0; at + 2 <= cases->told;) {
        const unsigned char *data = cases->history + at;
        struct told *call = &calls[data[1] % RV_CASE_CALLS];
        if (data[0] == 'C') {
            call->state = 1;
            call->returned_before = returned;
            at += 2;
        } else {
            call->state = 2;
            call->size = data[2] | (uint32_t)data[3] << 8;
            call->result = data + 4;
            returned |= 1ull << (data[1] % RV_CASE_CALLS);
            at += 4 + call->size;
        }
    }
}

/* Whether the execution gave the results of the case, each call made after those that had returned then: so many orders are
 * left at most, and none of them gives these. */
static bool is_wrong(const struct rv_case_header *header) {
    struct told calls[RV_CASE_CALLS] = {0};
    const unsigned char *at = (const unsigned char *)header + header->size - header->results;
    const unsigned char *end = (const unsigned char *)header + header->size;
    read_told(calls);
    for (uint32_t i = 0; i < header->calls; i++) {
        struct {
            uint64_t before;
            uint32_t state, size;
        } want;
        if ((size_t)(end - at) < sizeof want) return false;
        memcpy(&want, at, sizeof want);
        at += sizeof want;
        if (want.size > (size_t)(end - at)) return false;
        if (calls[i].state != want.state || (want.before & ~calls[i].returned_before)) return false;
        if (want.state == 2 && (calls[i].size != want.size || memcmp(calls[i].result, at, want.size) != 0))
            return false;
        uint32_t padded = (want.size + 7) & ~7u;
        if (padded > (size_t)(end - at)) return false;
        at += padded;
    }
    return true;
}

void ravel__case_over(void) {
    if (!under_control()) return;
    const struct rv_cases *cases = &rv.area->cases;
    const struct rv_case_header *header = (const void *)cases->test;
    if (!is_case(cases->test, cases->size) || header->results == 0 || header->orders) return;
    if (is_wrong(header))
        rv_fail(RV_KIND_NONLINEARIZABLE, "the calls gave results that no sequential order of them gives");
}

/* ---- a batch ---- */

bool rv_cases_keep(void) {
    struct rv_cases *cases = &rv.area->cases;
    const struct rv_outcome *outcome = &rv.area->outcome;
    const uint32_t most =
        sizeof(struct rv_case_reply) + RV_CASE_TOLD + RV_CASE_RUNS * (sizeof(struct rv_run) + 1) + 8;
    if (cases->returned + most > RV_CASE_REPLIES) return false;
    struct rv_case_reply reply = {.kind = outcome->kind,
                                  .number = cases->number,
                                  .signature = outcome->signature,
                                  .points = outcome->points,
                                  .told = cases->told,
                                  .cut = outcome->not_terminating != 0};
    reply.unkept =
        outcome->log_overflow || outcome->run_count > RV_CASE_RUNS || outcome->choice_count > RV_CASE_RUNS;
    if (!reply.unkept) {
        reply.runs = (uint32_t)outcome->run_count;
        reply.choices = (uint32_t)outcome->choice_count;
    }
    unsigned char *start = cases->replies + cases->returned, *at = start + sizeof reply;
    memcpy(at, rv.area->log_runs, reply.runs * sizeof(struct rv_run));
    at += reply.runs * sizeof(struct rv_run);
    memcpy(at, rv.area->log_choices, reply.choices);
    at += reply.choices;
    memcpy(at, cases->history, reply.told);
    at += reply.told;
    reply.size = ((uint32_t)(at - start) + 7) & ~7u;
    memcpy(start, &reply, sizeof reply);
    __atomic_store_n(&cases->returned, cases->returned + reply.size, __ATOMIC_RELEASE);
    return cases->returned + most <= RV_CASE_REPLIES;
}
