/* libFuzzer target for the reader of failure files: what is accepted must print, export and come back the
 * same. Build: clang -fsanitize=fuzzer,address,undefined -Isrc tests/fuzz/fuzz_failure.c src/report/... */
#include <stdlib.h>
#include <string.h>

#include "report/failure.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static FILE *null;
    struct rv_failure failure, back;
    char *error = NULL;
    if (!null) null = fopen("/dev/null", "w");
    if (!null) abort();
    if (!rv_failure_from_text(&failure, (const char *)data, size, "fuzz", &error)) {
        if (!error) abort();
        free(error);
        return 0;
    }
    rv_failure_print(&failure, null,
                     &(struct rv_print_options){.colour = size & 1, .width = (unsigned)(size % 160)});
    json_decref(rv_failure_json(&failure, 1));
    char *text = rv_failure_to_text(&failure);
    if (!rv_failure_from_text(&back, text, strlen(text), "fuzz", &error)) abort();
    char *again = rv_failure_to_text(&back);
    if (strcmp(text, again) != 0) abort();
    free(again);
    free(text);
    rv_failure_free(&back);
    rv_failure_free(&failure);
    return 0;
}
