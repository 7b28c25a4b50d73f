#include "report/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "report/failure_scan.h"
#include "report/text.h"
#include "report/whole_file.h"

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static void skip_spaces(struct rv_scan *scan) {
    while (scan->at < scan->stop && is_space(*scan->at)) scan->at++;
}

/* The name in quotes, up to behind the closing one. */
static bool read_quoted(struct rv_scan *scan, char **file) {
    const char *begin = scan->at++;
    struct rv_text name = {0};
    while (scan->at < scan->stop && *scan->at != '"') {
        if (*scan->at == '\\' && ++scan->at < scan->stop && *scan->at != '"' && *scan->at != '\\')
            rv_scan_error_at(scan, scan->at, "expected \\\" or \\\\ after a backslash in quotes");
        if (scan->error || scan->at == scan->stop) break;
        rv_text_add_n(&name, scan->at++, 1);
    }
    if (scan->at == scan->stop)
        rv_scan_error_at(scan, scan->at, "expected a closing quote");
    else if (name.size == 0)
        rv_scan_error_at(scan, begin, "expected the name of a file");
    else
        scan->at++;
    *file = rv_text_take(&name);
    return !scan->error;
}

/* The name without quotes: all of the word before its last colon. */
static bool read_plain(struct rv_scan *scan, char **file) {
    const char *begin = scan->at, *stop = begin;
    while (stop < scan->stop && !is_space(*stop)) stop++;
    const char *colon = memrchr(begin, ':', (size_t)(stop - begin));
    if (!colon) return rv_scan_error_at(scan, stop, "expected a colon and the number of a line");
    if (colon == begin) return rv_scan_error_at(scan, begin, "expected the name of a file");
    *file = rv_text_copy_n(begin, (size_t)(colon - begin));
    scan->at = colon;
    return true;
}

static bool read_statement(struct rv_scan *scan, struct rv_statement_name *name, const char *which) {
    uint64_t line = 0;
    skip_spaces(scan);
    if (scan->at == scan->stop || *scan->at == '#')
        return rv_scan_error_at(scan, scan->at, "expected %s, as FILE:LINE", which);
    bool quoted = *scan->at == '"';
    if (!(quoted ? read_quoted(scan, &name->file) : read_plain(scan, &name->file))) return false;
    if (scan->at == scan->stop || *scan->at != ':')
        return rv_scan_error_at(scan, scan->at, "expected a colon and the number of a line");
    const char *digits = ++scan->at;
    while (scan->at < scan->stop && !is_space(*scan->at)) scan->at++;
    if (!rv_scan_digits(digits, (size_t)(scan->at - digits), UINT32_MAX, &line) || line == 0)
        return rv_scan_error_at(scan, digits, "expected the number of a line");
    name->line = (unsigned)line;
    return true;
}

static void free_pair(struct rv_pair *pair) {
    free(pair->a.file);
    free(pair->b.file);
}

static bool read_pair(struct rv_pairs *pairs, struct rv_scan *scan) {
    struct rv_pair pair = {.line = scan->line};
    bool good =
        read_statement(scan, &pair.a, "a statement") && read_statement(scan, &pair.b, "a second statement");
    skip_spaces(scan);
    if (good && scan->at < scan->stop && *scan->at != '#')
        good = rv_scan_error_at(scan, scan->at, "expected the end of the line after two statements");
    if (!good) {
        free_pair(&pair);
        return false;
    }
    if ((pairs->count & (pairs->count + 1)) == 0)
        pairs->pairs = rv_text_realloc(pairs->pairs, pairs->count * 2 + 2, sizeof *pairs->pairs);
    pairs->pairs[pairs->count++] = pair;
    return true;
}

bool rv_pairs_from_text(struct rv_pairs *pairs, const char *text, size_t size, const char *name,
                        char **error) {
    struct rv_text lines = {0}; /* the text, with a newline after its last line */
    *pairs = (struct rv_pairs){.file = rv_text_copy(name)};
    rv_text_add_n(&lines, text, size);
    if (size && text[size - 1] != '\n') rv_text_add(&lines, "\n");
    struct rv_scan scan = {.name = name, .next = lines.data, .end = lines.data + lines.size, .columns = true};
    while (rv_scan_line(&scan)) {
        skip_spaces(&scan);
        if (scan.at < scan.stop && *scan.at != '#' && !read_pair(pairs, &scan)) break;
    }
    if (!scan.error && pairs->count == 0) {
        scan.line++;
        scan.start = scan.at = scan.stop = scan.end;
        rv_scan_error_at(&scan, scan.at, "expected a pair of statements, as FILE:LINE FILE:LINE");
    }
    free(lines.data);
    if (!scan.error) return true;
    rv_pairs_free(pairs);
    *error = scan.error;
    return false;
}

bool rv_pairs_read(struct rv_pairs *pairs, const char *path, char **error) {
    size_t size = 0;
    *pairs = (struct rv_pairs){0};
    char *text = rv_whole_file(path, RV_PAIRS_MAX_FILE, "file of pairs", &size, error);
    bool good = text && rv_pairs_from_text(pairs, text, size, path, error);
    free(text);
    return good;
}

void rv_pairs_free(struct rv_pairs *pairs) {
    for (size_t i = 0; i < pairs->count; i++) free_pair(&pairs->pairs[i]);
    free(pairs->pairs);
    free(pairs->file);
    *pairs = (struct rv_pairs){0};
}

static const char *without_dot(const char *path) {
    while (path[0] == '.' && path[1] == '/')
        for (path += 2; *path == '/';) path++;
    return path;
}

bool rv_pairs_same_file(const char *given, const char *file) {
    given = without_dot(given);
    file = without_dot(file);
    size_t given_size = strlen(given), file_size = strlen(file);
    const char *longer = given_size > file_size ? given : file;
    const char *shorter = given_size > file_size ? file : given;
    size_t size = strlen(shorter), more = strlen(longer) - size;
    if (size == 0 || strcmp(longer + more, shorter) != 0) return false;
    return more == 0 || (longer[more - 1] == '/' && shorter[0] != '/');
}

static bool same_statement(const struct rv_statement_name *given, const struct rv_location *at) {
    return given->line == at->line && rv_pairs_same_file(given->file, at->file);
}

bool rv_pairs_match(struct rv_pairs *pairs, size_t index, const struct rv_location *first,
                    const struct rv_location *second) {
    struct rv_pair *pair = &pairs->pairs[index];
    bool matches = (same_statement(&pair->a, first) && same_statement(&pair->b, second)) ||
                   (same_statement(&pair->a, second) && same_statement(&pair->b, first));
    pair->matches += matches;
    return matches;
}

bool rv_pairs_match_any(struct rv_pairs *pairs, const struct rv_location *first,
                        const struct rv_location *second) {
    bool matched = false;
    for (size_t i = 0; i < pairs->count; i++) matched |= rv_pairs_match(pairs, i, first, second);
    return matched;
}

const struct rv_pair *rv_pairs_unmatched(const struct rv_pairs *pairs, size_t *cursor) {
    while (*cursor < pairs->count) {
        const struct rv_pair *pair = &pairs->pairs[(*cursor)++];
        if (pair->matches == 0) return pair;
    }
    return NULL;
}
