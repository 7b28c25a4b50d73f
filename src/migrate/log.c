#include "migrate/log.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"
#include "report/whole_file.h"

enum { LOG_LIMIT_MB = 1024, DEPTH = 64 };

bool rv_log_read(struct rv_log *log, const char *path) {
    size_t size;
    char *error = NULL;
    *log = (struct rv_log){0};
    struct rv_migrate_log *file =
        (struct rv_migrate_log *)rv_whole_file(path, (size_t)LOG_LIMIT_MB << 20, "log", &size, &error);
    free(error);
    if (!file) return false;
    bool good = size >= sizeof *file && file->magic == RV_MIGRATE_LOG_MAGIC;
    uint64_t room = good ? (size - sizeof *file) / sizeof *file->entries : 0;
    uint64_t count = good && file->count < room ? file->count : room;
    log->full = good && file->count > room;
    log->entries = rv_text_alloc(count, sizeof *log->entries);
    for (uint64_t i = 0; i < count; i++)
        if (file->entries[i].type > RV_MIGRATE_NONE && file->entries[i].type < RV_MIGRATE_TYPES)
            log->entries[log->count++] = file->entries[i];
    if (good) log->program = rv_text_copy_n(file->program, strnlen(file->program, sizeof file->program));
    free(file);
    return good;
}

void rv_log_free(struct rv_log *log) {
    free(log->entries);
    free(log->program);
    *log = (struct rv_log){0};
}

/* ---- threads ---- */

static uint32_t thread_index(struct rv_run *run, uint32_t number) {
    for (uint32_t i = 0; i < run->thread_count; i++)
        if (run->threads[i].number == number) return i;
    run->threads = rv_text_realloc(run->threads, run->thread_count + 1, sizeof *run->threads);
    run->threads[run->thread_count] = (struct rv_run_thread){.number = number,
                                                             .creator = RV_NEVER,
                                                             .created = RV_NEVER,
                                                             .begin = 0,
                                                             .end = RV_NEVER,
                                                             .join = RV_NEVER,
                                                             .joiner = RV_NEVER};
    return run->thread_count++;
}

static void add_threads(struct rv_run *run) {
    for (uint32_t i = 0; i < run->count; i++) {
        struct rv_migrate_entry *entry = &run->copy[i];
        entry->thread = thread_index(run, entry->thread);
        uint32_t other;
        switch (entry->type) {
        case RV_MIGRATE_THREAD_START:
            other = thread_index(run, (uint32_t)entry->info);
            run->threads[other].creator = entry->thread;
            run->threads[other].created = i;
            run->threads[other].begin = RV_NEVER;
            break;
        case RV_MIGRATE_THREAD_BEGIN: run->threads[entry->thread].begin = i; break;
        case RV_MIGRATE_THREAD_END: run->threads[entry->thread].end = i; break;
        case RV_MIGRATE_JOINED:
            other = thread_index(run, (uint32_t)entry->info);
            run->threads[other].join = i;
            run->threads[other].joiner = entry->thread;
            break;
        default: break;
        }
    }
}

/* ---- passes ---- */

struct frames {
    uint32_t open[DEPTH]; /* pass, or RV_NEVER */
    uint32_t depth;
};

static void close_pass(struct rv_run *run, struct frames *frames, uint32_t level, uint32_t moment) {
    if (level >= DEPTH || frames->open[level] == RV_NEVER) return;
    run->passes[frames->open[level]].end = moment;
    frames->open[level] = RV_NEVER;
}

static void add_pass(struct rv_run *run, struct frames *frames, uint32_t place, uint32_t thread,
                     uint32_t moment, uint32_t *counts) {
    if (frames->depth == 0) { /* its function was entered before the run */
        frames->open[0] = RV_NEVER;
        frames->depth = 1;
    }
    if (frames->depth > DEPTH) return;
    close_pass(run, frames, frames->depth - 1, moment);
    frames->open[frames->depth - 1] = run->pass_count;
    run->passes[run->pass_count++] = (struct rv_pass){.place = place,
                                                      .thread = thread,
                                                      .begin = moment,
                                                      .end = RV_NEVER,
                                                      .depth = frames->depth,
                                                      .order = ++counts[place]};
}

static int by_end(const void *a, const void *b) {
    uint32_t first = (*(struct rv_pass *const *)a)->end, second = (*(struct rv_pass *const *)b)->end;
    return (first > second) - (first < second);
}

static void number_ends(struct rv_run *run, uint32_t *counts, uint32_t places) {
    struct rv_pass **sorted = rv_text_alloc(run->pass_count, sizeof(struct rv_pass *));
    for (uint32_t i = 0; i < run->pass_count; i++) sorted[i] = &run->passes[i];
    qsort(sorted, run->pass_count, sizeof(struct rv_pass *), by_end);
    memset(counts, 0, places * sizeof *counts);
    for (uint32_t i = 0; i < run->pass_count && sorted[i]->end != RV_NEVER; i++)
        sorted[i]->end_order = ++counts[sorted[i]->place];
    free(sorted);
}

static void add_passes(struct rv_run *run, uint32_t places) {
    struct frames *frames = rv_text_alloc(run->thread_count, sizeof *frames);
    uint32_t *counts = rv_text_alloc(places, sizeof *counts);
    run->passes = rv_text_alloc(run->count, sizeof *run->passes);
    for (uint32_t i = 0; i < run->count; i++) {
        const struct rv_migrate_entry *entry = &run->copy[i];
        struct frames *mine = &frames[entry->thread];
        if (entry->type == RV_MIGRATE_ENTER) {
            if (mine->depth < DEPTH) mine->open[mine->depth] = RV_NEVER;
            mine->depth++;
        } else if (entry->type == RV_MIGRATE_LEAVE && mine->depth > 0) {
            close_pass(run, mine, --mine->depth, i);
        } else if (entry->type == RV_MIGRATE_THREAD_END) {
            while (mine->depth > 0) close_pass(run, mine, --mine->depth, i);
        } else if (entry->type == RV_MIGRATE_STEP && entry->info >= 0 && entry->info < places) {
            add_pass(run, mine, (uint32_t)entry->info, entry->thread, i, counts);
        }
    }
    free(frames);
    number_ends(run, counts, places);
    free(counts);
}

bool rv_run_cut(struct rv_run *run, const struct rv_log *log, uint32_t test, uint32_t places) {
    *run = (struct rv_run){.main = RV_NEVER};
    size_t begin = 0;
    while (begin < log->count &&
           !(log->entries[begin].type == RV_MIGRATE_TEST_BEGIN && log->entries[begin].info == test))
        begin++;
    if (begin == log->count) return false;
    uint32_t process = log->entries[begin].process, thread = log->entries[begin].thread;
    size_t end = begin;
    while (end < log->count && !(log->entries[end].type == RV_MIGRATE_TEST_END &&
                                 log->entries[end].process == process && log->entries[end].info == test))
        end++;
    if (end == log->count) return false;
    run->copy = rv_text_alloc(end - begin + 1, sizeof *run->copy);
    for (size_t i = begin; i <= end; i++)
        if (log->entries[i].process == process) run->copy[run->count++] = log->entries[i];
    run->entries = run->copy;
    run->main = thread_index(run, thread);
    add_threads(run);
    add_passes(run, places);
    return true;
}

void rv_run_free(struct rv_run *run) {
    free(run->copy);
    free(run->threads);
    free(run->passes);
    *run = (struct rv_run){0};
}

const struct rv_pass *rv_run_stands(const struct rv_run *run, uint32_t thread, uint32_t moment) {
    const struct rv_pass *found = NULL;
    for (uint32_t i = 0; i < run->pass_count && run->passes[i].begin <= moment; i++) {
        const struct rv_pass *pass = &run->passes[i];
        if (pass->thread == thread && (pass->end == RV_NEVER || pass->end > moment) &&
            (!found || pass->depth >= found->depth))
            found = pass;
    }
    return found;
}
