/* The data as text: "ravel-coverage 1", then a record a line, fields separated by one tab; in names \t \n \\ stand for
 * themselves. Things that have numbers get them in the order of their records, from 0, and come before what names them:
 *
 *   totals     EXECUTIONS CUT MISSED DROPPED
 *   program    PATH
 *   variable   NAME
 *   statement  R|W LINE FUNCTION FILE OUTER MODULE OFFSET
 *   function   NAME FILE
 *   lock       VARIABLE
 *   use        VARIABLE STATEMENT LOCKS EXCLUSIVE EPOCH EPOCH       locks as a word in hexadecimal
 *   step       VARIABLE STATEMENT STATEMENT LOCKS EXCLUSIVE
 *   pair       FUNCTION FUNCTION
 *   instance   PATTERN X Y S1 S2 S3 S4                              0 for what the pattern has not
 *   run        TIME SECONDS EXECUTIONS BEFORE AFTER PAIRS STRATEGY GROWTH...
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coverage/data.h"
#include "report/text.h"

#define HEADER "ravel-coverage 1"
enum { FIELDS = 7 + RV_COVER_GROWTH + 1 };

/* ---- writing ---- */

static void add_name(struct rv_text *text, const char *name) {
    for (; *name; name++) {
        if (*name == '\t')
            rv_text_add(text, "\\t");
        else if (*name == '\n')
            rv_text_add(text, "\\n");
        else if (*name == '\\')
            rv_text_add(text, "\\\\");
        else
            rv_text_add_n(text, name, 1);
    }
}

static void write_names(const struct rv_cover_data *data, struct rv_text *text) {
    for (uint32_t i = 0; i < data->variable_names.count; i++) {
        rv_text_add(text, "variable\t");
        add_name(text, rv_cover_variable_name(data, i));
        rv_text_add(text, "\n");
    }
    for (uint32_t i = 0; i < data->statement_names.count; i++) {
        const struct rv_cover_statement *it = &data->statements[i];
        rv_text_addf(text, "statement\t%c\t%u\t", it->write ? 'W' : 'R', it->line);
        add_name(text, it->function);
        rv_text_add(text, "\t");
        add_name(text, it->file);
        rv_text_add(text, "\t");
        add_name(text, it->outer);
        rv_text_add(text, "\t");
        add_name(text, it->module);
        rv_text_addf(text, "\t%" PRIx64 "\n", it->offset);
    }
    for (uint32_t i = 0; i < data->function_names.count; i++) {
        rv_text_add(text, "function\t");
        add_name(text, data->functions[i].name);
        rv_text_add(text, "\t");
        add_name(text, data->functions[i].file);
        rv_text_add(text, "\n");
    }
    for (uint32_t i = 0; i < data->lock_count; i++) rv_text_addf(text, "lock\t%u\n", data->locks[i]);
}

static void write_run(const struct rv_cover_run *run, struct rv_text *text) {
    rv_text_addf(text, "run\t%" PRId64 "\t%.3f\t%" PRIu64 "\t%u\t%u\t%u\t", run->time, run->seconds,
                 run->executions, run->before, run->after, run->pairs);
    add_name(text, run->strategy);
    for (unsigned i = 0; i < RV_COVER_GROWTH && run->growth[i]; i++)
        rv_text_addf(text, "\t%u", run->growth[i]);
    rv_text_add(text, "\n");
}

char *rv_cover_write(const struct rv_cover_data *data, size_t *size) {
    struct rv_text text = {0};
    rv_text_add(&text, HEADER "\n");
    rv_text_addf(&text, "totals\t%" PRIu64 "\t%" PRIu64 "\t%u\t%" PRIu64 "\n", data->executions, data->cut,
                 data->missed, data->dropped);
    if (data->program) {
        rv_text_add(&text, "program\t");
        add_name(&text, data->program);
        rv_text_add(&text, "\n");
    }
    write_names(data, &text);
    for (uint32_t i = 0; i < data->use_keys.count; i++) {
        const struct rv_cover_use_text *it = &data->uses[i];
        rv_text_addf(&text, "use\t%u\t%u\t%" PRIx64 "\t%" PRIx64 "\t%u\t%u\n", it->variable, it->statement,
                     it->locks, it->exclusive, it->epoch_min, it->epoch_max);
    }
    for (uint32_t i = 0; i < data->step_keys.count; i++) {
        const struct rv_cover_step_text *it = &data->steps[i];
        rv_text_addf(&text, "step\t%u\t%u\t%u\t%" PRIx64 "\t%" PRIx64 "\n", it->variable, it->first,
                     it->second, it->locks, it->exclusive);
    }
    for (uint32_t i = 0; i < data->pair_keys.count; i++) {
        const uint32_t *pair = (const uint32_t *)(const void *)data->pair_keys.entries[i].bytes;
        rv_text_addf(&text, "pair\t%u\t%u\n", pair[0], pair[1]);
    }
    for (uint32_t i = 0; i < data->instance_keys.count; i++) {
        const struct rv_instance *it = rv_cover_instance_at(data, i);
        rv_text_addf(&text, "instance\t%u\t%u\t%u\t%u\t%u\t%u\t%u\n", it->pattern, it->variables[0],
                     it->variables[1], it->statements[0], it->statements[1], it->statements[2],
                     it->statements[3]);
    }
    for (uint32_t i = 0; i < data->run_count; i++) write_run(&data->runs[i], &text);
    *size = text.size;
    return rv_text_take(&text);
}

/* ---- reading ---- */

struct reader {
    struct rv_cover_data *data;
    const char *name;
    uint64_t line;
    char **error;
    char *fields[FIELDS]; /* behind the word; in the line, which is ours */
    unsigned count;
    bool totals;
};

static bool fail(const struct reader *reader, const char *expected) {
    rv_text_set(reader->error,
                rv_text_format("%s:%" PRIu64 ": expected %s", reader->name, reader->line, expected));
    return false;
}

/* Undoes add_name in place. */
static bool unescape(char *field) {
    char *to = field;
    for (const char *at = field; *at; at++, to++) {
        if (*at != '\\') {
            *to = *at;
            continue;
        }
        at++;
        if (*at != 't' && *at != 'n' && *at != '\\') return false;
        *to = *at == 't' ? '\t' : *at == 'n' ? '\n' : '\\';
    }
    *to = '\0';
    return to - field < RV_COVER_TEXT_MAX;
}

static bool number(const char *text, int base, uint64_t most, uint64_t *value) {
    char *end;
    if (!*text || strspn(text, base == 16 ? "0123456789abcdef" : "0123456789") != strlen(text)) return false;
    if (strlen(text) > 20) return false;
    *value = strtoull(text, &end, base);
    return !*end && *value <= most && (*value != UINT64_MAX || most == UINT64_MAX);
}

/* Fields from..from + count - 1 as decimal numbers up to `most`. */
static bool numbers(const struct reader *reader, unsigned from, unsigned count, uint64_t most,
                    uint64_t *values) {
    for (unsigned i = 0; i < count; i++)
        if (!number(reader->fields[from + i], 10, most, &values[i])) return false;
    return true;
}

static bool read_totals(struct reader *reader) {
    uint64_t v[4];
    if (reader->totals || reader->count != 4 || !numbers(reader, 0, 4, UINT64_MAX / 2, v) || v[2] > 15)
        return fail(reader, "totals, once: EXECUTIONS CUT MISSED DROPPED");
    reader->totals = true;
    reader->data->executions = v[0];
    reader->data->cut = v[1];
    reader->data->missed = (uint32_t)v[2];
    reader->data->dropped = v[3];
    return true;
}

static bool read_program(struct reader *reader) {
    if (reader->data->program || reader->count != 1 || !unescape(reader->fields[0]))
        return fail(reader, "a PATH, once");
    reader->data->program = rv_text_copy(reader->fields[0]);
    return true;
}

static bool read_variable(struct reader *reader) {
    uint32_t before = reader->data->variable_names.count;
    if (reader->count != 1 || !unescape(reader->fields[0]) ||
        rv_cover_add_variable(reader->data, reader->fields[0]) != before)
        return fail(reader, "a NAME that was not there before");
    return true;
}

static bool read_statement(struct reader *reader) {
    char *const *f = reader->fields;
    uint64_t line, offset;
    uint32_t before = reader->data->statement_names.count;
    if (reader->count != 7 || (strcmp(f[0], "R") != 0 && strcmp(f[0], "W") != 0) ||
        !number(f[1], 10, RV_COVER_LINE_MAX, &line) || !unescape(f[2]) || !unescape(f[3]) ||
        !unescape(f[4]) || !unescape(f[5]) || !number(f[6], 16, UINT64_MAX, &offset))
        return fail(reader, "R|W LINE FUNCTION FILE OUTER MODULE OFFSET");
    struct rv_cover_statement statement = {.function = f[2],
                                           .file = f[3],
                                           .line = (uint32_t)line,
                                           .write = *f[0] == 'W',
                                           .outer = f[4],
                                           .module = f[5],
                                           .offset = offset};
    if (rv_cover_add_statement(reader->data, &statement) != before)
        return fail(reader, "a statement that was not there before");
    return true;
}

static bool read_function(struct reader *reader) {
    uint32_t before = reader->data->function_names.count;
    if (reader->count != 2 || !unescape(reader->fields[0]) || !unescape(reader->fields[1]) ||
        rv_cover_add_function(reader->data, reader->fields[0], reader->fields[1]) != before)
        return fail(reader, "NAME FILE of a function that was not there before");
    return true;
}

static bool is_below(uint64_t value, uint32_t count) { return value < count; }

static bool read_lock(struct reader *reader) {
    uint64_t variable;
    struct rv_cover_data *data = reader->data;
    uint32_t before = data->lock_count;
    if (reader->count != 1 || !numbers(reader, 0, 1, UINT32_MAX, &variable) ||
        !is_below(variable, data->variable_names.count) ||
        rv_cover_add_lock(data, (uint32_t)variable) != UINT64_C(1) << (before & 63) ||
        before == RV_COVER_LOCKS)
        return fail(reader, "a VARIABLE, each once, at most 64 of them");
    return true;
}

static bool are_locks(const struct reader *reader, uint64_t locks) {
    uint32_t count = reader->data->lock_count;
    return count >= 64 || locks >> count == 0;
}

static bool read_use(struct reader *reader) {
    uint64_t v[2], epochs[2], locks, exclusive;
    const struct rv_cover_data *data = reader->data;
    if (reader->count != 6 || !numbers(reader, 0, 2, UINT32_MAX, v) ||
        !number(reader->fields[2], 16, UINT64_MAX, &locks) ||
        !number(reader->fields[3], 16, UINT64_MAX, &exclusive) ||
        !numbers(reader, 4, 2, UINT32_MAX, epochs) || !is_below(v[0], data->variable_names.count) ||
        !is_below(v[1], data->statement_names.count) || !are_locks(reader, locks | exclusive))
        return fail(reader, "VARIABLE STATEMENT LOCKS EXCLUSIVE EPOCH EPOCH");
    rv_cover_add_use(reader->data, &(struct rv_cover_use_text){.variable = (uint32_t)v[0],
                                                               .statement = (uint32_t)v[1],
                                                               .locks = locks,
                                                               .exclusive = exclusive,
                                                               .epoch_min = (uint32_t)epochs[0],
                                                               .epoch_max = (uint32_t)epochs[1]});
    return true;
}

static bool read_step(struct reader *reader) {
    uint64_t v[3], locks, exclusive;
    const struct rv_cover_data *data = reader->data;
    if (reader->count != 5 || !numbers(reader, 0, 3, UINT32_MAX, v) ||
        !number(reader->fields[3], 16, UINT64_MAX, &locks) ||
        !number(reader->fields[4], 16, UINT64_MAX, &exclusive) ||
        !is_below(v[0], data->variable_names.count) || !is_below(v[1], data->statement_names.count) ||
        !is_below(v[2], data->statement_names.count) || !are_locks(reader, locks | exclusive))
        return fail(reader, "VARIABLE STATEMENT STATEMENT LOCKS EXCLUSIVE");
    rv_cover_add_step(reader->data, &(struct rv_cover_step_text){.variable = (uint32_t)v[0],
                                                                 .first = (uint32_t)v[1],
                                                                 .second = (uint32_t)v[2],
                                                                 .locks = locks,
                                                                 .exclusive = exclusive});
    return true;
}

static bool read_pair(struct reader *reader) {
    uint64_t v[2];
    uint32_t functions = reader->data->function_names.count;
    if (reader->count != 2 || !numbers(reader, 0, 2, UINT32_MAX, v) || !is_below(v[0], functions) ||
        !is_below(v[1], functions))
        return fail(reader, "two FUNCTIONs");
    rv_cover_add_pair(reader->data, (uint32_t)v[0], (uint32_t)v[1]);
    return true;
}

static bool fits_pattern(const struct rv_cover_data *data, const struct rv_instance *it) {
    const struct rv_pattern *pattern = &rv_pattern_table[it->pattern];
    for (unsigned i = 0; i < RV_PATTERN_STEPS; i++) {
        uint32_t statement = it->statements[i];
        if (i >= pattern->steps ? statement != 0
                                : !is_below(statement, data->statement_names.count) ||
                                      data->statements[statement].write != pattern->step[i].write)
            return false;
    }
    bool wide = rv_pattern_is_wide(it->pattern);
    return is_below(it->variables[0], data->variable_names.count) &&
           (wide ? is_below(it->variables[1], data->variable_names.count) : it->variables[1] == 0);
}

static bool read_instance(struct reader *reader) {
    uint64_t v[7];
    struct rv_instance instance;
    if (reader->count != 7 || !numbers(reader, 0, 7, UINT32_MAX, v) || v[0] < 1 || v[0] > RV_PATTERNS)
        return fail(reader, "PATTERN X Y S1 S2 S3 S4");
    instance = (struct rv_instance){.pattern = (uint32_t)v[0], .variables = {(uint32_t)v[1], (uint32_t)v[2]}};
    for (unsigned i = 0; i < RV_PATTERN_STEPS; i++) instance.statements[i] = (uint32_t)v[3 + i];
    if (!fits_pattern(reader->data, &instance) || !rv_cover_add_instance(reader->data, &instance))
        return fail(reader, "variables and statements that are there and that the pattern can have");
    return true;
}

static bool read_run(struct reader *reader) {
    struct rv_cover_run run = {0};
    uint64_t v[6];
    char *end = NULL;
    bool good = reader->count >= 7 && numbers(reader, 0, 1, INT64_MAX, v) &&
                numbers(reader, 2, 1, UINT64_MAX / 2, v + 1) && numbers(reader, 3, 3, UINT32_MAX, v + 2) &&
                unescape(reader->fields[6]) && reader->count - 7 <= RV_COVER_GROWTH;
    if (good) run.seconds = strtod(reader->fields[1], &end);
    good = good && end != reader->fields[1] && !*end && isfinite(run.seconds) && run.seconds >= 0 &&
           run.seconds < 1e12 && reader->data->run_count < RV_COVER_RUNS_MAX;
    for (unsigned i = 0; good && i + 7 < reader->count; i++) {
        uint64_t value;
        good = number(reader->fields[7 + i], 10, UINT32_MAX, &value) && value > 0;
        run.growth[i] = good ? (uint32_t)value : 0;
    }
    if (!good) return fail(reader, "TIME SECONDS EXECUTIONS BEFORE AFTER PAIRS STRATEGY GROWTH...");
    run.time = (int64_t)v[0];
    run.executions = v[1];
    run.before = (uint32_t)v[2];
    run.after = (uint32_t)v[3];
    run.pairs = (uint32_t)v[4];
    run.strategy = reader->fields[6];
    rv_cover_add_run(reader->data, &run);
    return true;
}

static bool read_record(struct reader *reader, char *line) {
    static const struct {
        const char *word;
        bool (*read)(struct reader *);
    } records[] = {{"instance", read_instance},
                   {"use", read_use},
                   {"step", read_step},
                   {"variable", read_variable},
                   {"statement", read_statement},
                   {"function", read_function},
                   {"pair", read_pair},
                   {"lock", read_lock},
                   {"run", read_run},
                   {"totals", read_totals},
                   {"program", read_program}};
    char *rest = strchr(line, '\t');
    reader->count = 0;
    while (rest && reader->count < FIELDS) {
        *rest++ = '\0';
        reader->fields[reader->count++] = rest;
        rest = strchr(rest, '\t');
    }
    if (rest) return fail(reader, "fewer fields");
    for (unsigned i = 0; i < sizeof records / sizeof records[0]; i++)
        if (strcmp(line, records[i].word) == 0) return records[i].read(reader);
    return fail(
        reader,
        "a record: totals, program, variable, statement, function, lock, use, step, pair, instance or run");
}

static bool read_lines(struct reader *reader, char *text, size_t size) {
    for (char *line = text, *end = text + size; line < end; reader->line++) {
        char *next = memchr(line, '\n', (size_t)(end - line));
        if (!next) return fail(reader, "an end of the line");
        *next = '\0';
        if (strlen(line) != (size_t)(next - line)) return fail(reader, "text, without NULs");
        if (reader->line == 1 ? strcmp(line, HEADER) != 0 && !fail(reader, "\"" HEADER "\"")
                              : !read_record(reader, line))
            return false;
        line = next + 1;
    }
    return reader->totals || fail(reader, "a record of totals");
}

bool rv_cover_read(struct rv_cover_data *data, const char *text, size_t size, const char *name,
                   char **error) {
    struct reader reader = {.data = data, .name = name, .line = 1, .error = error};
    *data = (struct rv_cover_data){0};
    *error = NULL;
    char *copy = rv_text_alloc(size + 1, 1);
    memcpy(copy, text, size);
    bool good = read_lines(&reader, copy, size);
    free(copy);
    if (!good) rv_cover_data_free(data);
    return good;
}
