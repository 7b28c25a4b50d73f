#include "migrate/infer.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

/* One run that is looked at. */
struct look {
    struct rv_inference *inference;
    const struct rv_source *source;
    const struct rv_run *run;
    uint32_t number;                      /* of the run, from 1 */
    uint32_t *event_seen, *ordering_seen; /* the last run in which it was */
};

/* A sleep of t from `call` to `wake`. */
struct region {
    uint32_t thread, call, wake;
    uint32_t since; /* what came before has been waited for before */
    const struct rv_pass *sleep_pass;
    uint32_t sleep; /* place */
    int64_t ns;
};

/* What is waited for, or with. */
struct point {
    const struct rv_pass *pass;
    bool after, starting, block;
    uint32_t about;
};

static const struct rv_place *place_of(const struct look *look, const struct rv_pass *pass) {
    return &look->source->places[pass->place];
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* ---- what threads are called ---- */

static char *thread_name(const struct look *look, uint32_t thread) {
    if (thread == look->run->main) return rv_text_copy("main");
    for (uint32_t i = 0; i < look->run->pass_count; i++) {
        const struct rv_pass *pass = &look->run->passes[i];
        if (pass->thread == thread && pass->depth == 1)
            return rv_text_copy(look->source->functions[place_of(look, pass)->function].name);
    }
    return rv_text_format("thread %u", thread);
}

/* ---- the bag ---- */

static uint32_t event_of(struct look *look, const struct point *point) {
    struct rv_inference *all = look->inference;
    uint32_t i = 0;
    while (i < all->mark_count &&
           !(all->marks[i].place == point->pass->place && all->marks[i].after == point->after))
        i++;
    if (i == all->mark_count) {
        all->marks = rv_text_realloc(all->marks, i + 1, sizeof *all->marks);
        look->event_seen = rv_text_realloc(look->event_seen, i + 1, sizeof *look->event_seen);
        all->marks[i] = (struct rv_mark){.place = point->pass->place,
                                         .after = point->after,
                                         .starting = point->starting,
                                         .about = point->about,
                                         .thread = thread_name(look, point->pass->thread)};
        look->event_seen[i] = 0;
        all->mark_count++;
    }
    if (look->event_seen[i] != look->number) all->marks[i].hits++;
    look->event_seen[i] = look->number;
    return i;
}

static uint32_t order_of(const struct point *point) {
    return point->after ? point->pass->end_order : point->pass->order;
}

static void add_ordering(struct look *look, const struct region *region, const struct point *from,
                         const struct point *to) {
    struct rv_inference *all = look->inference;
    struct rv_ordering_found found = {.from = event_of(look, from),
                                      .to = event_of(look, to),
                                      .from_order = order_of(from),
                                      .to_order = order_of(to),
                                      .block = from->block};
    uint32_t i = 0;
    for (; i < all->ordering_count; i++) {
        const struct rv_ordering_found *known = &all->orderings[i];
        if (known->from == found.from && known->to == found.to && known->from_order == found.from_order &&
            known->to_order == found.to_order && known->block == found.block)
            break;
    }
    if (i == all->ordering_count) {
        all->orderings = rv_text_realloc(all->orderings, i + 1, sizeof *all->orderings);
        look->ordering_seen = rv_text_realloc(look->ordering_seen, i + 1, sizeof *look->ordering_seen);
        look->ordering_seen[i] = 0;
        found.sleep = region->sleep;
        found.ns = region->ns;
        found.from_thread = thread_name(look, from->pass->thread);
        found.to_thread = thread_name(look, to->pass->thread);
        found.sleeper = thread_name(look, region->thread);
        all->orderings[all->ordering_count++] = found;
    }
    if (look->ordering_seen[i] != look->number) all->orderings[i].hits++;
    look->ordering_seen[i] = look->number;
}

static void note_sleep(struct look *look, uint32_t place, int64_t ns, enum rv_sleep_reason reason) {
    struct rv_inference *all = look->inference;
    uint32_t i = 0;
    while (i < all->sleep_count && all->sleeps[i].place != place) i++;
    if (i == all->sleep_count) {
        all->sleeps = rv_text_realloc(all->sleeps, i + 1, sizeof *all->sleeps);
        all->sleeps[all->sleep_count++] = (struct rv_sleep_found){.place = place, .reason = reason};
    }
    if (reason > all->sleeps[i].reason) all->sleeps[i].reason = reason;
    if (ns > all->sleeps[i].ns) all->sleeps[i].ns = ns;
}

/* ---- what a thread waits with ---- */

static const struct rv_pass *pass_at(const struct rv_run *run, uint32_t moment) {
    for (uint32_t i = 0; i < run->pass_count && run->passes[i].begin <= moment; i++)
        if (run->passes[i].begin == moment) return &run->passes[i];
    return NULL;
}

static struct point starting(const struct rv_pass *pass) {
    return (struct point){.pass = pass, .starting = true, .about = pass ? pass->place : 0};
}

/* The first thing that it does from the moment on; threads that it makes before are in `made` (at most `room`). */
static struct point first_of(const struct look *look, uint32_t thread, uint32_t moment, uint32_t *made,
                             uint32_t *made_count, uint32_t room) {
    const struct rv_run *run = look->run;
    for (uint32_t i = moment; i < run->count; i++) {
        const struct rv_migrate_entry *entry = &run->entries[i];
        if (entry->thread != thread) continue;
        if (entry->type == RV_MIGRATE_THREAD_START) {
            for (uint32_t u = 0; u < run->thread_count && *made_count < room; u++)
                if (run->threads[u].created == i) made[(*made_count)++] = u;
            continue;
        }
        if (entry->type != RV_MIGRATE_STEP) continue;
        const struct rv_pass *pass = pass_at(run, i);
        if (!pass) continue;
        const struct rv_place *place = place_of(look, pass);
        if (place->sleep || place->creates) continue;
        if (place->joins) break;
        if (place->acts || place->looks || place->leaves) return starting(*made_count ? NULL : pass);
    }
    return starting(NULL);
}

enum { MADE = 64 };

static bool others_pass(const struct rv_run *run, const struct rv_pass *pass) {
    for (uint32_t i = 0; i < run->pass_count; i++)
        if (run->passes[i].place == pass->place && run->passes[i].thread != pass->thread) return true;
    return false;
}

/* The new thread waits with the first thing it does; where several threads do that, its creator with making it. */
static struct point start_of(const struct look *look, uint32_t thread) {
    const struct rv_run_thread *made = &look->run->threads[thread];
    uint32_t none = 0;
    if (made->begin == RV_NEVER) return starting(NULL);
    struct point point = first_of(look, thread, made->begin, &none, &none, 0);
    if (!point.pass || others_pass(look->run, point.pass))
        point = starting(rv_run_stands(look->run, made->creator, made->created));
    return point;
}

static uint32_t waiters(const struct look *look, const struct region *region, struct point *points,
                        uint32_t *threads) {
    uint32_t made[MADE], made_count = 0, count = 0;
    points[0] = first_of(look, region->thread, region->wake, made, &made_count, MADE);
    threads[0] = region->thread;
    bool loop = look->source->places[region->sleep].loop;
    if (loop &&
        (points[0].pass || made_count)) { /* what comes next is the loop's begin: right behind the sleep */
        uint32_t about = points[0].pass ? points[0].about : region->sleep;
        points[0] =
            (struct point){.pass = region->sleep_pass, .after = true, .starting = true, .about = about};
    }
    if (points[0].pass) return 1;
    for (uint32_t i = 0; i < made_count; i++) {
        points[count] = start_of(look, made[i]);
        threads[count] = made[i];
        if (points[count].pass) count++;
    }
    return count;
}

/* ---- what it waits for ---- */

/* The last pass of the thread that acted and was over in (since, until]. */
static const struct rv_pass *last_deed(const struct look *look, uint32_t thread, uint32_t since,
                                       uint32_t until) {
    const struct rv_pass *found = NULL;
    for (uint32_t i = 0; i < look->run->pass_count; i++) {
        const struct rv_pass *pass = &look->run->passes[i];
        if (pass->thread != thread || pass->end == RV_NEVER || pass->end <= since || pass->end > until)
            continue;
        if (place_of(look, pass)->meets) {
            since = pass->end;
            if (found && found->end <= since) found = NULL;
        }
        if (!place_of(look, pass)->acts) continue;
        if (!found || pass->end > found->end || (pass->end == found->end && pass->depth < found->depth))
            found = pass;
    }
    return found;
}

/* The thread's last sleep or wait that has begun and not ended by the moment; RV_NEVER: it runs. */
static uint32_t stopped_at(const struct rv_run *run, uint32_t thread, uint32_t moment) {
    for (uint32_t i = moment; i-- > 0;) {
        const struct rv_migrate_entry *entry = &run->entries[i];
        if (entry->thread != thread) continue;
        bool stops = entry->type == RV_MIGRATE_SLEEP_CALL || entry->type == RV_MIGRATE_BLOCK_CALL;
        return stops ? i : RV_NEVER;
    }
    return RV_NEVER;
}

/* After the deed, or, if that is "return f(x);", after the last one in f. */
static bool after_deed(const struct look *look, const struct rv_pass *deed, struct point *point) {
    while (deed && place_of(look, deed)->leaves) {
        const struct rv_pass *inner = NULL;
        for (uint32_t i = 0; i < look->run->pass_count; i++) {
            const struct rv_pass *pass = &look->run->passes[i];
            if (pass->thread == deed->thread && pass->begin > deed->begin && pass->end <= deed->end &&
                place_of(look, pass)->acts && (!inner || pass->end >= inner->end))
                inner = pass;
        }
        deed = inner;
    }
    if (!deed) return false;
    *point = (struct point){.pass = deed, .after = true, .about = deed->place};
    return true;
}

static bool before_stop(const struct rv_pass *stop, const struct rv_pass *deed, struct point *point) {
    if (!deed) return false;
    *point = (struct point){.pass = stop, .about = deed->place};
    return true;
}

static bool waited_for(const struct look *look, const struct region *region, uint32_t other,
                       struct point *point) {
    const struct rv_run *run = look->run;
    const struct rv_run_thread *thread = &run->threads[other];
    uint32_t since = region->since;
    if (thread->begin == RV_NEVER || thread->begin > region->wake) return false;
    if (run->threads[region->thread].creator == other)
        since = later(since, run->threads[region->thread].created);
    if (thread->end != RV_NEVER && thread->end < region->wake) {
        if (thread->end <= since) return false;
        if (thread->joiner == region->thread && thread->join < region->wake) return false;
        return after_deed(look, last_deed(look, other, since, thread->end), point);
    }
    uint32_t stop = stopped_at(run, other, region->wake);
    if (stop == RV_NEVER || stop <= since) return false;
    const struct rv_pass *stands = rv_run_stands(run, other, stop),
                         *deed = last_deed(look, other, since, stop);
    if (!stands) return after_deed(look, deed, point);
    const struct rv_place *place = place_of(look, stands);
    if (run->entries[stop].type == RV_MIGRATE_SLEEP_CALL)
        return place->sleep && !place->loop && before_stop(stands, deed, point);
    if (place->joins || run->entries[stop].info == RV_MIGRATE_WAIT_JOIN)
        return before_stop(stands, deed, point);
    *point = (struct point){.pass = stands, .starting = true, .block = true, .about = stands->place};
    return true;
}

/* ---- regions ---- */

static enum rv_sleep_reason look_at_region(struct look *look, const struct region *region) {
    struct point to[MADE], from;
    uint32_t threads[MADE];
    uint32_t count = waiters(look, region, to, threads);
    if (!count) return RV_SLEEP_LAST;
    enum rv_sleep_reason reason = RV_SLEEP_NOTHING;
    for (uint32_t u = 0; u < look->run->thread_count; u++) {
        if (u == region->thread || !waited_for(look, region, u, &from)) continue;
        for (uint32_t i = 0; i < count; i++) {
            if (threads[i] == u) continue;
            add_ordering(look, region, &from, &to[i]);
            reason = RV_SLEEP_SELDOM;
        }
    }
    return reason;
}

static bool passes_again(const struct rv_run *run, const struct rv_pass *pass) {
    for (uint32_t i = 0; i < run->pass_count; i++)
        if (run->passes[i].place == pass->place && run->passes[i].thread == pass->thread &&
            run->passes[i].begin != pass->begin)
            return true;
    return false;
}

static void look_at_sleep(struct look *look, struct region region) {
    const struct rv_pass *pass = rv_run_stands(look->run, region.thread, region.call);
    if (!pass) return; /* not the test file's */
    const struct rv_place *place = place_of(look, pass);
    region.sleep = pass->place;
    region.sleep_pass = pass;
    enum rv_sleep_reason reason;
    if (!place->sleep)
        reason = RV_SLEEP_INSIDE;
    else if (place->polling)
        reason = RV_SLEEP_POLLING;
    else if (place->loop && !place->making)
        reason = RV_SLEEP_LOOP;
    else if (!place->loop && passes_again(look->run, pass))
        reason = RV_SLEEP_AGAIN;
    else
        reason = look_at_region(look, &region);
    if (reason == RV_SLEEP_NOTHING && pass->depth == 1 && region.thread != look->run->main &&
        !last_deed(look, region.thread, 0, region.call))
        reason = RV_SLEEP_LATE;
    note_sleep(look, region.sleep, region.ns, reason);
}

/* Loops that ask are named also where the answer was right at once. */
static void look_at_loops(struct look *look) {
    for (uint32_t i = 0; i < look->source->place_count; i++) {
        const struct rv_place *place = &look->source->places[i];
        bool there = false;
        for (uint32_t p = 0; place->polling && p < look->run->pass_count && !there; p++)
            there = place_of(look, &look->run->passes[p])->function == place->function;
        if (there) note_sleep(look, i, 0, RV_SLEEP_POLLING);
    }
}

static void look_at_run(struct look *look) {
    const struct rv_run *run = look->run;
    uint32_t *woke = rv_text_alloc(run->thread_count, sizeof *woke);
    uint32_t *since = rv_text_alloc(run->thread_count, sizeof *since); /* of sleeps in a row, the first's */
    for (uint32_t wake = 0; wake < run->count; wake++) {               /* in the order in which they end */
        if (run->entries[wake].type != RV_MIGRATE_SLEEP_RETURN) continue;
        uint32_t thread = run->entries[wake].thread, call = stopped_at(run, thread, wake);
        if (call == RV_NEVER || run->entries[call].type != RV_MIGRATE_SLEEP_CALL) continue;
        if (!woke[thread] || last_deed(look, thread, woke[thread], call)) since[thread] = woke[thread];
        look_at_sleep(look, (struct region){.thread = thread,
                                            .call = call,
                                            .wake = wake,
                                            .since = since[thread],
                                            .ns = run->entries[call].info});
        woke[thread] = wake;
    }
    free(woke);
    free(since);
    look_at_loops(look);
    for (uint32_t i = 0; i < look->inference->mark_count; i++) {
        struct rv_mark *event = &look->inference->marks[i];
        uint32_t passes = 0;
        for (uint32_t p = 0; p < run->pass_count; p++) passes += run->passes[p].place == event->place;
        event->passes = later(event->passes, passes);
    }
}

/* ---- the end ---- */

static bool often(uint32_t hits, uint32_t runs, double confidence) {
    return runs > 0 && (double)hits / (double)runs >= confidence - 1e-9;
}

/* The same ends, blocked and not: what was seen more often counts. */
static bool has_better(const struct rv_inference *all, const struct rv_ordering_found *ordering) {
    for (uint32_t i = 0; i < all->ordering_count; i++) {
        const struct rv_ordering_found *other = &all->orderings[i];
        if (other->from == ordering->from && other->to == ordering->to &&
            other->from_order == ordering->from_order && other->to_order == ordering->to_order &&
            other->block != ordering->block &&
            (other->hits > ordering->hits || (other->hits == ordering->hits && other->block)))
            return true;
    }
    return false;
}

/* The other's sleep was longer: something in the same function is waited for. */
static bool is_waited_for(const struct rv_inference *all, const struct rv_source *source, uint32_t sleep) {
    for (uint32_t i = 0; i < all->ordering_count; i++)
        if (all->orderings[i].fate == RV_KEPT_ORDERING &&
            source->places[all->marks[all->orderings[i].from].place].function ==
                source->places[sleep].function)
            return true;
    return false;
}

static void judge_sleeps(struct rv_inference *all, const struct rv_source *source) {
    for (uint32_t s = 0; s < all->sleep_count; s++) {
        if (all->sleeps[s].reason != RV_SLEEP_LATE) continue;
        all->sleeps[s].reason =
            is_waited_for(all, source, all->sleeps[s].place) ? RV_SLEEP_ORDERS : RV_SLEEP_NOTHING;
    }
    for (uint32_t i = 0; i < all->ordering_count; i++) {
        const struct rv_ordering_found *ordering = &all->orderings[i];
        if (ordering->fate != RV_KEPT_ORDERING && ordering->fate != RV_DROPPED_IMPLIED) continue;
        for (uint32_t s = 0; s < all->sleep_count; s++)
            if (all->sleeps[s].place == ordering->sleep && all->sleeps[s].reason == RV_SLEEP_SELDOM)
                all->sleeps[s].reason = RV_SLEEP_ORDERS;
    }
}

void rv_infer(struct rv_inference *inference, const struct rv_source *source, const struct rv_run *runs,
              uint32_t count, double confidence) {
    *inference = (struct rv_inference){.runs = count};
    struct look look = {.inference = inference, .source = source};
    for (uint32_t i = 0; i < count; i++) {
        look.run = &runs[i];
        look.number = i + 1;
        look_at_run(&look);
    }
    free(look.event_seen);
    free(look.ordering_seen);
    for (uint32_t i = 0; i < inference->ordering_count; i++) {
        struct rv_ordering_found *ordering = &inference->orderings[i];
        if (!often(ordering->hits, count, confidence) || has_better(inference, ordering))
            ordering->fate = RV_DROPPED_SELDOM;
    }
    rv_orderings_reduce(inference, runs, count);
    judge_sleeps(inference, source);
    for (uint32_t i = 0; i < inference->ordering_count; i++) {
        if (inference->orderings[i].fate != RV_KEPT_ORDERING) continue;
        inference->marks[inference->orderings[i].from].used = true;
        inference->marks[inference->orderings[i].to].used = true;
    }
}

void rv_inference_free(struct rv_inference *inference) {
    for (uint32_t i = 0; i < inference->mark_count; i++) {
        free(inference->marks[i].name);
        free(inference->marks[i].thread);
    }
    for (uint32_t i = 0; i < inference->ordering_count; i++) {
        free(inference->orderings[i].from_thread);
        free(inference->orderings[i].to_thread);
        free(inference->orderings[i].sleeper);
    }
    free(inference->marks);
    free(inference->orderings);
    free(inference->sleeps);
    *inference = (struct rv_inference){0};
}
