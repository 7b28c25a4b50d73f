#include "generate/judge.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/util.h"

enum { SERIAL_UNKNOWN, SERIAL_SAME, SERIAL_DIFFERS };
enum { MAX_RUNS = 3000, MAX_AHEAD = 70, MAX_SEEN = 4096, ASKED_ONE_BY_ONE = 8 };

struct rv_sequence {
    uint32_t order[RV_MAX_CALLS];
    uint32_t count;
    struct rv_answer answers[RV_MAX_CALLS];
    uint32_t answered;
};

/* ---- orders ---- */

/* What an order gave, from what its execution told. */
static void take_sequence(struct rv_judge *judge, const uint8_t *order, const struct rv_executed *executed) {
    struct rv_history history = {0};
    rv_test_history(judge->test, &history);
    judge->sequences = rv_text_realloc(judge->sequences, judge->sequence_count + 1, sizeof *judge->sequences);
    struct rv_sequence *sequence = &judge->sequences[judge->sequence_count++];
    memset(sequence, 0, sizeof *sequence);
    sequence->count = judge->test->count;
    for (uint32_t i = 0; i < sequence->count; i++) sequence->order[i] = order[i];
    /* Not rv_test_told: the threads' calls are made by one here, and in any order. */
    uint32_t at = 0;
    bool waits = executed->kind == RV_KIND_DEADLOCK || executed->kind == RV_KIND_HANG || executed->cut;
    for (uint32_t i = 0; i < sequence->count; i++) {
        struct rv_answer *answer = &sequence->answers[i];
        if (at + 2 > executed->told_size || executed->told[at] != 'C' || executed->told[at + 1] != order[i])
            break;
        at += 2;
        sequence->answered++;
        if (at + 4 > executed->told_size || executed->told[at] != 'R') {
            answer->end = waits ? RV_OUTCOME_BLOCKED : RV_OUTCOME_FAILED;
            break;
        }
        uint32_t size = executed->told[at + 2] | (uint32_t)executed->told[at + 3] << 8;
        if (size > executed->told_size - at - 4) break;
        answer->end = RV_OUTCOME_RETURNED;
        rv_bytes_set(&answer->result, executed->told + at + 4, size);
        at += 4 + size;
    }
    rv_history_free(&history);
}

struct taking {
    struct rv_judge *judge;
    const uint8_t *orders;
    uint32_t count;
};

static bool take_each(void *user, const struct rv_executed *executed) {
    struct taking *taking = user;
    if (executed->number >= taking->count) return false;
    take_sequence(taking->judge, taking->orders + executed->number * taking->judge->test->count, executed);
    return true;
}

static void run_orders(struct rv_judge *judge, const uint8_t *orders, uint32_t count) {
    struct taking taking = {judge, orders, count};
    uint32_t done = 0;
    /* A process that dies takes the rest of the batch with it. */
    while (done < count && !judge->lost) {
        uint32_t before = judge->sequence_count;
        struct rv_batch batch = {.strategy = "random",
                                 .seed = 1,
                                 .first = done,
                                 .wanted = count - done,
                                 .keep_going = true,
                                 .orders = orders,
                                 .order_count = count,
                                 .each = take_each,
                                 .user = &taking};
        if (!rv_runner_do(judge->runner, judge->test, &batch)) judge->lost = true;
        if (judge->sequence_count == before) break;
        done += judge->sequence_count - before;
    }
}

/* All orders of the two threads' calls at once, if they are few: one batch instead of many. */
static void run_ahead(struct rv_judge *judge) {
    const struct rv_test *test = judge->test;
    uint32_t of[2] = {0}, before = 0, ways = 1;
    for (uint32_t i = 0; i < test->count; i++) {
        if (test->calls[i].phase == RV_PHASE_BEFORE) before++;
        if (test->calls[i].phase == RV_PHASE_DURING && test->calls[i].thread < 2) of[test->calls[i].thread]++;
    }
    uint32_t both = of[0] + of[1];
    if (test->threads != 2 || both > 8) return;
    for (uint32_t i = 1; i <= of[1]; i++) ways = ways * (of[0] + i) / i;
    if (ways > MAX_AHEAD || (uint64_t)ways * test->count > RV_CASE_ROOM / 2) return;
    uint8_t *orders = rv_text_alloc((size_t)ways * test->count, 1);
    uint32_t count = 0;
    for (uint32_t set = 0; set < 1u << both && count < ways;
         set++) { /* where the second thread's calls are */
        if ((uint32_t)__builtin_popcount(set) != of[1]) continue;
        uint8_t *order = orders + (size_t)count++ * test->count;
        uint32_t next[2] = {before, before + of[0]}, at = 0;
        for (; at < before; at++) order[at] = (uint8_t)at;
        for (uint32_t i = 0; i < both; i++) order[at++] = (uint8_t)next[set >> i & 1]++;
        for (; at < test->count; at++) order[at] = (uint8_t)at;
    }
    run_orders(judge, orders, count);
    free(orders);
}

static const struct rv_sequence *find_sequence(const struct rv_judge *judge, const uint32_t *order,
                                               uint32_t count) {
    for (uint32_t i = 0; i < judge->sequence_count; i++) {
        const struct rv_sequence *sequence = &judge->sequences[i];
        uint32_t same = sequence->answered < count ? sequence->answered : count;
        bool ended = same > 0 && sequence->answers[same - 1].end != RV_OUTCOME_RETURNED;
        if (!ended && same < count) continue;
        if (memcmp(sequence->order, order, same * sizeof *order) == 0) return sequence;
    }
    return NULL;
}

static uint32_t oracle_run(void *user, const uint32_t *order, uint32_t count, struct rv_answer *answers) {
    struct rv_judge *judge = user;
    const struct rv_sequence *found = find_sequence(judge, order, count);
    /* Most executions are explained by the first order that is tried. */
    if (!found && judge->asked++ == ASKED_ONE_BY_ONE) {
        run_ahead(judge);
        found = find_sequence(judge, order, count);
    }
    if (!found) {
        uint8_t bytes[RV_MAX_CALLS];
        bool has[RV_MAX_CALLS] = {0};
        uint32_t at = 0;
        for (; at < count; at++) {
            bytes[at] = (uint8_t)order[at];
            has[order[at]] = true;
        }
        for (uint32_t i = 0; i < judge->test->count; i++)
            if (!has[i]) bytes[at++] = (uint8_t)i;
        run_orders(judge, bytes, 1);
        found = find_sequence(judge, order, count);
    }
    if (!found) return 0;
    uint32_t told = found->answered < count ? found->answered : count;
    memcpy(answers, found->answers, told * sizeof *answers);
    return told;
}

/* ---- opening ---- */

void rv_judge_open(struct rv_judge *judge, struct rv_runner *runner, const struct rv_test *test) {
    memset(judge, 0, sizeof *judge);
    judge->runner = runner;
    judge->test = test;
    rv_test_history(test, &judge->history);
    rv_linear_init(&judge->linear, &judge->history, (struct rv_oracle){judge, oracle_run}, MAX_RUNS);
}

void rv_judge_close(struct rv_judge *judge) {
    for (uint32_t i = 0; i < judge->sequence_count; i++)
        for (uint32_t a = 0; a < judge->sequences[i].answered; a++)
            rv_bytes_free(&judge->sequences[i].answers[a].result);
    free(judge->sequences);
    free(judge->seen);
    rv_linear_free(&judge->linear);
    rv_history_free(&judge->history);
    memset(judge, 0, sizeof *judge);
}

/* ---- judging ---- */

/* The order in which things happened matters as far as it orders calls; the bytes told are that and the results. */
static uint64_t hash_of(enum rv_kind kind, const unsigned char *told, uint32_t size) {
    uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)kind;
    for (uint32_t i = 0; i < size; i++) hash = (hash ^ told[i]) * 0x100000001b3u;
    return hash;
}

static bool was_seen(const struct rv_judge *judge, uint64_t hash) {
    for (uint32_t i = 0; i < judge->seen_count; i++)
        if (judge->seen[i] == hash) return true;
    return false;
}

static void note_seen(struct rv_judge *judge, uint64_t hash) {
    if (judge->seen_count >= MAX_SEEN) return;
    if (judge->seen_count == judge->seen_room) {
        judge->seen_room = judge->seen_room ? judge->seen_room * 2 : 64;
        judge->seen = rv_text_realloc(judge->seen, judge->seen_room, sizeof *judge->seen);
    }
    judge->seen[judge->seen_count++] = hash;
}

int rv_judge_useless_call(const struct rv_judge *judge) {
    for (uint32_t i = 0; i < judge->history.count; i++)
        if (judge->history.calls[i].phase == RV_PHASE_BEFORE &&
            judge->history.calls[i].state == RV_CALL_PENDING)
            return (int)i;
    return -1;
}

static uint64_t returned_in(const struct rv_history *history) {
    uint64_t calls = 0;
    for (uint32_t i = 0; i < history->count; i++)
        if (history->calls[i].state == RV_CALL_RETURNED) calls |= (uint64_t)1 << i;
    return calls;
}

/* Two threads, one after the other, give what one thread gives that makes the same calls in the same order. Where they do not, results
 * depend on who calls (its id, what is kept for each thread): then nothing can be said about others. Nor can it of calls that
 * were not reached there. */
static void compare_serially(struct rv_judge *judge) {
    const struct rv_schedule nobody_is_interrupted = {0};
    struct rv_history history = {0};
    struct rv_linear_verdict verdict = {0};
    judge->serial = SERIAL_DIFFERS;
    rv_test_history(judge->test, &history);
    if (rv_runner_replay(judge->runner, judge->test, &nobody_is_interrupted)) {
        const struct rv_area *area = rv_runner_area(judge->runner);
        uint32_t told = rv_load32(&area->cases.told);
        bool good = told <= RV_CASE_TOLD && rv_test_told(&history, area->cases.history, told);
        history.stuck = area->outcome.kind == RV_KIND_DEADLOCK;
        if (good) rv_linear_check(&judge->linear, &history, &verdict);
        if (good && verdict.kind == RV_LINEAR_YES) {
            judge->serial = SERIAL_SAME;
            judge->compared = returned_in(&history);
        }
    }
    rv_history_free(&history);
}

static bool is_comparable(struct rv_judge *judge) {
    if (judge->serial == SERIAL_UNKNOWN) compare_serially(judge);
    return judge->serial == SERIAL_SAME && !(returned_in(&judge->history) & ~judge->compared);
}

static enum rv_judgement judge_results(struct rv_judge *judge, bool stuck, enum rv_kind told_kind,
                                       enum rv_kind *kind) {
    struct rv_linear_verdict verdict;
    judge->history.stuck = stuck;
    rv_linear_check(&judge->linear, &judge->history, &verdict);
    switch (verdict.kind) {
    case RV_LINEAR_YES: return RV_JUDGED_FINE;
    case RV_LINEAR_NO:
        if (!is_comparable(judge)) return RV_JUDGED_UNKNOWN;
        *kind = stuck ? told_kind : RV_KIND_NONLINEARIZABLE;
        return RV_JUDGED_BUG;
    case RV_LINEAR_DEADLOCK: *kind = told_kind; return RV_JUDGED_BUG;
    case RV_LINEAR_MISUSE: return RV_JUDGED_MISUSE;
    case RV_LINEAR_UNSPECIFIED:
    case RV_LINEAR_UNKNOWN: break;
    }
    return RV_JUDGED_UNKNOWN;
}

static enum rv_judgement judge_failure(struct rv_judge *judge) {
    if (!judge->summarised) {
        if (judge->asked <= ASKED_ONE_BY_ONE) run_ahead(judge);
        judge->asked = ASKED_ONE_BY_ONE + 1;
        judge->summary = rv_linear_sequential(&judge->linear, &judge->history);
        judge->summarised = true;
    }
    if (judge->summary.fails) return RV_JUDGED_MISUSE;
    return judge->summary.known && judge->summary.through ? RV_JUDGED_BUG : RV_JUDGED_UNKNOWN;
}

enum rv_judgement rv_judge_execution(struct rv_judge *judge, enum rv_kind told_kind,
                                     const unsigned char *told, uint32_t size, bool cut, enum rv_kind *kind) {
    *kind = told_kind;
    uint64_t hash = hash_of(told_kind, told, size);
    if (was_seen(judge, hash)) return RV_JUDGED_FINE;
    if (!rv_test_told(&judge->history, told, size) || size == 0) return RV_JUDGED_USELESS;
    if (rv_judge_useless_call(judge) >= 0) return RV_JUDGED_USELESS;
    if (cut) return RV_JUDGED_UNKNOWN;
    bool stuck = told_kind == RV_KIND_DEADLOCK || told_kind == RV_KIND_HANG;
    enum rv_judgement judgement = told_kind == RV_KIND_NONE || stuck
                                      ? judge_results(judge, stuck, told_kind, kind)
                                      : judge_failure(judge);
    if (judgement == RV_JUDGED_FINE) note_seen(judge, hash);
    return judgement;
}

/* ---- telling ---- */

bool rv_judge_run_all(struct rv_judge *judge) {
    if (judge->asked <= ASKED_ONE_BY_ONE) run_ahead(judge);
    judge->asked = ASKED_ONE_BY_ONE + 1;
    return judge->sequence_count > 0 && !judge->lost;
}

uint32_t rv_judge_sequences(const struct rv_judge *judge) { return judge->sequence_count; }

const uint32_t *rv_judge_sequence(const struct rv_judge *judge, uint32_t number,
                                  struct rv_bytes results[RV_MAX_CALLS]) {
    const struct rv_sequence *sequence = &judge->sequences[number];
    if (sequence->answered < sequence->count) return NULL;
    for (uint32_t i = 0; i < sequence->count; i++) {
        if (sequence->answers[i].end != RV_OUTCOME_RETURNED) return NULL;
        results[sequence->order[i]] = sequence->answers[i].result;
    }
    return sequence->order;
}
