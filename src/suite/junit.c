/* JUnit's XML as CI systems read it: one testsuite, a testcase for each case, in it a failure or an error. Of what XML 1.0
 * does not allow nothing gets in: names and messages are made harmless first, which leaves no control characters, and
 * surrogates and U+FFFE, U+FFFF are replaced. */
#include <stdlib.h>
#include <string.h>

#include "report/text.h"
#include "suite/output.h"

/* U+FFFE and U+FFFF are no characters of XML: EF BF BE, EF BF BF. */
static bool is_noncharacter(const char *c) {
    return (unsigned char)c[0] == 0xef && (unsigned char)c[1] == 0xbf && ((unsigned char)c[2] & 0xfe) == 0xbe;
}

/* One line of text, for attributes and content alike. */
static void add_line(struct rv_text *out, const char *line) {
    char *harmless = rv_text_harmless(line, false);
    for (const char *c = harmless; *c; c++) {
        switch (*c) {
        case '&': rv_text_add(out, "&amp;"); break;
        case '<': rv_text_add(out, "&lt;"); break;
        case '>': rv_text_add(out, "&gt;"); break;
        case '"': rv_text_add(out, "&quot;"); break;
        default:
            if (is_noncharacter(c)) {
                rv_text_add(out, "?");
                c += 2;
            } else {
                rv_text_add_n(out, c, 1);
            }
        }
    }
    free(harmless);
}

static void add_attribute(struct rv_text *out, const char *name, const char *value) {
    rv_text_addf(out, " %s=\"", name);
    add_line(out, value);
    rv_text_add(out, "\"");
}

static void add_lines(struct rv_text *out, const char *text) {
    char *plain = rv_suite_plain(text);
    for (char *rest = plain, *line; (line = strsep(&rest, "\n"));) {
        add_line(out, line);
        if (rest) rv_text_add(out, "\n");
    }
    free(plain);
}

static void add_case(struct rv_text *out, const char *program, const struct rv_suite_case *one,
                     const struct rv_test_result *result) {
    rv_text_add(out, "    <testcase");
    add_attribute(out, "classname", program);
    add_attribute(out, "name", one->name);
    if (*one->file) {
        add_attribute(out, "file", one->file);
        rv_text_addf(out, " line=\"%u\"", one->line);
    }
    rv_text_addf(out, " time=\"%.6f\"", result->seconds);
    if (result->status == RV_TEST_PASS) {
        rv_text_add(out, "/>\n");
        return;
    }
    const char *element = result->status == RV_TEST_FAIL ? "failure" : "error";
    rv_text_addf(out, ">\n      <%s", element);
    add_attribute(out, "type", *result->kind ? result->kind : "error");
    add_attribute(out, "message", result->message);
    rv_text_add(out, ">");
    add_lines(out, result->report);
    rv_text_addf(out, "</%s>\n    </testcase>\n", element);
}

char *rv_suite_junit(const struct rv_suite_report *report) {
    struct rv_text out = {0};
    const size_t *counts = report->counts;
    rv_text_add(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
    add_attribute(&out, "name", report->program);
    rv_text_addf(&out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"%.6f\">\n",
                 counts[RV_TEST_PASS] + counts[RV_TEST_FAIL] + counts[RV_TEST_ERROR], counts[RV_TEST_FAIL],
                 counts[RV_TEST_ERROR], report->seconds);
    for (size_t i = 0; i < report->cases->count; i++)
        if (report->results[i].kind)
            add_case(&out, report->program, &report->cases->cases[i], &report->results[i]);
    rv_text_add(&out, "  </testsuite>\n</testsuites>\n");
    return rv_text_take(&out);
}
