#include "simulator.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

enum { MAX_STEPS = 20000, MAX_THREADS = SIM_BODIES };

/* Mutexes, semaphores and threads need objects that no variable has. */
enum {
    OBJECT_VARIABLE = 0x1000,
    OBJECT_MUTEX = 0x2000,
    OBJECT_SEMAPHORE = 0x3000,
    OBJECT_THREAD = 0x4000,
    OBJECT_CONDITION = 0x5000,
    OBJECT_WAKE = 0x6000
};

struct thread {
    uint32_t body;
    uint32_t pc;
    uint32_t lineage;
    uint32_t children;
    int32_t reg;
    bool started;
    bool spinning;
    uint8_t waiting; /* 1 + the condition; */
    uint8_t phase;   /* of CWAIT: 0 begins, 1 waits to be woken, 2 takes the mutex again */
    uint64_t ticket; /* of the waiters those who came first are first */
    uint64_t step;
};

/* Everything an execution's future depends on, but for what is known about conflicts. */
struct machine {
    struct thread threads[MAX_THREADS];
    uint32_t thread_count;
    uint32_t current;
    int32_t variables[SIM_VARIABLES];
    uint32_t owner[SIM_MUTEXES]; /* 1 + thread */
    uint32_t tokens[SIM_SEMAPHORES];
    uint64_t tickets;
    enum rv_kind kind;
};

/* ---- sets */

bool sim_set_has(const struct sim_set *set, uint64_t item) {
    if (!set->capacity) return false;
    size_t at = item * 0x9e3779b97f4a7c15u >> 20 & (set->capacity - 1);
    while (set->items[at]) {
        if (set->items[at] == item) return true;
        at = (at + 1) & (set->capacity - 1);
    }
    return false;
}

static void insert(struct sim_set *set, uint64_t item) {
    size_t at = item * 0x9e3779b97f4a7c15u >> 20 & (set->capacity - 1);
    while (set->items[at]) at = (at + 1) & (set->capacity - 1);
    set->items[at] = item;
    set->count++;
}

bool sim_set_add(struct sim_set *set, uint64_t item) {
    assert(item);
    if (sim_set_has(set, item)) return false;
    if (set->count * 2 >= set->capacity) {
        struct sim_set larger = {.capacity = set->capacity ? set->capacity * 4 : 64};
        larger.items = calloc(larger.capacity, sizeof *larger.items);
        for (size_t i = 0; i < set->capacity; i++)
            if (set->items[i]) insert(&larger, set->items[i]);
        free(set->items);
        *set = larger;
    }
    insert(set, item);
    return true;
}

bool sim_set_equal(const struct sim_set *a, const struct sim_set *b) {
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->capacity; i++)
        if (a->items[i] && !sim_set_has(b, a->items[i])) return false;
    return true;
}

void sim_set_free(struct sim_set *set) {
    free(set->items);
    *set = (struct sim_set){0};
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    struct rv_rng rng = {hash ^ value * 0xff51afd7ed558ccdu};
    return rv_rng_next(&rng) | 1; /* never 0: sets need that */
}

/* ---- the machine */

static struct machine machine_new(void) {
    struct machine machine = {.thread_count = 1};
    machine.threads[0].started = true;
    machine.threads[0].lineage = 1;
    return machine;
}

static bool finished(const struct sim_program *program, const struct machine *machine, uint32_t thread) {
    const struct thread *self = &machine->threads[thread];
    return self->started && self->pc >= program->bodies[self->body].count;
}

static struct sim_operation pending(const struct sim_program *program, const struct thread *thread) {
    if (!thread->started) return (struct sim_operation){.op = SIM_START};
    struct sim_operation next = program->bodies[thread->body].ops[thread->pc];
    if (thread->phase) next.op = thread->phase == 1 ? SIM_WOKEN : SIM_LOCK;
    return next;
}

static int64_t thread_with_body(const struct machine *machine, uint32_t body) {
    for (uint32_t i = 0; i < machine->thread_count; i++)
        if (machine->threads[i].body == body) return i;
    return -1;
}

static bool can_go_on(const struct sim_program *program, const struct machine *machine, uint32_t thread) {
    struct sim_operation next = pending(program, &machine->threads[thread]);
    switch (next.op) {
    case SIM_LOCK:
    case SIM_TIMEDLOCK: return !machine->owner[next.a];
    case SIM_WAIT: return machine->tokens[next.a] > 0;
    case SIM_WOKEN: return !machine->threads[thread].waiting;
    case SIM_SLEEP: return false;
    case SIM_JOIN: {
        int64_t other = thread_with_body(machine, next.a);
        return other >= 0 && finished(program, machine, (uint32_t)other);
    }
    case SIM_SPIN: return !machine->threads[thread].spinning || machine->variables[next.a];
    default: return true;
    }
}

static bool can_time_out(const struct sim_program *program, const struct machine *machine, uint32_t thread) {
    enum sim_op op = pending(program, &machine->threads[thread]).op;
    return op == SIM_TIMEDLOCK || op == SIM_SLEEP;
}

/* The n-th of those who wait for the condition; -1: there are not so many. */
static int64_t waiter(const struct machine *machine, uint32_t condition, uint32_t n) {
    uint64_t after = 0;
    for (;; n--) {
        int64_t found = -1;
        for (uint32_t i = 0; i < machine->thread_count; i++) {
            const struct thread *thread = &machine->threads[i];
            if (thread->waiting != condition + 1 || thread->ticket <= after) continue;
            if (found < 0 || thread->ticket < machine->threads[found].ticket) found = i;
        }
        if (found < 0 || n == 0) return found;
        after = machine->threads[found].ticket;
    }
}

/* Between how many outcomes the operation can choose. */
static uint32_t outcomes(const struct machine *machine, struct sim_operation next) {
    uint32_t waiters = 0;
    if (next.op == SIM_CHOOSE) return (uint32_t)next.value;
    if (next.op != SIM_SIGNAL) return 1;
    while (waiter(machine, next.a, waiters) >= 0) waiters++;
    return waiters ? waiters : 1;
}

static void wake(struct machine *machine, uint32_t condition, uint32_t n) {
    int64_t woken = waiter(machine, condition, n);
    if (woken >= 0) machine->threads[woken].waiting = 0;
}

/* CWAIT, and WOKEN in the middle of it. */
static void wait_for_condition(struct machine *machine, struct thread *self, struct sim_operation next) {
    self->phase++;
    if (next.op == SIM_WOKEN) return;
    if (machine->owner[next.a] == machine->current + 1) machine->owner[next.a] = 0;
    self->waiting = (uint8_t)(next.a + 1);
    self->ticket = ++machine->tickets;
}

/* The operations that happen within a step. */
static void follow_up(const struct sim_program *program, struct machine *machine, struct thread *self) {
    while (!finished(program, machine, machine->current)) {
        struct sim_operation next = pending(program, self);
        if (next.op == SIM_SKIP_IF) {
            self->pc += self->reg == next.value ? 2 : 1;
            if (self->pc > program->bodies[self->body].count) self->pc = program->bodies[self->body].count;
            continue;
        }
        if (next.op != SIM_FAIL_IF && next.op != SIM_FAIL_NOT) return;
        if ((self->reg == next.value) == (next.op == SIM_FAIL_IF)) return;
        self->pc++;
    }
}

static void create(struct machine *machine, uint32_t body) {
    assert(machine->thread_count < MAX_THREADS && thread_with_body(machine, body) < 0);
    struct thread *creator = &machine->threads[machine->current];
    struct thread *created = &machine->threads[machine->thread_count++];
    *created = (struct thread){.body = body, .lineage = (uint32_t)mix(creator->lineage, creator->children++)};
}

/* The operation of the current thread happens. `choice` is the answer to CHOOSE. */
static void perform(const struct sim_program *program, struct machine *machine, bool timeout,
                    uint32_t choice) {
    struct thread *self = &machine->threads[machine->current];
    struct sim_operation next = pending(program, self);
    uint32_t holder = machine->current + 1;
    self->step++;
    self->spinning = false;
    switch (next.op) {
    case SIM_START: self->started = true; break;
    case SIM_READ: self->reg = machine->variables[next.a]; break;
    case SIM_WRITE: machine->variables[next.a] = next.value; break;
    case SIM_STORE: machine->variables[next.a] = self->reg + next.value; break;
    case SIM_ADD:
        self->reg = machine->variables[next.a];
        machine->variables[next.a] += next.value;
        break;
    case SIM_MARK: machine->variables[next.a] = machine->variables[next.a] * 4 + next.value; break;
    case SIM_LOCK:
    case SIM_TIMEDLOCK:
        if (timeout && machine->owner[next.a])
            self->reg = 77;
        else
            machine->owner[next.a] = holder;
        break;
    case SIM_TRYLOCK:
        if (machine->owner[next.a])
            self->reg = 78;
        else
            machine->owner[next.a] = holder;
        break;
    case SIM_UNLOCK:
        if (machine->owner[next.a] == holder) machine->owner[next.a] = 0;
        break;
    case SIM_POST: machine->tokens[next.a]++; break;
    case SIM_WAIT: machine->tokens[next.a]--; break;
    case SIM_CWAIT:
    case SIM_WOKEN: wait_for_condition(machine, self, next); break;
    case SIM_SIGNAL: wake(machine, next.a, choice); break;
    case SIM_BROADCAST:
        while (waiter(machine, next.a, 0) >= 0) wake(machine, next.a, 0);
        break;
    case SIM_FAIL_IF:
    case SIM_FAIL_NOT: machine->kind = RV_KIND_ASSERT; return;
    case SIM_SPIN: self->spinning = !machine->variables[next.a]; break;
    case SIM_CREATE: create(machine, next.a); break;
    case SIM_CHOOSE: self->reg = (int32_t)choice; break;
    default: break;
    }
    if (next.op == SIM_CWAIT || next.op == SIM_WOKEN) return;
    if (next.op == SIM_LOCK) self->phase = 0;
    if (next.op != SIM_START && !self->spinning) self->pc++;
    follow_up(program, machine, self);
}

/* After a failure only the failing body matters: how far others came by then is no difference in effect. */
static uint64_t state_hash(const struct machine *machine) {
    if (machine->kind == RV_KIND_ASSERT) return mix(2, machine->threads[machine->current].body);
    uint64_t hash = mix(1, machine->kind);
    for (uint32_t i = 0; i < machine->thread_count; i++) {
        /* By body: the numbers of threads depend on the order of creation, which is no difference in effect. */
        const struct thread *thread = &machine->threads[i];
        uint64_t one = mix(thread->body, thread->pc);
        one = mix(mix(one, (uint64_t)(uint32_t)thread->reg),
                  thread->started + 2u * thread->spinning + 4u * thread->phase);
        one = mix(one, thread->waiting);
        if (thread->waiting) /* how many are before it */
            for (uint32_t k = 0; k < machine->thread_count; k++)
                one += machine->threads[k].waiting == thread->waiting &&
                       machine->threads[k].ticket < thread->ticket;
        for (uint32_t m = 0; m < SIM_MUTEXES; m++) one = mix(one, machine->owner[m] == i + 1);
        hash ^= one << 1;
    }
    for (uint32_t i = 0; i < SIM_VARIABLES; i++) hash = mix(hash, (uint64_t)(uint32_t)machine->variables[i]);
    for (uint32_t i = 0; i < SIM_SEMAPHORES; i++) hash = mix(hash, machine->tokens[i]);
    return hash;
}

/* ---- what a strategy sees */

static struct rv_operation operation_of(const struct sim_program *program, const struct thread *thread) {
    static const uint16_t ops[] = {
        [SIM_READ] = RV_OP_READ,           [SIM_WRITE] = RV_OP_WRITE,
        [SIM_STORE] = RV_OP_WRITE,         [SIM_ADD] = RV_OP_ATOMIC_RMW,
        [SIM_MARK] = RV_OP_ATOMIC_RMW,     [SIM_LOCK] = RV_OP_LOCK,
        [SIM_TIMEDLOCK] = RV_OP_TIMEDLOCK, [SIM_TRYLOCK] = RV_OP_TRYLOCK,
        [SIM_UNLOCK] = RV_OP_UNLOCK,       [SIM_POST] = RV_OP_SEM_POST,
        [SIM_WAIT] = RV_OP_SEM_WAIT,       [SIM_YIELD] = RV_OP_YIELD,
        [SIM_SLEEP] = RV_OP_SLEEP,         [SIM_SPIN] = RV_OP_ATOMIC_LOAD,
        [SIM_CREATE] = RV_OP_CREATE,       [SIM_JOIN] = RV_OP_JOIN,
        [SIM_CHOOSE] = RV_OP_CHOOSE,       [SIM_START] = RV_OP_START,
        [SIM_CWAIT] = RV_OP_COND_WAIT,     [SIM_WOKEN] = RV_OP_COND_WAIT,
        [SIM_SIGNAL] = RV_OP_COND_SIGNAL,  [SIM_BROADCAST] = RV_OP_COND_BROADCAST,
        [SIM_FAIL_IF] = RV_OP_NONE,        [SIM_FAIL_NOT] = RV_OP_NONE,
    };
    struct sim_operation next = pending(program, thread);
    struct rv_operation seen = {.op = ops[next.op], .flags = rv_op_flags[ops[next.op]]};
    seen.site = 1 + (next.op == SIM_START ? SIM_SITES + thread->body : thread->body * SIM_OPS + thread->pc);
    switch (next.op) {
    case SIM_READ:
    case SIM_WRITE:
    case SIM_STORE:
    case SIM_ADD:
    case SIM_MARK:
    case SIM_SPIN:
        seen.object = OBJECT_VARIABLE + 4 * next.a;
        seen.size = 4;
        break;
    case SIM_LOCK:
    case SIM_TIMEDLOCK:
    case SIM_TRYLOCK:
    case SIM_UNLOCK: seen.object = OBJECT_MUTEX + 64 * next.a; break;
    case SIM_POST:
    case SIM_WAIT: seen.object = OBJECT_SEMAPHORE + 64 * next.a; break;
    case SIM_CREATE:
    case SIM_JOIN: seen.object = OBJECT_THREAD + 8 * next.a; break;
    case SIM_CWAIT:
        seen.object = OBJECT_CONDITION + 64 * next.a;
        seen.other = OBJECT_MUTEX + 64 * next.a;
        seen.flags &= (uint16_t)~RV_OPF_BLOCKS; /* to begin with waiting is always possible */
        break;
    case SIM_SIGNAL:
    case SIM_BROADCAST: seen.object = OBJECT_CONDITION + 64 * next.a; break;
    case SIM_WOKEN:
        seen.object = OBJECT_WAKE + 8 * thread->body;
        seen.flags = RV_OPF_SYNC | RV_OPF_BLOCKS;
        break;
    default: break;
    }
    if (next.op == SIM_TIMEDLOCK || next.op == SIM_SLEEP) seen.flags &= (uint16_t)~RV_OPF_BLOCKS;
    return seen;
}

/* Whether the current thread's pending operation is a point. */
static bool is_point(const struct sim_program *program, const struct machine *machine,
                     const struct sim_knowledge *knowledge) {
    if (finished(program, machine, machine->current)) return true;
    struct rv_operation next = operation_of(program, &machine->threads[machine->current]);
    if (next.op == RV_OP_CHOOSE) return false;
    if (next.op == RV_OP_NONE || next.flags & (RV_OPF_SYNC | RV_OPF_ATOMIC)) return true;
    return knowledge->conflict[next.site - 1];
}

static uint32_t candidates_of(const struct sim_program *program, const struct machine *machine,
                              struct rv_candidate *candidates) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < machine->thread_count; i++) {
        if (finished(program, machine, i)) continue;
        const struct thread *thread = &machine->threads[i];
        struct rv_candidate candidate = {.thread = i,
                                         .lineage = thread->lineage,
                                         .step = thread->step,
                                         .next = operation_of(program, thread)};
        if (can_go_on(program, machine, i)) candidates[count++] = candidate;
        candidate.timeout = true;
        if (can_time_out(program, machine, i)) candidates[count++] = candidate;
    }
    return count;
}

static struct rv_point point_of(const struct machine *machine, const struct rv_candidate *candidates,
                                uint32_t count, uint64_t number) {
    struct rv_point point = {.candidates = candidates,
                             .count = count,
                             .current = machine->current,
                             .current_index = -1,
                             .number = number};
    for (uint32_t i = 0; i < count; i++) {
        if (candidates[i].thread != machine->current || candidates[i].timeout) continue;
        point.current_index = (int32_t)i;
        point.yielded = candidates[i].next.flags & RV_OPF_YIELD;
    }
    return point;
}

/* What happens when nothing can happen: the end, or a deadlock. */
static void conclude(const struct sim_program *program, struct machine *machine) {
    for (uint32_t i = 0; i < machine->thread_count; i++)
        if (!finished(program, machine, i)) machine->kind = RV_KIND_DEADLOCK;
}

/* ---- one execution under a strategy */

struct access {
    uint64_t site;
    uint32_t thread;
    bool write;
};

struct execution {
    const struct sim_program *program;
    struct machine machine;
    struct sim_knowledge *knowledge;
    struct sim_instance *instance;
    struct sim_result *result;
    struct access accesses[SIM_VARIABLES][256];
    uint32_t access_count[SIM_VARIABLES];
    uint64_t stop_at; /* step of the current thread at which the replayer wants a point */
};

static void learn(struct execution *execution, uint64_t site) {
    if (execution->knowledge->conflict[site - 1]) return;
    execution->knowledge->conflict[site - 1] = true;
    execution->result->learned++;
}

/* Conflicts of this access with earlier ones of the same execution. */
static void look_for_conflicts(struct execution *execution, const struct rv_operation *done) {
    if (!(done->flags & RV_OPF_MEMORY)) return;
    uint64_t variable = (done->object - OBJECT_VARIABLE) / 4;
    struct access now = {done->site, execution->machine.current, done->flags & RV_OPF_WRITE};
    uint32_t count = execution->access_count[variable];
    for (uint32_t i = count; i-- > 0;) {
        struct access *then = &execution->accesses[variable][i];
        if (then->thread == now.thread || !(then->write || now.write)) continue;
        learn(execution, then->site);
        learn(execution, now.site);
        bool *pair = &execution->knowledge->pairs[then->site - 1][now.site - 1];
        if (!*pair) execution->result->new_coverage = true;
        *pair = true;
    }
    if (count < 256) execution->accesses[variable][execution->access_count[variable]++] = now;
}

/* As the engine logs: a run ends where another thread goes on, or before a time-out. */
static void record(struct execution *execution, uint32_t thread, bool timeout) {
    struct sim_result *result = execution->result;
    struct rv_run *last = result->run_count ? &result->runs[result->run_count - 1] : NULL;
    uint64_t step = execution->machine.threads[thread].step;
    if (last && last->thread == thread && !timeout) {
        last->until = step + 1;
        return;
    }
    if (result->run_count == SIM_RUNS) return;
    result->runs[result->run_count++] =
        (struct rv_run){.thread = thread, .flags = timeout ? RV_RUN_TIMEOUT : 0, .until = step + 1};
}

/* What the thread that went on last has done to objects, in the terms of the strategies' interface. */
struct effects {
    struct rv_operation done[4 + MAX_THREADS];
    uint32_t count;
};

static void add_effect(struct effects *effects, struct rv_operation done, uint64_t object, bool room) {
    done.object = object;
    done.other = 0;
    done.room = room ? RV_ROOM_ANY : RV_ROOM_NONE;
    effects->done[effects->count++] = done;
}

static void find_effects(const struct sim_program *program, const struct machine *before,
                         const struct machine *after, struct effects *effects) {
    uint32_t self = before->current;
    struct sim_operation next = pending(program, &before->threads[self]);
    struct rv_operation done = operation_of(program, &before->threads[self]);
    effects->count = 0;
    done.room = RV_ROOM_ANY;
    switch (next.op) {
    case SIM_LOCK:
    case SIM_TIMEDLOCK:
    case SIM_TRYLOCK:
    case SIM_UNLOCK:
        done.unchanged = before->owner[next.a] == after->owner[next.a];
        add_effect(effects, done, done.object, !before->owner[next.a]);
        break;
    case SIM_POST:
    case SIM_WAIT: add_effect(effects, done, done.object, before->tokens[next.a]); break;
    case SIM_CREATE: add_effect(effects, done, done.object, false); break;
    case SIM_CWAIT:
        add_effect(effects, done, done.object, true);
        done.op = RV_OP_UNLOCK;
        done.flags = rv_op_flags[RV_OP_UNLOCK];
        done.unchanged = before->owner[next.a] == after->owner[next.a];
        add_effect(effects, done, OBJECT_MUTEX + 64 * next.a, !before->owner[next.a]);
        break;
    case SIM_WOKEN: add_effect(effects, done, done.object, true); break;
    default:
        if (done.object) effects->done[effects->count++] = done;
    }
    done = (struct rv_operation){.op = RV_OP_COND_SIGNAL, .flags = RV_OPF_SYNC | RV_OPF_WRITE};
    for (uint32_t i = 0; i < before->thread_count; i++)
        if (before->threads[i].waiting && !after->threads[i].waiting)
            add_effect(effects, done, OBJECT_WAKE + 8 * before->threads[i].body, false);
    done = (struct rv_operation){.op = RV_OP_EXIT, .flags = rv_op_flags[RV_OP_EXIT]};
    if (finished(program, after, self))
        add_effect(effects, done, OBJECT_THREAD + 8 * before->threads[self].body, false);
}

static void happen(struct execution *execution, uint32_t thread, bool timeout) {
    struct machine *machine = &execution->machine;
    struct sim_result *result = execution->result;
    const struct rv_strategy *strategy = execution->instance->strategy;
    struct sim_operation next = pending(execution->program, &machine->threads[thread]);
    struct rv_operation done = operation_of(execution->program, &machine->threads[thread]);
    uint32_t choice = 0;
    record(execution, thread, timeout);
    machine->current = thread;
    uint32_t ways = outcomes(machine, next);
    struct effects effects;
    if (ways > 1) {
        choice = strategy->choose(execution->instance->state, ways);
        assert(choice < ways);
        result->schedule = mix(result->schedule, 1000 + choice);
        if (result->choice_count < SIM_RUNS) result->choices[result->choice_count++] = (uint8_t)choice;
    }
    struct machine before = *machine;
    perform(execution->program, machine, timeout, choice);
    look_for_conflicts(execution, &done);
    result->schedule = mix(result->schedule, thread * 2u + timeout);
    find_effects(execution->program, &before, machine, &effects);
    for (uint32_t i = 0; strategy->observe && i < effects.count; i++)
        strategy->observe(execution->instance->state, thread, &effects.done[i]);
}

static bool is_preemption(const struct rv_point *point, uint32_t index) {
    return point->current_index >= 0 && !point->yielded && point->candidates[index].thread != point->current;
}

static bool is_disturbance(const struct rv_point *point, uint32_t index) {
    if (point->current_index >= 0 && !point->yielded) return index != (uint32_t)point->current_index;
    bool others = false;
    for (uint32_t i = 0; i < point->count; i++)
        others |= !point->candidates[i].timeout && point->candidates[i].thread != point->current;
    if (!others) return index != rv_default_pick(point);
    return point->candidates[index].timeout || point->candidates[index].thread == point->current;
}

/* When a round robin would come to this candidate: time-outs last, the thread that goes on first, the others by their
 * distance from it. */
static uint64_t turn(const struct rv_point *point, uint32_t index) {
    const struct rv_candidate *candidate = &point->candidates[index];
    uint64_t distance = (candidate->thread + MAX_THREADS - point->current - 1) % MAX_THREADS + 1;
    if ((int32_t)index == point->current_index && !point->yielded) distance = 0;
    return distance + (candidate->timeout ? 100 : 0);
}

static uint64_t delays_of(const struct rv_point *point, uint32_t index) {
    uint64_t before = 0;
    for (uint32_t i = 0; i < point->count; i++) before += turn(point, i) < turn(point, index);
    return before;
}

static const struct rv_strategy *in_charge(const struct sim_instance *instance) {
    const struct rv_strategy *strategy = instance->strategy;
    return strategy->in_charge ? strategy->in_charge(instance->state) : strategy;
}

/* One point; false: nothing can happen any more. */
static bool decide(struct execution *execution) {
    struct machine *machine = &execution->machine;
    struct rv_candidate candidates[2 * MAX_THREADS];
    uint32_t count = candidates_of(execution->program, machine, candidates);
    if (!count) return false;
    uint32_t index = 0;
    if (count > 1 || in_charge(execution->instance)->sees_all_points) {
        struct rv_point point = point_of(machine, candidates, count, execution->result->points++);
        index = execution->instance->strategy->pick(execution->instance->state, &point);
        assert(index < count);
        execution->result->preemptions += is_preemption(&point, index);
        execution->result->disturbances += is_disturbance(&point, index);
        execution->result->delays += delays_of(&point, index);
    }
    if (execution->instance->strategy == &rv_strategy_replay)
        execution->stop_at = rv_replay_stop_at(execution->instance->state, candidates[index].thread);
    happen(execution, candidates[index].thread, candidates[index].timeout);
    return true;
}

static void tell_unfinished(struct execution *execution) {
    const struct rv_strategy *strategy = execution->instance->strategy;
    if (!strategy->unfinished) return;
    const struct machine *machine = &execution->machine;
    struct rv_candidate candidates[MAX_THREADS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < machine->thread_count; i++) {
        const struct thread *thread = &machine->threads[i];
        if (finished(execution->program, machine, i) || thread->waiting) continue;
        candidates[count++] = (struct rv_candidate){.thread = i,
                                                    .lineage = thread->lineage,
                                                    .step = thread->step,
                                                    .next = operation_of(execution->program, thread)};
    }
    strategy->unfinished(execution->instance->state, candidates, count);
}

void sim_run(const struct sim_program *program, struct sim_knowledge *knowledge,
             struct sim_instance *instance, uint64_t index, struct sim_result *result) {
    struct execution execution; /* large, and accesses[] need not be cleared */
    const struct rv_strategy *strategy = instance->strategy;
    execution.program = program;
    execution.machine = machine_new();
    execution.knowledge = knowledge;
    execution.instance = instance;
    execution.result = result;
    execution.stop_at = strategy == &rv_strategy_replay ? 0 : UINT64_MAX;
    memset(execution.access_count, 0, sizeof execution.access_count);
    struct machine *machine = &execution.machine;
    result->run_count = result->choice_count = result->points = result->learned = 0;
    result->preemptions = result->disturbances = result->delays = 0;
    result->new_coverage = result->not_terminating = false;
    result->schedule = 1;
    strategy->begin(instance->state, index);
    for (uint32_t steps = 0; machine->kind == RV_KIND_NONE; steps++) {
        if (steps == MAX_STEPS) {
            result->not_terminating = true;
            break;
        }
        bool stop = machine->threads[machine->current].step == execution.stop_at;
        if (!stop && !is_point(program, machine, knowledge)) {
            happen(&execution, machine->current, false);
        } else if (!decide(&execution)) {
            conclude(program, machine);
            break;
        }
    }
    tell_unfinished(&execution);
    result->kind = machine->kind;
    result->final = state_hash(machine);
    memcpy(result->variables, machine->variables, sizeof result->variables);
    struct rv_strategy_end end = {.kind = result->kind,
                                  .not_terminating = result->not_terminating,
                                  .points = result->points,
                                  .learned = result->learned,
                                  .new_coverage = result->new_coverage};
    result->go_on = strategy->end(instance->state, &end);
}

/* ---- brute force */

/* A search through the states. With what is left of the bound, the state alone decides what can still happen. */
struct visits {
    const struct sim_program *program;
    bool bounded; /* preemptions are counted */
    struct sim_set seen;
    struct sim_set *states; /* the final ones */
};

/* What a preemption is, in terms of the machine: the strategy's own notion is not to be trusted here. */
static bool preempts(const struct sim_program *program, const struct machine *machine, uint32_t thread) {
    uint32_t current = machine->current;
    if (thread == current || finished(program, machine, current)) return false;
    return can_go_on(program, machine, current) &&
           pending(program, &machine->threads[current]).op != SIM_YIELD;
}

/* Whether this is the first time at this state with so much left. */
static bool first_visit(struct visits *visits, const struct machine *machine, uint32_t left) {
    uint64_t hash = state_hash(machine);
    if (visits->bounded) hash = mix(mix(hash, machine->threads[machine->current].body), left);
    return sim_set_add(&visits->seen, hash);
}

static void visit(struct visits *visits, const struct machine *machine, uint32_t left) {
    const struct sim_program *program = visits->program;
    if (!first_visit(visits, machine, left)) return;
    struct rv_candidate candidates[2 * MAX_THREADS];
    uint32_t count = candidates_of(program, machine, candidates);
    if (!count || machine->kind != RV_KIND_NONE) {
        struct machine last = *machine;
        if (!count && last.kind == RV_KIND_NONE) conclude(program, &last);
        sim_set_add(visits->states, state_hash(&last));
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cost = visits->bounded && preempts(program, machine, candidates[i].thread);
        if (cost > left) continue;
        struct sim_operation next = pending(program, &machine->threads[candidates[i].thread]);
        for (uint32_t choice = 0; choice < outcomes(machine, next); choice++) {
            struct machine after = *machine;
            after.current = candidates[i].thread;
            perform(program, &after, candidates[i].timeout, choice);
            visit(visits, &after, left - cost);
        }
    }
}

static void visit_all(struct visits visits, uint32_t bound) {
    struct machine machine = machine_new();
    visit(&visits, &machine, bound);
    sim_set_free(&visits.seen);
}

void sim_final_states(const struct sim_program *program, struct sim_set *states) {
    visit_all((struct visits){.program = program, .states = states}, 0);
}

void sim_bounded_states(const struct sim_program *program, uint32_t bound, struct sim_set *states) {
    visit_all((struct visits){.program = program, .bounded = true, .states = states}, bound);
}

static bool extend(const struct sim_program *program, const struct sim_knowledge *knowledge,
                   const struct machine *machine, uint64_t schedule, uint64_t limit,
                   struct sim_set *schedules) {
    struct rv_candidate candidates[2 * MAX_THREADS];
    uint32_t count = 1;
    if (machine->kind != RV_KIND_NONE)
        count = 0;
    else if (is_point(program, machine, knowledge))
        count = candidates_of(program, machine, candidates);
    else
        candidates[0] = (struct rv_candidate){.thread = machine->current};
    if (!count) {
        bool added = sim_set_add(schedules, schedule);
        assert(added);
        (void)added;
        return schedules->count <= limit;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct sim_operation next = pending(program, &machine->threads[candidates[i].thread]);
        uint32_t ways = outcomes(machine, next);
        for (uint32_t choice = 0; choice < ways; choice++) {
            struct machine after = *machine;
            after.current = candidates[i].thread;
            perform(program, &after, candidates[i].timeout, choice);
            uint64_t longer = ways > 1 ? mix(schedule, 1000 + choice) : schedule;
            longer = mix(longer, candidates[i].thread * 2u + candidates[i].timeout);
            if (!extend(program, knowledge, &after, longer, limit, schedules)) return false;
        }
    }
    return true;
}

/* A schedule as a list of what was done, to find its trace: with each, what must come before it. */
enum { TRACE_EVENTS = 64 };
struct tracing {
    const struct sim_program *program;
    struct sim_set *traces;
    uint64_t left; /* schedules that may still be looked at */
    struct {
        uint32_t body, created; /* created: 1 + body of the thread that it created */
        uint64_t name;          /* which of its thread it is, with what outcome */
        uint64_t before;        /* a bit for each event before it */
        struct effects effects;
    } events[TRACE_EVENTS];
    uint32_t count;
};

static bool touch(const struct effects *a, const struct effects *b) {
    for (uint32_t i = 0; i < a->count; i++) {
        bool writes = (a->done[i].flags & RV_OPF_WRITE) && !a->done[i].unchanged;
        for (uint32_t k = 0; k < b->count; k++)
            if (a->done[i].object == b->done[k].object &&
                (writes || ((b->done[k].flags & RV_OPF_WRITE) && !b->done[k].unchanged)))
                return true;
    }
    return false;
}

static void add_event(struct tracing *tracing, const struct machine *before, const struct machine *after,
                      uint32_t choice) {
    uint32_t at = tracing->count++;
    const struct thread *thread = &before->threads[before->current];
    struct sim_operation next = pending(tracing->program, thread);
    tracing->events[at].body = thread->body;
    tracing->events[at].created = next.op == SIM_CREATE ? 1 + next.a : 0;
    tracing->events[at].name = mix(mix(thread->body, thread->step), choice);
    tracing->events[at].before = 0;
    find_effects(tracing->program, before, after, &tracing->events[at].effects);
    for (uint32_t i = at; i-- > 0;) {
        bool in_order = tracing->events[i].body == thread->body ||
                        tracing->events[i].created == 1 + thread->body ||
                        touch(&tracing->events[i].effects, &tracing->events[at].effects);
        if (in_order) tracing->events[at].before |= tracing->events[i].before | UINT64_C(1) << i;
    }
}

static uint64_t trace_hash(const struct tracing *tracing) {
    uint64_t sum = 1;
    for (uint32_t i = 0; i < tracing->count; i++) {
        uint64_t before = 0;
        for (uint32_t k = 0; k < i; k++)
            if (tracing->events[i].before >> k & 1) before += mix(7, tracing->events[k].name);
        sum += mix(tracing->events[i].name, before);
    }
    return mix(sum, 3);
}

static bool trace_all(struct tracing *tracing, const struct machine *machine) {
    struct rv_candidate candidates[2 * MAX_THREADS];
    uint32_t count = machine->kind == RV_KIND_NONE ? candidates_of(tracing->program, machine, candidates) : 0;
    if (!count) {
        sim_set_add(tracing->traces, trace_hash(tracing));
        return tracing->left-- > 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && candidates[i].thread == candidates[i - 1].thread)
            continue; /* time-out, but it can go on */
        struct machine before = *machine;
        before.current = candidates[i].thread;
        struct sim_operation next = pending(tracing->program, &before.threads[before.current]);
        for (uint32_t choice = 0; choice < outcomes(machine, next); choice++) {
            struct machine after = before;
            perform(tracing->program, &after, candidates[i].timeout, choice);
            if (tracing->count == TRACE_EVENTS) return false;
            add_event(tracing, &before, &after, choice);
            if (!trace_all(tracing, &after)) return false;
            tracing->count--;
        }
    }
    return true;
}

bool sim_traces(const struct sim_program *program, uint64_t limit, struct sim_set *traces) {
    struct tracing tracing = {.program = program, .traces = traces, .left = limit};
    struct machine machine = machine_new();
    return trace_all(&tracing, &machine);
}

bool sim_schedules(const struct sim_program *program, const struct sim_knowledge *knowledge, uint64_t limit,
                   struct sim_set *schedules) {
    struct machine machine = machine_new();
    return extend(program, knowledge, &machine, 1, limit, schedules);
}

/* ---- programs and instances */

void sim_op(struct sim_program *program, uint32_t body, enum sim_op op, uint32_t a, int32_t value) {
    struct sim_body *to = &program->bodies[body];
    assert(to->count < SIM_OPS);
    to->ops[to->count++] = (struct sim_operation){op, a, value};
}

void sim_create_all(struct sim_program *program, uint32_t count) {
    for (uint32_t i = 1; i <= count; i++) sim_op(program, 0, SIM_CREATE, i, 0);
    for (uint32_t i = 1; i <= count; i++) sim_op(program, 0, SIM_JOIN, i, 0);
}

static void random_operation(struct sim_program *program, uint32_t body, struct rv_rng *rng) {
    uint32_t a = (uint32_t)rv_rng_below(rng, 2);
    int32_t value = (int32_t)rv_rng_below(rng, 3) + 1;
    switch (rv_rng_below(rng, 16)) {
    case 0:
    case 1:
    case 2: sim_op(program, body, SIM_READ, a, 0); break;
    case 3:
    case 4: sim_op(program, body, SIM_WRITE, a, value); break;
    case 5:
    case 6: sim_op(program, body, SIM_STORE, a, value); break;
    case 7: sim_op(program, body, SIM_ADD, a, value); break;
    case 8: sim_op(program, body, SIM_LOCK, a, 0); break;
    case 9: sim_op(program, body, SIM_UNLOCK, a, 0); break;
    case 10: sim_op(program, body, SIM_TIMEDLOCK, a, 0); break;
    case 11: sim_op(program, body, SIM_TRYLOCK, a, 0); break;
    case 12: sim_op(program, body, SIM_YIELD, 0, 0); break;
    case 13: sim_op(program, body, rv_rng_below(rng, 2) ? SIM_SLEEP : SIM_POST, a, 0); break;
    case 14: sim_op(program, body, SIM_CHOOSE, 0, 1 + value); break;
    case 15: sim_op(program, body, SIM_SPIN, a, 0); break;
    default: break;
    }
}

struct sim_program sim_random_program(uint64_t seed, uint32_t threads, uint32_t length) {
    struct sim_program program = {0};
    struct rv_rng rng = rv_rng_stream(seed, 77);
    assert(threads < SIM_BODIES);
    for (uint32_t body = 1; body <= threads; body++) {
        uint64_t count = 1 + rv_rng_below(&rng, length);
        for (uint64_t i = 0; i < count; i++) random_operation(&program, body, &rng);
    }
    /* The last thread is sometimes created by the first one instead of by main. */
    bool nested = threads > 1 && rv_rng_below(&rng, 3) == 0;
    sim_create_all(&program, nested ? threads - 1 : threads);
    if (nested) sim_op(&program, 1, SIM_CREATE, threads, 0);
    if (rv_rng_below(&rng, 2)) sim_op(&program, 0, SIM_READ, 0, 0);
    if (rv_rng_below(&rng, 4) == 0) sim_op(&program, 0, SIM_FAIL_IF, 0, 2);
    return program;
}

static void rich_operation(struct sim_program *program, uint32_t body, struct rv_rng *rng) {
    uint32_t a = (uint32_t)rv_rng_below(rng, 2);
    int32_t value = (int32_t)rv_rng_below(rng, 3);
    switch (rv_rng_below(rng, 8)) {
    case 0:
        sim_op(program, body, SIM_LOCK, a, 0);
        sim_op(program, body, SIM_CWAIT, a, 0);
        sim_op(program, body, SIM_UNLOCK, a, 0);
        break;
    case 1: sim_op(program, body, rv_rng_below(rng, 2) ? SIM_SIGNAL : SIM_BROADCAST, a, 0); break;
    case 2: sim_op(program, body, SIM_WAIT, a, 0); break;
    case 3: sim_op(program, body, SIM_POST, a, 0); break;
    case 4:
        sim_op(program, body, SIM_READ, a, 0);
        sim_op(program, body, SIM_SKIP_IF, 0, value);
        break;
    case 5:
        sim_op(program, body, SIM_LOCK, a, 0);
        sim_op(program, body, SIM_ADD, a, 1);
        sim_op(program, body, SIM_UNLOCK, a, 0);
        break;
    default: random_operation(program, body, rng);
    }
    struct sim_body *to = &program->bodies[body];
    if (to->count && to->ops[to->count - 1].op == SIM_SPIN) to->ops[to->count - 1].op = SIM_READ;
}

struct sim_program sim_rich_program(uint64_t seed, uint32_t threads, uint32_t length) {
    struct sim_program program = {0};
    struct rv_rng rng = rv_rng_stream(seed, 78);
    assert(threads < SIM_BODIES);
    for (uint32_t body = 1; body <= threads; body++) {
        uint64_t count = 1 + rv_rng_below(&rng, length);
        bool nests = body == 1 && threads > 1 && rv_rng_below(&rng, 3) == 0;
        if (nests) sim_op(&program, 1, SIM_CREATE, threads, 0);
        for (uint64_t i = 0; i < count; i++) rich_operation(&program, body, &rng);
        if (nests && rv_rng_below(&rng, 2)) sim_op(&program, 1, SIM_JOIN, threads, 0);
        if (rv_rng_below(&rng, 6) == 0) sim_op(&program, body, SIM_FAIL_IF, 0, 1);
    }
    bool nested = program.bodies[1].ops[0].op == SIM_CREATE;
    sim_create_all(&program, nested ? threads - 1 : threads);
    if (rv_rng_below(&rng, 2)) sim_op(&program, 0, SIM_READ, 0, 0);
    return program;
}

static struct sim_instance instance_of(const char *spec, struct rv_strategy_config *config) {
    struct sim_instance instance = {.strategy = rv_strategy_find(spec, &config->params)};
    assert(instance.strategy && !instance.strategy->check(config->params));
    size_t size = 8u << 20;
    instance.memory = calloc(1, size + sizeof *instance.arena);
    instance.arena = instance.memory;
    size_t offset = (sizeof *instance.arena + 15) & ~(size_t)15;
    rv_arena_init(instance.arena, (char *)instance.memory + offset, size - offset);
    instance.state = instance.strategy->create(instance.arena, config);
    assert(instance.state);
    return instance;
}

struct sim_instance sim_instance(const char *spec, uint64_t seed, uint32_t worker, uint32_t workers,
                                 uint64_t budget) {
    struct rv_strategy_config config = {.seed = seed, .worker = worker, .workers = workers, .budget = budget};
    return instance_of(spec, &config);
}

struct sim_instance sim_instance_divided(const char *spec, struct rv_known *known) {
    struct rv_strategy_config config = {
        .seed = 1, .workers = 1, .divided = true, .known = known, .budget = UINT64_MAX};
    return instance_of(spec, &config);
}

void sim_instance_free(struct sim_instance *instance) {
    free(instance->memory);
    *instance = (struct sim_instance){0};
}
