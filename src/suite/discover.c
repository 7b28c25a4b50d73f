#include "suite/discover.h"

#include <string.h>

#include "base/protocol.h"
#include "report/text.h"
#include "suite/markers.h"
#include "suite/native.h"
#include "supervisor/serve.h"

static char *why_not_listed(const struct rv_program *program, const struct rv_native_end *end, double limit) {
    if (end->how == RV_NATIVE_INTERRUPTED) return rv_text_copy("interrupted");
    if (end->how == RV_NATIVE_TIMEOUT)
        return rv_text_format(
            "%s: its constructors were not over after %.3g s (--time-limit): no list of its tests",
            program->name, limit);
    if (end->how == RV_NATIVE_FLOODED)
        return rv_text_format("%s: its list of tests is longer than %d MiB", program->name,
                              RV_LISTING_SIZE >> 20);
    struct rv_config config = {.expect_exit = 0};
    struct rv_outcome outcome = {.kind = RV_KIND_NONE};
    rv_outcome_of_death(&outcome, &end->death, &config);
    if (outcome.kind == RV_KIND_NONE) return NULL;
    return rv_text_format("%s: no list of its tests: %s before main()", program->name, outcome.message);
}

int rv_suite_discover_told(struct rv_listing *listing, const struct rv_program *program, const char *list,
                           size_t size, char **error) {
    *listing = (struct rv_listing){0};
    if (!rv_listing_read(listing, list, size, error)) return 3;
    rv_markers_read(listing, program);
    if (listing->test_count + listing->schedule_count > 0) return 0;
    *error = rv_text_format(
        "%s: no tests: register them with RAVEL_TEST(name) { ... }, or put RAVEL_TEST_SCOPE(name); "
        "first into the test functions that there are (ravel.h)",
        program->name);
    return 2;
}

int rv_suite_discover(struct rv_listing *listing, const struct rv_program *program, double limit,
                      char **error) {
    struct rv_native_request request = {.mode = "list", .limit = limit, .most = RV_LISTING_SIZE};
    struct rv_native_end end;
    *listing = (struct rv_listing){0};
    if (!program->instrumented) {
        *error = rv_text_format("%s: not built with `ravel cc`: build the test program with CC=\"ravel cc\"",
                                program->name);
        return 2;
    }
    if (!rv_native_run(program, &request, &end, error)) return 3;
    *error = why_not_listed(program, &end, limit);
    int status = 3;
    if (!*error)
        status = rv_suite_discover_told(listing, program, end.lines.data ? end.lines.data : "",
                                        end.lines.size, error);
    rv_native_free(&end);
    return status;
}
