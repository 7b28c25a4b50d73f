/* The reader of traces. Its buffer holds a window of whole lines, which rv_scan_line walks through, and behind it the
 * beginning of a line whose rest is still in the file. What is left there when the file ends is the half line of a trace
 * that was cut. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/failure_scan.h"
#include "report/text.h"
#include "report/trace_format.h"

struct rv_trace_reader {
    char *name;
    int fd;       /* -1: all of it is in the buffer */
    char *buffer; /* RV_TRACE_LINE bytes, or all */
    size_t filled;
    struct rv_scan scan; /* next to end: the window */
    bool ended;          /* the file is at its end */
    bool complete;       /* "end" was read */
    bool waiting;        /* the line in `scan` is still to be understood */
    bool over;           /* nothing more is to be had */
    struct rv_trace_program program;
    struct rv_module modules[RV_MAX_MODULES];
    unsigned module_count;
    uint64_t records; /* of all executions */
};

void rv_trace_execution_free(struct rv_trace_execution *execution) {
    free(execution->records);
    free(execution->nodes);
    *execution = (struct rv_trace_execution){0};
}

void rv_trace_reader_free(struct rv_trace_reader *reader) {
    if (!reader) return;
    if (reader->fd >= 0) close(reader->fd);
    for (char **arg = reader->program.args; arg && *arg; arg++) free(*arg);
    free(reader->program.args);
    free(reader->program.program);
    free(reader->program.build_id);
    free(reader->scan.error);
    free(reader->buffer);
    free(reader->name);
    free(reader);
}

/* --- lines --- */

/* Reads on behind the window; false: the file is at its end, or an error. */
static bool refill(struct rv_trace_reader *reader) {
    struct rv_scan *scan = &reader->scan;
    size_t rest = (size_t)(reader->buffer + reader->filled - scan->next);
    const char *newline = NULL;
    if (reader->fd < 0) reader->ended = true;
    if (reader->ended) return false;
    memmove(reader->buffer, scan->next, rest);
    reader->filled = rest;
    while (!newline && reader->filled < RV_TRACE_LINE) {
        char *fresh = reader->buffer + reader->filled;
        ssize_t got = read(reader->fd, fresh, RV_TRACE_LINE - reader->filled);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) scan->error = rv_text_format("%s: cannot be read: %s", reader->name, strerror(errno));
        if (got <= 0) break;
        reader->filled += (size_t)got;
        newline = memrchr(fresh, '\n', (size_t)got);
    }
    scan->next = reader->buffer;
    scan->end = newline ? newline + 1 : reader->buffer;
    if (newline || scan->error) return newline;
    reader->ended = reader->filled < RV_TRACE_LINE;
    if (reader->ended) return false;
    scan->line++;
    scan->start = scan->field = reader->buffer;
    return rv_scan_error(scan, "expected the end of the line within %d bytes", RV_TRACE_LINE);
}

/* The next whole line; false: there is none, or an error. */
static bool next_line(struct rv_trace_reader *reader) {
    if (reader->waiting) {
        reader->waiting = false;
        return true;
    }
    if (reader->scan.error) return false;
    if (reader->scan.next == reader->scan.end && !refill(reader)) return false;
    return rv_scan_line(&reader->scan);
}

/* Whether the line begins with this word, and goes on behind it. */
static bool begins(struct rv_scan *scan, const char *word) {
    size_t size = strlen(word), room = (size_t)(scan->stop - scan->at);
    if (room < size || memcmp(scan->at, word, size) != 0) return false;
    if (room > size && scan->at[size] != ' ') return false;
    scan->at += room > size ? size + 1 : size;
    return true;
}

/* --- fields --- */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A hexadecimal number up to `max` that ends before `behind`; false without an error. */
static bool take_hex(struct rv_scan *scan, uint64_t *value, uint64_t max, char behind) {
    const char *at = scan->at, *stop = scan->stop;
    uint64_t result = 0;
    int digit;
    scan->field = at;
    if (stop - at > 16) stop = at + 16;
    while (at < stop && (digit = hex_digit(*at)) >= 0) {
        result = result << 4 | (unsigned)digit;
        at++;
    }
    if (at == scan->at || result > max) return false;
    if (at < scan->stop) {
        if (*at != behind) return false;
        at++;
    }
    scan->at = at;
    *value = result;
    return true;
}

static bool read_hex(struct rv_scan *scan, uint64_t *value, uint64_t max, const char *expected) {
    if (take_hex(scan, value, max, ' ')) return true;
    return rv_scan_error(scan, "expected %s, a hexadecimal number up to %llx", expected,
                         (unsigned long long)max);
}

static bool read_code(struct rv_scan *scan, uint64_t *code, const char *expected) {
    const char *begin = scan->at;
    uint64_t module = 0, offset = 0;
    if (begins(scan, "-")) {
        *code = RV_CODE_UNKNOWN;
        return true;
    }
    if (take_hex(scan, &module, RV_MAX_MODULES - 1, '+') && scan->at[-1] == '+' &&
        take_hex(scan, &offset, ((uint64_t)1 << 48) - 1, ' ')) {
        *code = module << 48 | offset;
        return true;
    }
    return rv_scan_error_at(scan, begin, "expected %s, as MODULE+OFFSET, or \"-\"", expected);
}

/* The list with room for one more than `count`, in an array that doubles. */
static void *grow(void *list, size_t count, size_t size) {
    return (count & (count + 1)) == 0 ? rv_text_realloc(list, count * 2 + 2, size) : list;
}

/* --- the head --- */

static bool read_build_id(struct rv_trace_reader *reader, struct rv_module *module) {
    const char *begin = reader->scan.at;
    char *text;
    if (!rv_scan_text(&reader->scan, &text, "a build id")) return false;
    size_t digits = strlen(text), size = digits / 2;
    bool good = digits % 2 == 0 && size <= sizeof module->build_id;
    for (size_t i = 0; good && i < size; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        good = high >= 0 && low >= 0;
        module->build_id[i] = (uint8_t)(high * 16 + low);
    }
    free(text);
    module->build_id_size = (uint32_t)size;
    if (good) return true;
    return rv_scan_error_at(&reader->scan, begin, "expected a build id, up to %zu bytes in hexadecimal",
                            sizeof module->build_id);
}

static bool read_module(struct rv_trace_reader *reader) {
    struct rv_scan *scan = &reader->scan;
    struct rv_module module = {0};
    uint64_t index;
    char *path;
    if (!rv_scan_number(scan, &index, RV_MAX_MODULES - 1, "the number of a module")) return false;
    if (index != reader->module_count)
        return rv_scan_error(scan, "expected module %u, the next one", reader->module_count);
    const char *begin = scan->at;
    if (!rv_scan_text(scan, &path, "a path")) return false;
    size_t size = strlen(path);
    if (size < sizeof module.path) memcpy(module.path, path, size + 1);
    free(path);
    if (size >= sizeof module.path)
        return rv_scan_error_at(scan, begin, "expected a path of less than %zu bytes", sizeof module.path);
    if (!read_hex(scan, &module.base, UINT64_MAX, "a base") ||
        !read_hex(scan, &module.start, UINT64_MAX, "a start") ||
        !read_hex(scan, &module.end, UINT64_MAX, "an end"))
        return false;
    if (module.end < module.start) return rv_scan_error(scan, "expected an end that is not before the start");
    if (!read_build_id(reader, &module) || !rv_scan_end(scan)) return false;
    reader->modules[reader->module_count++] = module;
    return true;
}

static bool read_header(struct rv_trace_reader *reader) {
    struct rv_scan *scan = &reader->scan;
    size_t family = strlen("ravel-trace ");
    if (!next_line(reader)) {
        scan->line = 1;
        scan->start = scan->field = scan->next;
        return rv_scan_error(scan, "expected \"%s\": this is no trace", RV_TRACE_HEADER);
    }
    size_t size = (size_t)(scan->stop - scan->at);
    if (size == strlen(RV_TRACE_HEADER) && memcmp(scan->at, RV_TRACE_HEADER, size) == 0) return true;
    if (size >= family && memcmp(scan->at, RV_TRACE_HEADER, family) == 0)
        return rv_scan_error_at(scan, scan->at + family,
                                "version \"%.*s\" of the format is not supported, only 1",
                                (int)(size - family < 20 ? size - family : 20), scan->at + family);
    return rv_scan_error(scan, "expected \"%s\": this is no trace", RV_TRACE_HEADER);
}

/* The next line must be there. */
static bool need_line(struct rv_trace_reader *reader, const char *expected) {
    struct rv_scan *scan = &reader->scan;
    if (next_line(reader)) return true;
    scan->line++;
    scan->start = scan->field = scan->next;
    return rv_scan_error(scan, "expected %s: the file is cut off before its first execution", expected);
}

static bool read_program(struct rv_trace_reader *reader) {
    struct rv_scan *scan = &reader->scan;
    struct rv_trace_program *program = &reader->program;
    size_t count = 0;
    program->args = rv_text_alloc(1, sizeof *program->args);
    if (!read_header(reader) || !need_line(reader, "\"program\"")) return false;
    if (!begins(scan, "program")) return rv_scan_error(scan, "expected \"program\"");
    if (!rv_scan_text(scan, &program->program, "a program") || !rv_scan_end(scan)) return false;
    while (need_line(reader, "\"arg\" or \"build-id\"") && begins(scan, "arg")) {
        if (count >= RV_TRACE_ARGS)
            return rv_scan_error(scan, "expected at most %d arguments", RV_TRACE_ARGS);
        program->args = rv_text_realloc(program->args, count + 2, sizeof *program->args);
        program->args[count] = program->args[count + 1] = NULL;
        if (!rv_scan_text(scan, &program->args[count++], "an argument") || !rv_scan_end(scan)) return false;
    }
    if (scan->error) return false;
    if (!begins(scan, "build-id")) return rv_scan_error(scan, "expected \"arg\" or \"build-id\"");
    return rv_scan_text(scan, &program->build_id, "a build id") && rv_scan_end(scan);
}

/* Module lines, up to one that is something else. */
static bool read_modules(struct rv_trace_reader *reader) {
    while (next_line(reader)) {
        if (!begins(&reader->scan, "module")) {
            reader->waiting = true;
            return true;
        }
        if (!read_module(reader)) return false;
    }
    return !reader->scan.error;
}

static struct rv_trace_reader *begin(struct rv_trace_reader *reader, char **error) {
    reader->scan.name = reader->name;
    reader->scan.columns = true;
    if (read_program(reader) && read_modules(reader)) return reader;
    *error = reader->scan.error;
    reader->scan.error = NULL;
    rv_trace_reader_free(reader);
    return NULL;
}

struct rv_trace_reader *rv_trace_open_text(const char *text, size_t size, const char *name, char **error) {
    struct rv_trace_reader *reader = rv_text_alloc(1, sizeof *reader);
    *reader = (struct rv_trace_reader){.fd = -1, .name = rv_text_copy(name), .filled = size};
    reader->buffer = rv_text_alloc(size, 1);
    if (size) memcpy(reader->buffer, text, size);
    const char *newline = memrchr(reader->buffer, '\n', size);
    reader->scan.next = reader->buffer;
    reader->scan.end = newline ? newline + 1 : reader->buffer;
    return begin(reader, error);
}

struct rv_trace_reader *rv_trace_open(const char *path, char **error) {
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* does not wait for who writes to a pipe */
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
        close(fd);
        *error = rv_text_format("%s: is a directory, expected a trace", path);
        return NULL;
    }
    int flags = fd >= 0 ? fcntl(fd, F_GETFL) : -1;
    if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) != 0) {
        *error = rv_text_format("%s: cannot be read: %s", path, strerror(errno));
        if (fd >= 0) close(fd);
        return NULL;
    }
    struct rv_trace_reader *reader = rv_text_alloc(1, sizeof *reader);
    *reader = (struct rv_trace_reader){.fd = fd, .name = rv_text_copy(path)};
    reader->buffer = rv_text_alloc(RV_TRACE_LINE, 1);
    reader->scan.next = reader->scan.end = reader->buffer;
    return begin(reader, error);
}

const struct rv_trace_program *rv_trace_reader_program(const struct rv_trace_reader *reader) {
    return &reader->program;
}

const struct rv_module *rv_trace_reader_modules(const struct rv_trace_reader *reader, unsigned *count) {
    *count = reader->module_count;
    return reader->modules;
}

bool rv_trace_reader_cut(const struct rv_trace_reader *reader) { return reader->over && !reader->complete; }

/* --- executions --- */

static bool read_node(struct rv_scan *scan, struct rv_trace_execution *execution) {
    uint64_t number, parent;
    struct rv_stack_node node = {0};
    if (!read_hex(scan, &number, RV_MAX_STACK_NODES - 1, "the number of a stack")) return false;
    if (number != execution->node_count)
        return rv_scan_error(scan, "expected stack %zx, the next one", execution->node_count);
    if (!read_code(scan, &node.code, "a code") ||
        !read_hex(scan, &parent, number - 1, "a stack that was there before"))
        return false;
    node.parent = (uint32_t)parent;
    execution->nodes = grow(execution->nodes, execution->node_count, sizeof node);
    execution->nodes[execution->node_count++] = node;
    return rv_scan_end(scan);
}

static bool read_step(struct rv_trace_reader *reader, struct rv_trace_execution *execution, unsigned kind) {
    struct rv_scan *scan = &reader->scan;
    struct rv_trace_bounds bounds = rv_trace_bounds(kind);
    uint64_t thread, order, stack, number;
    struct rv_record record = {.step.kind = (uint8_t)kind};
    if (reader->records >= RV_MAX_RECORDS) {
        return rv_scan_error_at(scan, scan->start, "expected at most %d steps in all executions",
                                RV_MAX_RECORDS);
    }
    if (!read_hex(scan, &thread, RV_TRACE_FILE_THREADS - 1, "a thread") ||
        !read_hex(scan, &record.step.address, bounds.address, "an address") ||
        !read_hex(scan, &record.step.size, bounds.most, "a size"))
        return false;
    if (record.step.size < bounds.least) return rv_scan_error(scan, "expected a size of at least 1");
    if (bounds.memory && rv_trace_wraps(record.step.address, record.step.size))
        return rv_scan_error(scan, "expected a size with which the address does not wrap");
    if (!read_code(scan, &record.step.site, "a site") ||
        !read_hex(scan, &order, RV_ORDER_SEQ_CST, "an order") ||
        !read_hex(scan, &stack, execution->node_count - 1, "a stack that was there before") ||
        !read_hex(scan, &number, UINT32_MAX, "a number") || !rv_scan_end(scan))
        return false;
    record.step.thread = (uint32_t)thread;
    record.step.order = (uint8_t)order;
    record.stack = (uint32_t)stack;
    record.number = (uint32_t)number;
    execution->records = grow(execution->records, execution->record_count, sizeof record);
    execution->records[execution->record_count++] = record;
    reader->records++;
    return true;
}

static bool read_over(struct rv_scan *scan, struct rv_trace_execution *execution) {
    uint64_t count;
    if (!rv_scan_number(scan, &count, RV_MAX_RECORDS, "the number of steps")) return false;
    if (count != execution->record_count)
        return rv_scan_error(scan, "expected %zu, the number of steps", execution->record_count);
    if (rv_scan_more(scan) && begins(scan, "cut")) execution->no_room = true;
    return rv_scan_end(scan);
}

/* The lines of an execution. False: an error. */
static bool read_execution(struct rv_trace_reader *reader, struct rv_trace_execution *execution) {
    struct rv_scan *scan = &reader->scan;
    execution->nodes = rv_text_alloc(2, sizeof *execution->nodes);
    execution->node_count = 1;
    while (next_line(reader)) {
        unsigned kind = 0;
        while (kind < RV_STEP_KINDS &&
               !(*rv_trace_kinds[kind] == *scan->at && begins(scan, rv_trace_kinds[kind])))
            kind++;
        if (kind < RV_STEP_KINDS) {
            if (!read_step(reader, execution, kind)) return false;
        } else if (begins(scan, "stack")) {
            if (!read_node(scan, execution)) return false;
        } else if (begins(scan, "over")) {
            return read_over(scan, execution);
        } else {
            return rv_scan_error(scan, "expected a step, \"stack\" or \"over\"");
        }
    }
    execution->cut = !scan->error;
    return !scan->error;
}

/* The line that comes after modules; false: an error. */
static bool read_next(struct rv_trace_reader *reader, struct rv_trace_execution *execution, bool *found) {
    struct rv_scan *scan = &reader->scan;
    if (!read_modules(reader) || !next_line(reader)) return !scan->error;
    if (begins(scan, "end")) {
        if (!rv_scan_end(scan)) return false;
        reader->complete = true;
        bool whole = next_line(reader), half = !whole && scan->next < reader->buffer + reader->filled;
        if (!whole && !half) return !scan->error;
        scan->line += half; /* which was not counted */
        scan->start = scan->field = scan->next;
        return rv_scan_error(scan, "expected nothing after \"end\"");
    }
    if (!begins(scan, "execution"))
        return rv_scan_error(scan, "expected \"execution\", \"module\" or \"end\"");
    if (!rv_scan_number(scan, &execution->number, UINT64_MAX, "the number of an execution") ||
        !rv_scan_end(scan))
        return false;
    *found = true;
    return read_execution(reader, execution);
}

enum rv_trace_next rv_trace_next(struct rv_trace_reader *reader, struct rv_trace_execution *execution,
                                 char **error) {
    bool found = false;
    *execution = (struct rv_trace_execution){0};
    if (reader->over) return RV_TRACE_END;
    bool good = read_next(reader, execution, &found);
    if (good && found) return RV_TRACE_EXECUTION;
    reader->over = true;
    rv_trace_execution_free(execution);
    if (good) return RV_TRACE_END;
    *error = reader->scan.error;
    reader->scan.error = NULL;
    return RV_TRACE_DAMAGED;
}
