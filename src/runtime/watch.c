#include "runtime/watch.h"

#include <string.h>
#include <sys/mman.h>

#include "base/signature.h"
#include "runtime/heap.h"
#include "runtime/reserve.h"
#include "runtime/sys.h"
#include "runtime/watch_record.h"
#include "runtime/worker.h"

enum { MAX_BENIGN = 1024, MAX_OLD_BLOCKS = 1 << 18 };

struct rv_watch rv_watching;

static bool ready; /* the detector has its memory */
static struct benign {
    uintptr_t address;
    size_t size;
    uintptr_t pc;
} benign[MAX_BENIGN];
static uint32_t benign_count, benign_before; /* so many came before the first execution */

static struct rv_race_report met; /* with rv_watching.over */
static bool standing;             /* ... and both threads stand at their accesses */

/* ---- what was found ---- */

static bool is_benign(uint64_t address) {
    for (uint32_t i = 0; i < benign_count; i++)
        if (address - benign[i].address < benign[i].size) return true;
    return false;
}

static uint64_t signature_of(const struct rv_race_report *report) {
    return rv_race_signature(report->first.site, report->second.site);
}

static bool is_wanted(uint64_t signature) {
    return rv.config->race == signature || rv.config->race == RV_RACE_ANY;
}

static void found(void *unused, const struct rv_race_report *report) {
    (void)unused;
    if (rv_watching.over || is_benign(report->address)) return;
    if (!rv_engine.replaying) {
        rv_worker_file_race(report, false);
    } else if (is_wanted(signature_of(report))) {
        met = *report;
        rv_watching.over = true;
    }
}

_Noreturn void rv_watch_end(uintptr_t pc) {
    struct rv_outcome *outcome = &rv.area->outcome;
    rv_watching.on = false;
    outcome->race_sites[0] = met.first.site;
    outcome->race_sites[1] = met.second.site;
    outcome->race_met = standing;
    if (rv_watching.recording) {
        outcome->race_first = met.first.step + 1;
        outcome->race_second = met.second.step + 1;
    }
    rv_fail_race(pc, met.address, signature_of(&met));
}

/* ---- two threads at their accesses ---- */

/* What a pending operation on memory will be; only its kind is used where it is not recorded. */
static struct rv_step step_of(const struct rv_fiber *fiber) {
    const struct rv_pending *pending = &fiber->pending;
    unsigned flags = rv_op_flags[pending->op];
    bool atomic = flags & RV_OPF_ATOMIC;
    enum rv_step_kind kind = flags & RV_OPF_WRITE ? RV_STEP_WRITE : RV_STEP_READ;
    if (pending->op == RV_OP_FREE || pending->op == RV_OP_REMAP) kind = RV_STEP_FREE;
    if (atomic) kind = flags & RV_OPF_WRITE ? RV_STEP_ATOMIC_RMW : RV_STEP_ATOMIC_READ;
    if (pending->op == RV_OP_ATOMIC_STORE) kind = RV_STEP_ATOMIC_WRITE;
    return (struct rv_step){.address = (uint64_t)pending->object,
                            .size = pending->size ? pending->size : 1,
                            .site = fiber->site ? fiber->site->code : 0,
                            .thread = fiber->id,
                            .kind = (uint8_t)kind,
                            .order = atomic ? fiber->order : 0};
}

static struct rv_race_access access_of(const struct rv_step *step, uint32_t number) {
    return (struct rv_race_access){.address = step->address,
                                   .size = step->size,
                                   .site = step->site,
                                   .thread = step->thread,
                                   .step = number,
                                   .kind = step->kind};
}

static void meet(const struct rv_fiber *self, const struct rv_fiber *other, const struct rv_step *mine,
                 const struct rv_step *its) {
    uint64_t common = mine->address > its->address ? mine->address : its->address;
    if (is_benign(common)) return;
    met = (struct rv_race_report){.address = common};
    uint32_t numbers[2] = {0};
    if (rv_watching.recording) {
        numbers[0] = rv_record_of(other, its);
        numbers[1] = rv_record_of(self, mine);
    }
    met.first = access_of(its, numbers[0]);
    met.second = access_of(mine, numbers[1]);
    standing = true;
    if (rv_engine.replaying)
        rv_watch_end(self->pending.site);
    else
        rv_worker_file_race(&met, true);
}

void rv_watch_meet(const struct rv_fiber *self) {
    if (!rv_watching.on || rv.mode != RV_CONTROLLED) return;
    struct rv_step mine = step_of(self);
    for (uint32_t i = 0; i < rv_engine.alive_count; i++) {
        const struct rv_fiber *other = rv_engine.alive[i];
        if (other == self || !(rv_op_flags[other->pending.op] & RV_OPF_MEMORY)) continue;
        struct rv_step its = step_of(other);
        bool overlap = mine.address < its.address + its.size && its.address < mine.address + mine.size;
        if (!overlap || !rv_steps_conflict(mine.kind, its.kind)) continue;
        if (is_wanted(rv_race_signature(mine.site, its.site))) meet(self, other, &mine, &its);
    }
}

/* ---- steps ---- */

static void discard(void *memory, size_t size) { (void)rv_sys_madvise(memory, size, MADV_DONTNEED); }

static void take(const struct rv_step *step, uintptr_t pc) {
    const struct rv_fiber *self = rv.current;
    uint32_t number = (uint32_t)self->step;
    if (RV_UNLIKELY(rv_watching.recording)) number = rv_record_of(self, step);
    rv_race_step(&rv_watching.race, step, number);
    if (RV_UNLIKELY(rv_watching.over)) rv_watch_end(pc);
}

void rv_watch_step(enum rv_step_kind kind, uint64_t address, uint64_t size, unsigned order, uintptr_t pc) {
    if (rv.mode != RV_CONTROLLED) return;
    struct rv_step step = {.address = address,
                           .size = size,
                           .site = pc ? rv_site_of(pc)->code : 0,
                           .thread = rv.current->id,
                           .kind = (uint8_t)kind,
                           .order = (uint8_t)order};
    take(&step, pc);
}

/* What the thread did right before, at the same place, needs no second record: nothing has come in between. */
static bool is_repeated(const struct rv_fiber *self, uintptr_t address, size_t size, bool write,
                        uint64_t site) {
    const struct rv_race *race = &rv_watching.race;
    const struct rv_granule *granule = rv_race_granule(race, address, size);
    return rv_race_known(granule, self->clock, address, size, write) &&
           ((const uint64_t *)race->sites.items)[granule->first.site] == site;
}

void rv_watch_thorough(struct rv_fiber *self, uintptr_t address, size_t size, bool write,
                       const struct rv_site *site, uintptr_t pc) {
    if (is_repeated(self, address, size, write, site->code)) return;
    struct rv_step step = {.address = address,
                           .size = size,
                           .site = site->code,
                           .thread = self->id,
                           .kind = write ? RV_STEP_WRITE : RV_STEP_READ};
    take(&step, pc);
}

void rv_watch_benign(uintptr_t address, size_t size, uintptr_t pc) {
    if (benign_count < MAX_BENIGN) benign[benign_count++] = (struct benign){address, size, pc};
    rv_watch(RV_STEP_BENIGN, (const void *)address, size, 0, pc);
}

/* ---- threads ---- */

static struct rv_fiber *child_of(uint32_t number) { return rv.fibers[number]; }

void rv_watch_created(struct rv_fiber *child) {
    child->clock = NULL;
    if (!rv_watching.on || rv.mode != RV_CONTROLLED) return;
    rv_watch_step(RV_STEP_CREATE, child->id, 0, 0, child->created_at);
    child_of(child->id)->clock = rv_race_thread(&rv_watching.race, child->id);
    if (rv_watching.recording || rv.config->race) child->stack_escaped = true;
}

static void begin_thread(const struct rv_fiber *self, uintptr_t code) {
    struct rv_step step = {.address = self->stack_low,
                           .size = self->stack_size,
                           .site = code ? rv_code_of(code) : 0,
                           .thread = self->id,
                           .kind = RV_STEP_START};
    take(&step, 0);
}

void rv_watch_started(struct rv_fiber *self) {
    if (!rv_watching.on) return;
    rv_watch_step(RV_STEP_ALLOC, self->stack_low, self->stack_size, 0, 0);
    begin_thread(self, (uintptr_t)self->start);
}

/* What was allocated before there were threads is news to whoever reads the recording. */
static void record_blocks(void) {
    struct rv_heap_block block;
    uint32_t cursor = 0;
    for (uint32_t i = 0; i < MAX_OLD_BLOCKS && rv_heap_next(&cursor, &block); i++) rv_record_block(&block);
}

static void begin_main(void) {
    struct rv_fiber *self = rv.current;
    self->clock = rv_race_thread(&rv_watching.race, self->id);
    if (rv_watching.recording || rv.config->race) self->stack_escaped = true;
    begin_thread(self, 0);
    if (rv_watching.recording) record_blocks();
    for (uint32_t i = 0; i < benign_count; i++)
        rv_watch_step(RV_STEP_BENIGN, benign[i].address, benign[i].size, 0, benign[i].pc);
    for (uint32_t i = 0; i < self->held_count; i++) {
        const struct rv_lock_held *held = &self->held[i];
        bool shared = held->op == RV_OP_RDLOCK;
        uintptr_t pc = held->frame_count ? held->frames[0] : 0;
        for (uint32_t k = 0; k < held->count; k++)
            rv_watch_step(shared ? RV_STEP_LOCK_SHARED : RV_STEP_LOCK, (uint64_t)held->object, 0, 0, pc);
    }
}

/* ---- executions ---- */

static void get_ready(void) {
    static const struct rv_pages pages = {rv_reserve, discard};
    if (ready) return;
    if (!rv_race_init(&rv_watching.race, &pages, found, NULL) || !rv_record_init())
        rv_unusable("no memory to watch for races (--races=off does without)");
    ready = true;
    benign_before = benign_count;
}

void rv_watch_begin(bool on, bool record) {
    rv_watching.on = on;
    rv_watching.recording = on && record;
    rv_watching.thorough = on && (record || rv.config->race || rv.config->keep_going);
    rv_watching.over = false;
    standing = false;
    if (!on) return;
    get_ready();
    rv_watching.race.thorough = rv_watching.thorough;
    benign_count = benign_before;
    rv_race_begin(&rv_watching.race);
    rv_record_begin(rv_watching.recording);
    begin_main();
}

void rv_watch_stop(void) {
    rv_watching.on = false;
    if (rv_watching.race.exhausted)
        rv_note("an execution was too large to be watched for races to its end: some may be missing");
}
