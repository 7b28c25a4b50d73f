/* TAP 13, as its description at testanything.org has it: "#" and "\" in descriptions are escaped, diagnostics are a YAML block
 * of which only quoted scalars are used. */
#include <stdlib.h>
#include <string.h>

#include "report/text.h"
#include "suite/output.h"

void rv_suite_tap_begin(FILE *out, size_t count) {
    fprintf(out, "TAP version 13\n1..%zu\n", count);
    fflush(out);
}

static void print_description(FILE *out, const char *name) {
    char *harmless = rv_text_harmless(name, false);
    for (const char *c = harmless; *c; c++) {
        if (*c == '#' || *c == '\\') fputc('\\', out);
        fputc(*c, out);
    }
    free(harmless);
}

/* A double-quoted scalar on one line. */
static void print_scalar(FILE *out, const char *key, const char *text) {
    if (!*text) return;
    char *harmless = rv_text_harmless(text, false);
    fprintf(out, "  %s: \"", key);
    for (const char *c = harmless; *c; c++) {
        if (*c == '"' || *c == '\\') fputc('\\', out);
        fputc(*c, out);
    }
    fputs("\"\n", out);
    free(harmless);
}

/* As comments: people read them, parsers pass over them. */
static void print_details(FILE *out, const char *details) {
    char *plain = rv_suite_plain(details);
    for (char *rest = plain, *line; (line = strsep(&rest, "\n"));)
        if (*line) fprintf(out, "# %s\n", line);
    free(plain);
}

void rv_suite_tap(FILE *out, size_t number, const struct rv_suite_case *one,
                  const struct rv_test_result *result) {
    fprintf(out, "%s %zu - ", result->status == RV_TEST_PASS ? "ok" : "not ok", number);
    print_description(out, one->name);
    fputc('\n', out);
    if (result->status != RV_TEST_PASS) {
        fputs("  ---\n", out);
        print_scalar(out, "message", result->message);
        print_scalar(out, "severity", rv_test_statuses[result->status]);
        print_scalar(out, "kind", result->kind);
        print_scalar(out, "file", result->file);
        print_scalar(out, "schedule", one->text);
        fprintf(out, "  seconds: %.6f\n  ...\n", result->seconds);
        print_details(out, result->report);
    }
    fflush(out);
}

void rv_suite_tap_end(FILE *out, const struct rv_suite_report *report) {
    if (report->left) fputs("Bail out! interrupted\n", out);
    fflush(out);
}
