#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/text.h"
#include "report/trace_format.h"

const char *const rv_trace_kinds[RV_STEP_KINDS] = {
    [RV_STEP_READ] = "read",
    [RV_STEP_WRITE] = "write",
    [RV_STEP_ATOMIC_READ] = "atomic-read",
    [RV_STEP_ATOMIC_WRITE] = "atomic-write",
    [RV_STEP_ATOMIC_RMW] = "atomic-rmw",
    [RV_STEP_FREE] = "free",
    [RV_STEP_FENCE] = "fence",
    [RV_STEP_LOCK] = "lock",
    [RV_STEP_UNLOCK] = "unlock",
    [RV_STEP_LOCK_SHARED] = "lock-shared",
    [RV_STEP_UNLOCK_SHARED] = "unlock-shared",
    [RV_STEP_SEND] = "send",
    [RV_STEP_RECEIVE] = "receive",
    [RV_STEP_BARRIER] = "barrier",
    [RV_STEP_CREATE] = "create",
    [RV_STEP_START] = "start",
    [RV_STEP_EXIT] = "exit",
    [RV_STEP_JOIN] = "join",
    [RV_STEP_ALLOC] = "alloc",
    [RV_STEP_RENEW] = "renew",
    [RV_STEP_BEFORE] = "before",
    [RV_STEP_AFTER] = "after",
    [RV_STEP_BENIGN] = "benign",
};

enum { FLUSH = 1 << 18 };

struct rv_trace_writer {
    char *path, *temporary; /* NULL: into memory */
    int fd;
    struct rv_text text; /* not written yet */
    unsigned module_count;
    uint64_t records;
};

static bool flush(struct rv_trace_writer *writer, char **error) {
    const char *next = writer->text.data;
    if (!writer->path) return true;
    while (writer->text.size > 0) {
        ssize_t written = write(writer->fd, next, writer->text.size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            *error = rv_text_format("%s: cannot be written: %s", writer->path, strerror(errno));
            return false;
        }
        next += written;
        writer->text.size -= (size_t)written;
    }
    return true;
}

static void add_line(struct rv_text *text, const char *keyword, const char *quoted) {
    rv_text_addf(text, "%s ", keyword);
    rv_text_add_quoted(text, quoted, strlen(quoted));
    rv_text_add(text, "\n");
}

struct rv_trace_writer *rv_trace_create_text(const struct rv_trace_program *program) {
    struct rv_trace_writer *writer = rv_text_alloc(1, sizeof *writer);
    writer->fd = -1;
    rv_text_add(&writer->text, RV_TRACE_HEADER "\n");
    add_line(&writer->text, "program", program->program);
    for (char *const *arg = program->args; *arg; arg++) add_line(&writer->text, "arg", *arg);
    add_line(&writer->text, "build-id", program->build_id);
    return writer;
}

struct rv_trace_writer *rv_trace_create(const char *path, const struct rv_trace_program *program,
                                        char **error) {
    struct rv_trace_writer *writer = rv_trace_create_text(program);
    writer->temporary = rv_text_format("%s.XXXXXX", path);
    writer->fd = mkostemp(writer->temporary, O_CLOEXEC);
    if (writer->fd >= 0 && fchmod(writer->fd, 0644) == 0) {
        writer->path = rv_text_copy(path);
        return writer;
    }
    *error = rv_text_format("%s: cannot be written: %s", path, strerror(errno));
    rv_trace_discard(writer);
    return NULL;
}

bool rv_trace_modules(struct rv_trace_writer *writer, const struct rv_module *modules, unsigned count,
                      char **error) {
    struct rv_text *text = &writer->text;
    for (; writer->module_count < count && writer->module_count < RV_MAX_MODULES; writer->module_count++) {
        const struct rv_module *module = &modules[writer->module_count];
        unsigned size = module->build_id_size < sizeof module->build_id ? module->build_id_size
                                                                        : (unsigned)sizeof module->build_id;
        uint64_t end = module->end < module->start ? module->start : module->end;
        rv_text_addf(text, "module %u ", writer->module_count);
        rv_text_add_quoted(text, module->path, strnlen(module->path, sizeof module->path - 1));
        rv_text_addf(text, " %llx %llx %llx \"", (unsigned long long)module->base,
                     (unsigned long long)module->start, (unsigned long long)end);
        for (unsigned i = 0; i < size; i++) rv_text_addf(text, "%02x", module->build_id[i]);
        rv_text_add(text, "\"\n");
    }
    return flush(writer, error);
}

/* --- executions --- */

static char *put_hex(char *at, uint64_t value) {
    unsigned digits = value ? (unsigned)(67 - __builtin_clzll(value)) / 4 : 1;
    for (unsigned i = digits; i-- > 0; value >>= 4) at[i] = "0123456789abcdef"[value & 15];
    return at + digits;
}

static char *put_field(char *at, uint64_t value) {
    *at++ = ' ';
    return put_hex(at, value);
}

static char *put_code(char *at, uint64_t code) {
    *at++ = ' ';
    if (code == RV_CODE_UNKNOWN) {
        *at++ = '-';
        return at;
    }
    at = put_hex(at, rv_code_module(code));
    *at++ = '+';
    return put_hex(at, rv_code_offset(code));
}

static void add_step(struct rv_text *text, const struct rv_record *record) {
    const struct rv_step *step = &record->step;
    char line[160], *at = stpcpy(line, rv_trace_kinds[step->kind]);
    at = put_field(at, step->thread);
    at = put_field(at, step->address);
    at = put_field(at, step->size);
    at = put_code(at, step->site);
    at = put_field(at, step->order);
    at = put_field(at, record->stack);
    at = put_field(at, record->number);
    *at++ = '\n';
    rv_text_add_n(text, line, (size_t)(at - line));
}

static void add_node(struct rv_text *text, const struct rv_trace_execution *execution, size_t number) {
    char line[80], *at = stpcpy(line, "stack");
    at = put_field(at, number);
    at = put_code(at, execution->nodes[number].code);
    at = put_field(at, execution->nodes[number].parent);
    *at++ = '\n';
    rv_text_add_n(text, line, (size_t)(at - line));
}

/* What is wrong with the step; NULL: nothing. */
static const char *fault(const struct rv_record *record, size_t node_count) {
    const struct rv_step *step = &record->step;
    if (step->kind >= RV_STEP_KINDS) return "its kind";
    struct rv_trace_bounds bounds = rv_trace_bounds(step->kind);
    if (step->thread >= RV_TRACE_FILE_THREADS) return "its thread";
    if (step->address > bounds.address) return "its address";
    if (step->size < bounds.least || step->size > bounds.most) return "its size";
    if (bounds.memory && rv_trace_wraps(step->address, step->size)) return "its size";
    if (!rv_trace_code_fits(step->site)) return "its site";
    if (step->order > RV_ORDER_SEQ_CST) return "its order";
    if (record->stack && record->stack >= node_count) return "its stack";
    return NULL;
}

static bool damaged(const struct rv_trace_execution *execution, const char *what, size_t number,
                    const char *why, char **error) {
    *error = rv_text_format("the record of execution %llu is damaged: %s %zu: %s is out of bounds",
                            (unsigned long long)execution->number, what, number, why);
    return false;
}

static bool check_nodes(const struct rv_trace_execution *execution, char **error) {
    if (execution->node_count > RV_MAX_STACK_NODES)
        return damaged(execution, "stack", execution->node_count, "its number", error);
    for (size_t i = 1; i < execution->node_count; i++) {
        if (execution->nodes[i].parent >= i) return damaged(execution, "stack", i, "its parent", error);
        if (!rv_trace_code_fits(execution->nodes[i].code))
            return damaged(execution, "stack", i, "its code", error);
    }
    return true;
}

bool rv_trace_execution(struct rv_trace_writer *writer, const struct rv_trace_execution *execution,
                        char **error) {
    struct rv_text *text = &writer->text;
    size_t next_node = 1;
    writer->records += execution->record_count;
    if (writer->records > RV_MAX_RECORDS) {
        *error = rv_text_format("a trace has at most %d steps", RV_MAX_RECORDS);
        return false;
    }
    if (!check_nodes(execution, error)) return false;
    rv_text_addf(text, "execution %llu\n", (unsigned long long)execution->number);
    for (size_t i = 0; i < execution->record_count; i++) {
        const struct rv_record *record = &execution->records[i];
        const char *why = fault(record, execution->node_count);
        if (why) return damaged(execution, "step", i, why, error);
        for (; next_node <= record->stack; next_node++) add_node(text, execution, next_node);
        add_step(text, record);
        if (text->size >= FLUSH && !flush(writer, error)) return false;
    }
    for (; next_node < execution->node_count; next_node++) add_node(text, execution, next_node);
    rv_text_addf(text, "over %zu%s\n", execution->record_count, execution->no_room ? " cut" : "");
    return flush(writer, error);
}

/* --- the end --- */

void rv_trace_discard(struct rv_trace_writer *writer) {
    if (!writer) return;
    if (writer->fd >= 0) {
        close(writer->fd);
        unlink(writer->temporary);
    }
    free(writer->text.data);
    free(writer->path);
    free(writer->temporary);
    free(writer);
}

char *rv_trace_close_text(struct rv_trace_writer *writer, size_t *size) {
    rv_text_add(&writer->text, "end\n");
    *size = writer->text.size;
    char *text = rv_text_take(&writer->text);
    rv_trace_discard(writer);
    return text;
}

bool rv_trace_close(struct rv_trace_writer *writer, char **error) {
    rv_text_add(&writer->text, "end\n");
    bool flushed = flush(writer, error), done = flushed;
    if (done && fsync(writer->fd) != 0 && errno != EINVAL && errno != EROFS) done = false;
    if (done && rename(writer->temporary, writer->path) != 0) done = false;
    if (flushed && !done) *error = rv_text_format("%s: cannot be written: %s", writer->path, strerror(errno));
    if (done) {
        close(writer->fd);
        writer->fd = -1;
    }
    rv_trace_discard(writer);
    return done;
}
