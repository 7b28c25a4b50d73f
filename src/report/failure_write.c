#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/failure_fields.h"
#include "report/failure_format.h"
#include "report/race_file.h"
#include "report/text.h"

#define FIELD(keyword, type, member) \
    { keyword, RV_FIELD_##type, offsetof(struct rv_failure, member), 0, false }
#define OPTIONAL(keyword, type, member)                                       \
    {                                                                         \
        keyword, RV_FIELD_##type, offsetof(struct rv_failure, config.member), \
            sizeof((struct rv_failure *)0)->config.member, true               \
    }
#define OPTION(keyword, type, member)                                                   \
    {                                                                                   \
        "option-" keyword, RV_FIELD_##type, offsetof(struct rv_failure, config.member), \
            sizeof((struct rv_failure *)0)->config.member, false                        \
    }
const struct rv_failure_field rv_failure_fields[] = {
    FIELD("program", TEXT, program),
    FIELD("cwd", TEXT, cwd),
    FIELD("build-id", TEXT, build_id),
    FIELD("isolation", TEXT, isolation),
    OPTION("strategy", CHARS, strategy),
    OPTION("seed", U64, seed),
    OPTION("schedules", U64, schedules),
    OPTION("max-steps", U64, max_steps),
    OPTION("isolation", U32, isolation),
    OPTION("timing", U32, timing),
    OPTION("output", U32, output),
    OPTION("spurious", U32, spurious),
    OPTION("expect-exit", I32, expect_exit),
    OPTION("keep-going", U32, keep_going),
    OPTION("workers", U32, workers),
    OPTION("watchdog-ms", U32, watchdog_ms),
    OPTION("memory-limit", U64, memory_limit),
    OPTION("clock-base", I64, clock_base),
    OPTION("instrumented", U32, instrumented),
    OPTIONAL("test", CHARS, test),
    OPTIONAL("direct", U32, direct),
    OPTIONAL("schedule-label", CHARS, plan_label),
    OPTIONAL("plan", CHARS, plan),
    FIELD("message", TEXT, message),
    FIELD("signature", HEX64, signature),
    FIELD("failing-thread", THREAD, thread),
    FIELD("first-schedule", U64, first_schedule),
    FIELD("count", U64, count),
    FIELD("preemptions", U32, preemptions),
    FIELD("switches", U32, switches),
    FIELD("timeouts", U32, timeouts),
    FIELD("timeout-ns", U64, timeout_ns),
    FIELD("event-hash", HEX64, event_hash),
    FIELD("exit-status", I32, exit_status),
    FIELD("events-total", U64, events_total),
};
const size_t rv_failure_field_count = sizeof rv_failure_fields / sizeof rv_failure_fields[0];

static void add_field(struct rv_text *out, const struct rv_failure *failure,
                      const struct rv_failure_field *field) {
    const char *at = (const char *)failure + field->offset;
    if (field->optional && !*at) return; /* numbers among them are small */
    rv_text_addf(out, "%s ", field->keyword);
    switch (field->type) {
    case RV_FIELD_U32: rv_text_addf(out, "%u", *(const uint32_t *)at); break;
    case RV_FIELD_I32: rv_text_addf(out, "%d", *(const int32_t *)at); break;
    case RV_FIELD_U64: rv_text_addf(out, "%llu", (unsigned long long)*(const uint64_t *)at); break;
    case RV_FIELD_I64: rv_text_addf(out, "%lld", (long long)*(const int64_t *)at); break;
    case RV_FIELD_HEX64: rv_text_addf(out, "0x%llx", (unsigned long long)*(const uint64_t *)at); break;
    case RV_FIELD_TEXT: rv_field_add_quoted(out, *(char *const *)at); break;
    case RV_FIELD_CHARS: rv_text_add_quoted(out, at, strnlen(at, field->size)); break;
    case RV_FIELD_THREAD: rv_field_add_thread(out, *(const uint32_t *)at); break;
    }
    rv_text_add(out, "\n");
}

enum { WRAP = 100 }; /* columns after which a schedule goes on in the next line */

static void add_item(struct rv_text *out, const char *keyword, size_t *line_start, const char *item) {
    if (*line_start == 0 || out->size + strlen(item) + 1 - *line_start > WRAP) {
        if (*line_start) rv_text_add(out, "\n");
        *line_start = out->size;
        rv_text_add(out, keyword);
    }
    rv_text_addf(out, " %s", item);
}

static void add_schedule(struct rv_text *out, const struct rv_failure *failure) {
    size_t line_start = 0;
    char item[64];
    for (uint64_t i = 0; i < failure->run_count; i++) {
        const struct rv_run *run = &failure->runs[i];
        const char *timeout = run->flags & RV_RUN_TIMEOUT ? "!" : "";
        if (run->until == UINT64_MAX)
            snprintf(item, sizeof item, "%u%s@end", run->thread, timeout);
        else
            snprintf(item, sizeof item, "%u%s@%llu", run->thread, timeout, (unsigned long long)run->until);
        add_item(out, "schedule", &line_start, item);
    }
    if (line_start) rv_text_add(out, "\n");
    line_start = 0;
    for (uint64_t i = 0, next; i < failure->choice_count; i = next) {
        for (next = i + 1; next < failure->choice_count && failure->choices[next] == failure->choices[i];)
            next++;
        if (next - i == 1)
            snprintf(item, sizeof item, "%u", failure->choices[i]);
        else
            snprintf(item, sizeof item, "%u*%llu", failure->choices[i], (unsigned long long)(next - i));
        add_item(out, "choices", &line_start, item);
    }
    if (line_start) rv_text_add(out, "\n");
}

static void add_list(struct rv_text *out, const char *keyword, char *const *list) {
    for (; *list; list++) {
        rv_text_addf(out, "%s ", keyword);
        rv_field_add_quoted(out, *list);
        rv_text_add(out, "\n");
    }
}

static void add_threads(struct rv_text *out, const struct rv_failure *failure) {
    for (unsigned i = 0; i < failure->thread_count; i++) {
        const struct rv_thread_text *thread = &failure->threads[i];
        rv_text_addf(out, "thread %u ", thread->id);
        rv_field_add_quoted(out, thread->name);
        rv_text_add(out, " ");
        rv_field_add_quoted(out, thread->state);
        rv_text_addf(out, " \"%s\" ", rv_op_names[thread->op]);
        rv_field_add_thread(out, thread->owner);
        rv_text_add(out, " ");
        rv_field_add_quoted(out, thread->object);
        rv_text_add(out, "\n");
        rv_field_add_location(out, "  created", &thread->created_at);
        rv_field_add_stack(out, "  frame", &thread->stack);
        for (unsigned k = 0; k < thread->held_count; k++) {
            rv_text_add(out, "  held ");
            rv_field_add_quoted(out, thread->held[k].object);
            rv_text_add(out, "\n");
            rv_field_add_stack(out, "    acquired", &thread->held[k].acquired);
        }
    }
}

static bool is_known(const struct rv_location *at) {
    return *at->function || *at->file || *at->source || *at->module || at->line || at->offset;
}

static void add_events(struct rv_text *out, const struct rv_failure *failure) {
    for (unsigned i = 0; i < failure->event_count; i++) {
        const struct rv_trace_event *event = &failure->events[i];
        rv_text_addf(out, "event %u \"%s\" %llu %u %u 0x%llx %u ", event->thread, rv_op_names[event->op],
                     (unsigned long long)event->step, event->size, event->flags,
                     (unsigned long long)event->value, event->weight);
        rv_field_add_quoted(out, event->object);
        rv_text_add(out, "\n");
        rv_field_add_location(out, "  at", &event->at);
        if (is_known(&event->caller)) rv_field_add_location(out, "  caller", &event->caller);
        if (!event->decisive) continue;
        rv_text_add(out, "  decisive ");
        rv_field_add_quoted(out, event->note);
        rv_text_add(out, "\n");
    }
}

/* One line of the program's output a line of the file. */
static void add_output(struct rv_text *out, const char *output) {
    while (*output) {
        size_t size = strcspn(output, "\n");
        size += output[size] == '\n';
        rv_text_add(out, "output ");
        rv_text_add_quoted(out, output, size);
        rv_text_add(out, "\n");
        output += size;
    }
}

char *rv_failure_to_text(const struct rv_failure *failure) {
    struct rv_text out = {0};
    rv_text_addf(&out, "%s\nkind %s\n", RV_FAILURE_HEADER, rv_kind_names[failure->kind]);
    for (size_t i = 0; i < rv_failure_field_count; i++) add_field(&out, failure, &rv_failure_fields[i]);
    add_list(&out, "arg", failure->args);
    add_list(&out, "env", failure->env);
    add_output(&out, failure->output);
    add_schedule(&out, failure);
    add_threads(&out, failure);
    add_events(&out, failure);
    if (failure->block) rv_field_add_block(&out, "", failure->block);
    if (failure->race) rv_race_add_text(&out, failure->race);
    rv_text_add(&out, "end\n");
    return rv_text_take(&out);
}

static bool write_all(int fd, const char *text, size_t size) {
    while (size > 0) {
        ssize_t written = write(fd, text, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text += written;
        size -= (size_t)written;
    }
    return fsync(fd) == 0 || errno == EINVAL || errno == EROFS;
}

bool rv_failure_write(const struct rv_failure *failure, const char *path, char **error) {
    char *text = rv_failure_to_text(failure), *temporary = rv_text_format("%s.XXXXXX", path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    bool made = fd >= 0, done = made && fchmod(fd, 0644) == 0 && write_all(fd, text, strlen(text));
    int reason = errno;
    if (made && close(fd) != 0 && done) {
        done = false;
        reason = errno;
    }
    if (done && rename(temporary, path) != 0) {
        done = false;
        reason = errno;
    }
    if (made && !done) unlink(temporary);
    if (!done) *error = rv_text_format("%s: cannot be written: %s", path, strerror(reason));
    free(text);
    free(temporary);
    return done;
}
