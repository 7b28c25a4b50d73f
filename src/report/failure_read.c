/* The strict reader: for files that were cut, edited, or written to harm. Everything is bounded before it is
 * allocated, every line is checked to its end, and the first thing that is wrong is named with its line. */
#include <stdlib.h>
#include <string.h>

#include "report/failure_fields.h"
#include "report/failure_format.h"
#include "report/failure_scan.h"
#include "report/owned.h"
#include "report/race_file.h"
#include "report/text.h"
#include "report/whole_file.h"

struct reader {
    struct rv_scan scan;
    struct rv_failure *failure;
    struct rv_race_reader race;
    bool *seen; /* per rv_failure_fields */
    bool kind_seen;
    bool ended;
    size_t arg_count, env_count;
    uint64_t run_capacity, choice_capacity;
    struct rv_text output;
    struct rv_thread_text *thread; /* the last one, while its lines may come */
    struct rv_trace_event *event;
};

/* --- fields --- */

static bool read_op(struct rv_scan *scan, enum rv_op *op) {
    char *name;
    if (!rv_scan_text(scan, &name, "an operation")) return false;
    *op = rv_op_from_name(name);
    bool known = *op != RV_OP_COUNT;
    if (!known) *op = RV_OP_NONE;
    if (!known) rv_scan_error(scan, "unknown operation \"%.40s\"", name);
    free(name);
    return known;
}

static bool read_head_field(struct reader *reader, size_t index) {
    const struct rv_failure_field *field = &rv_failure_fields[index];
    struct rv_scan *scan = &reader->scan;
    char *at = (char *)reader->failure + field->offset, *text;
    int64_t number;
    if (reader->seen[index]) return rv_scan_error(scan, "%s a second time", field->keyword);
    reader->seen[index] = true;
    switch (field->type) {
    case RV_FIELD_U32: return rv_field_u32(scan, (uint32_t *)at, UINT32_MAX, "a value");
    case RV_FIELD_I32:
        if (!rv_scan_signed(scan, &number, INT32_MIN, INT32_MAX, "a value")) return false;
        *(int32_t *)at = (int32_t)number;
        return true;
    case RV_FIELD_U64:
    case RV_FIELD_HEX64: return rv_scan_number(scan, (uint64_t *)at, UINT64_MAX, "a value");
    case RV_FIELD_I64: return rv_scan_signed(scan, (int64_t *)at, INT64_MIN, INT64_MAX, "a value");
    case RV_FIELD_TEXT: return rv_field_text(scan, (char **)at, "a text");
    case RV_FIELD_THREAD: return rv_field_thread(scan, (uint32_t *)at);
    case RV_FIELD_CHARS:
        if (!rv_scan_text(scan, &text, "a text")) return false;
        if (strlen(text) >= field->size)
            rv_scan_error(scan, "%s is longer than %zu", field->keyword, field->size - 1);
        else
            memcpy(at, text, strlen(text) + 1);
        free(text);
        return !scan->error;
    }
    return false;
}

/* --- lines; each reads what comes after its keyword --- */

static bool read_kind(struct reader *reader) {
    const char *word;
    size_t size;
    if (!rv_scan_word(&reader->scan, &word, &size, "a kind of failure")) return false;
    if (reader->kind_seen) return rv_scan_error(&reader->scan, "kind a second time");
    char *name = rv_text_copy_n(word, size);
    enum rv_kind kind = rv_kind_from_name(name);
    if (kind == RV_KIND_COUNT)
        rv_scan_error(&reader->scan, "unknown kind of failure \"%.40s\"", name);
    else
        reader->failure->kind = kind;
    reader->kind_seen = true;
    free(name);
    return kind != RV_KIND_COUNT;
}

static bool read_list(struct reader *reader, char ***list, size_t *count) {
    char *text;
    if (*count >= RV_FILE_TEXTS) return rv_scan_error(&reader->scan, "more than %d of these", RV_FILE_TEXTS);
    if (!rv_scan_text(&reader->scan, &text, "a text")) return false;
    *list = rv_text_realloc(*list, *count + 2, sizeof **list);
    (*list)[(*count)++] = text;
    (*list)[*count] = NULL;
    return true;
}

static bool read_arg(struct reader *reader) {
    return read_list(reader, &reader->failure->args, &reader->arg_count);
}
static bool read_env(struct reader *reader) {
    return read_list(reader, &reader->failure->env, &reader->env_count);
}

static bool read_output(struct reader *reader) {
    char *text;
    if (!rv_scan_text(&reader->scan, &text, "output")) return false;
    rv_text_add(&reader->output, text);
    free(text);
    return true;
}

/* "2!@30", "0@end" */
static bool parse_run(const char *word, size_t size, struct rv_run *run) {
    const char *at = memchr(word, '@', size);
    uint64_t thread;
    if (!at) return false;
    size_t digits = (size_t)(at - word), rest = size - digits - 1;
    run->flags = digits > 0 && at[-1] == '!' ? RV_RUN_TIMEOUT : 0;
    if (run->flags) digits--;
    if (!rv_scan_digits(word, digits, UINT32_MAX - 1, &thread)) return false;
    run->thread = (uint32_t)thread;
    if (rest == 3 && memcmp(at + 1, "end", 3) == 0) {
        run->until = UINT64_MAX;
        return true;
    }
    return rv_scan_digits(at + 1, rest, UINT64_MAX - 1, &run->until);
}

static bool read_schedule(struct reader *reader) {
    struct rv_failure *failure = reader->failure;
    do {
        const char *word;
        size_t size;
        struct rv_run run;
        if (!rv_scan_word(&reader->scan, &word, &size, "a run such as 0@15")) return false;
        if (!parse_run(word, size, &run)) {
            return rv_scan_error(&reader->scan, "expected a run such as 0@15, 2!@30 or 0@end, not \"%.*s\"",
                                 (int)(size < 40 ? size : 40), word);
        }
        if (failure->run_count >= RV_MAX_RUNS)
            return rv_scan_error(&reader->scan, "more than %d runs", RV_MAX_RUNS);
        if (failure->run_count == reader->run_capacity) {
            reader->run_capacity = reader->run_capacity * 2 + 64;
            failure->runs = rv_text_realloc(failure->runs, reader->run_capacity, sizeof *failure->runs);
        }
        failure->runs[failure->run_count++] = run;
    } while (rv_scan_more(&reader->scan));
    return true;
}

static bool read_choices(struct reader *reader) {
    struct rv_failure *failure = reader->failure;
    do {
        const char *word;
        size_t size;
        uint64_t value = 0, repeat = 1;
        if (!rv_scan_word(&reader->scan, &word, &size, "a choice such as 0*12")) return false;
        const char *star = memchr(word, '*', size);
        size_t digits = star ? (size_t)(star - word) : size;
        bool good = rv_scan_digits(word, digits, UINT8_MAX, &value) &&
                    (!star || rv_scan_digits(star + 1, size - digits - 1, RV_MAX_CHOICES, &repeat)) &&
                    repeat > 0;
        if (!good) return rv_scan_error(&reader->scan, "expected choices such as 1 or 0*12");
        if (failure->choice_count + repeat > RV_MAX_CHOICES) {
            return rv_scan_error(&reader->scan, "more than %d choices", RV_MAX_CHOICES);
        }
        if (failure->choice_count + repeat > reader->choice_capacity) {
            reader->choice_capacity = (failure->choice_count + repeat) * 2;
            failure->choices = rv_text_realloc(failure->choices, reader->choice_capacity, 1);
        }
        memset(failure->choices + failure->choice_count, (int)value, repeat);
        failure->choice_count += repeat;
    } while (rv_scan_more(&reader->scan));
    return true;
}

static bool read_thread(struct reader *reader) {
    struct rv_failure *failure = reader->failure;
    struct rv_scan *scan = &reader->scan;
    void *bigger = rv_field_grow(scan, failure->threads, failure->thread_count, sizeof *failure->threads,
                                 RV_FILE_THREADS, "threads");
    if (!bigger) return false;
    failure->threads = bigger;
    struct rv_thread_text *thread = &failure->threads[failure->thread_count++];
    thread->name = rv_text_copy("");
    thread->state = rv_text_copy("");
    thread->object = rv_text_copy("");
    rv_location_blank(&thread->created_at);
    reader->thread = thread;
    reader->event = NULL;
    return rv_field_u32(scan, &thread->id, UINT32_MAX - 1, "a thread's number") &&
           rv_field_text(scan, &thread->name, "a name") && rv_field_text(scan, &thread->state, "a state") &&
           read_op(scan, &thread->op) && rv_field_thread(scan, &thread->owner) &&
           rv_field_text(scan, &thread->object, "an object");
}

static bool read_event(struct reader *reader) {
    struct rv_failure *failure = reader->failure;
    struct rv_scan *scan = &reader->scan;
    void *bigger = rv_field_grow(scan, failure->events, failure->event_count, sizeof *failure->events,
                                 RV_FILE_EVENTS, "events");
    if (!bigger) return false;
    failure->events = bigger;
    struct rv_trace_event *event = &failure->events[failure->event_count++];
    uint64_t weight = 0;
    event->object = rv_text_copy("");
    event->note = rv_text_copy("");
    rv_location_blank(&event->at);
    rv_location_blank(&event->caller);
    reader->event = event;
    reader->thread = NULL;
    bool good = rv_field_u32(scan, &event->thread, UINT32_MAX - 1, "a thread") && read_op(scan, &event->op) &&
                rv_scan_number(scan, &event->step, UINT64_MAX, "a step") &&
                rv_field_u16(scan, &event->size, "a size") && rv_field_u16(scan, &event->flags, "flags") &&
                rv_scan_number(scan, &event->value, UINT64_MAX, "a value") &&
                rv_scan_number(scan, &weight, RV_WEIGHT_MAX, "a weight") &&
                rv_field_text(scan, &event->object, "an object");
    event->weight = (uint8_t)weight;
    return good;
}

static bool read_at(struct reader *reader) {
    if (!reader->event) return rv_scan_error(&reader->scan, "\"at\" belongs to an event");
    return rv_field_location(&reader->scan, &reader->event->at);
}

static bool read_caller(struct reader *reader) {
    if (!reader->event) return rv_scan_error(&reader->scan, "\"caller\" belongs to an event");
    return rv_field_location(&reader->scan, &reader->event->caller);
}

static bool read_decisive(struct reader *reader) {
    if (!reader->event) return rv_scan_error(&reader->scan, "\"decisive\" belongs to an event");
    reader->event->decisive = true;
    return rv_field_text(&reader->scan, &reader->event->note, "a reason");
}

static bool read_created(struct reader *reader) {
    if (!reader->thread) return rv_scan_error(&reader->scan, "\"created\" belongs to a thread");
    return rv_field_location(&reader->scan, &reader->thread->created_at);
}

static bool read_frame(struct reader *reader) {
    if (!reader->thread) return rv_scan_error(&reader->scan, "\"frame\" belongs to a thread");
    return rv_field_frame(&reader->scan, &reader->thread->stack);
}

static bool read_held(struct reader *reader) {
    struct rv_thread_text *thread = reader->thread;
    if (!thread) return rv_scan_error(&reader->scan, "\"held\" belongs to a thread");
    void *bigger = rv_field_grow(&reader->scan, thread->held, thread->held_count, sizeof *thread->held,
                                 RV_FILE_HELD, "locks");
    if (!bigger) return false;
    thread->held = bigger;
    struct rv_lock_text *lock = &thread->held[thread->held_count++];
    lock->object = rv_text_copy("");
    return rv_field_text(&reader->scan, &lock->object, "an object");
}

static bool read_acquired(struct reader *reader) {
    if (!reader->thread || !reader->thread->held_count) {
        return rv_scan_error(&reader->scan, "\"acquired\" belongs to a held lock");
    }
    return rv_field_frame(&reader->scan, &reader->thread->held[reader->thread->held_count - 1].acquired);
}

static bool read_block(struct reader *reader) {
    struct rv_scan *scan = &reader->scan;
    if (reader->failure->block) return rv_scan_error(scan, "block a second time");
    reader->thread = NULL;
    reader->event = NULL;
    return rv_field_block(scan, &reader->failure->block);
}

static bool read_allocated(struct reader *reader) {
    if (!reader->failure->block) return rv_scan_error(&reader->scan, "\"allocated\" belongs to a block");
    return rv_field_frame(&reader->scan, &reader->failure->block->allocated);
}

static bool read_released(struct reader *reader) {
    if (!reader->failure->block) return rv_scan_error(&reader->scan, "\"released\" belongs to a block");
    return rv_field_frame(&reader->scan, &reader->failure->block->released);
}

static bool read_end(struct reader *reader) { return reader->ended = true; }

static const struct {
    const char *keyword;
    bool (*read)(struct reader *reader);
} lines[] = {
    {"kind", read_kind},
    {"arg", read_arg},
    {"env", read_env},
    {"output", read_output},
    {"schedule", read_schedule},
    {"choices", read_choices},
    {"thread", read_thread},
    {"created", read_created},
    {"frame", read_frame},
    {"held", read_held},
    {"acquired", read_acquired},
    {"event", read_event},
    {"at", read_at},
    {"caller", read_caller},
    {"decisive", read_decisive},
    {"block", read_block},
    {"allocated", read_allocated},
    {"released", read_released},
    {"end", read_end},
};

static bool is_word(const char *word, size_t size, const char *keyword) {
    return strlen(keyword) == size && memcmp(word, keyword, size) == 0;
}

static bool read_line(struct reader *reader) {
    const char *word;
    size_t size;
    if (!rv_scan_word(&reader->scan, &word, &size, "a keyword")) return false;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (is_word(word, size, lines[i].keyword)) return lines[i].read(reader) && rv_scan_end(&reader->scan);
    }
    for (size_t i = 0; i < rv_failure_field_count; i++) {
        if (is_word(word, size, rv_failure_fields[i].keyword)) {
            return read_head_field(reader, i) && rv_scan_end(&reader->scan);
        }
    }
    if (rv_race_is_line(word, size))
        return rv_race_read_line(&reader->race, word, size) && rv_scan_end(&reader->scan);
    return rv_scan_error(&reader->scan, "unknown keyword \"%.*s\"", (int)(size < 40 ? size : 40), word);
}

static bool read_header(struct reader *reader) {
    struct rv_scan *scan = &reader->scan;
    const char *expected = RV_FAILURE_HEADER;
    size_t family = strlen("ravel-failure ");
    if (!rv_scan_line(scan)) {
        scan->line = 1;
        free(scan->error);
        scan->error = NULL;
        return rv_scan_error(scan, "expected \"%s\": this is no failure file", expected);
    }
    size_t size = (size_t)(scan->stop - scan->at);
    if (is_word(scan->at, size, expected)) return true;
    if (size >= family && memcmp(scan->at, expected, family) == 0) {
        return rv_scan_error(scan, "version \"%.*s\" of the format is not supported, only 1",
                             (int)(size - family < 20 ? size - family : 20), scan->at + family);
    }
    return rv_scan_error(scan, "expected \"%s\": this is no failure file", expected);
}

/* Everything that must be there is. */
static bool check_complete(struct reader *reader) {
    struct rv_scan *scan = &reader->scan;
    if (!reader->ended) {
        scan->line++;
        return rv_scan_error(scan, "expected \"end\": the file is cut off");
    }
    if (scan->next != scan->end) {
        scan->line++;
        return rv_scan_error(scan, "expected nothing after \"end\"");
    }
    if (!reader->kind_seen) return rv_scan_error(scan, "there is no \"kind\" line");
    for (size_t i = 0; i < rv_failure_field_count; i++) {
        if (!reader->seen[i] && !rv_failure_fields[i].optional)
            return rv_scan_error(scan, "there is no \"%s\" line", rv_failure_fields[i].keyword);
    }
    return rv_race_read_end(&reader->race);
}

bool rv_failure_from_text(struct rv_failure *failure, const char *text, size_t size, const char *name,
                          char **error) {
    struct reader reader = {.scan = {.name = name, .next = text, .end = text + size}, .failure = failure};
    *failure = (struct rv_failure){0};
    rv_failure_complete(failure);
    reader.race = (struct rv_race_reader){.scan = &reader.scan, .race = &failure->race};
    reader.seen = rv_text_alloc(rv_failure_field_count, sizeof *reader.seen);
    bool good = read_header(&reader);
    while (good && !reader.ended && rv_scan_line(&reader.scan)) good = read_line(&reader);
    good = good && !reader.scan.error && check_complete(&reader);
    rv_text_set(&failure->output, rv_text_take(&reader.output));
    rv_text_set(&failure->file, rv_text_copy(name));
    if (failure->race) rv_text_set(&failure->race->file, rv_text_copy(name));
    free(reader.seen);
    if (good) return true;
    rv_failure_free(failure);
    *error = reader.scan.error;
    return false;
}

bool rv_failure_read(struct rv_failure *failure, const char *path, char **error) {
    size_t size = 0;
    *failure = (struct rv_failure){0};
    char *text = rv_whole_file(path, RV_FILE_MAX, "failure file", &size, error);
    bool good = text && rv_failure_from_text(failure, text, size, path, error);
    free(text);
    return good;
}
