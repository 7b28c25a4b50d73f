/* libFuzzer target for the file of pairs: every pair that is accepted is met by the locations that it names. */
#include <stdlib.h>

#include "report/pairs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct rv_pairs pairs;
    char *error = NULL;
    if (!rv_pairs_from_text(&pairs, (const char *)data, size, "fuzz", &error)) {
        if (!error || pairs.count || pairs.pairs) abort();
        free(error);
        return 0;
    }
    if (pairs.count == 0) abort();
    for (size_t i = 0; i < pairs.count; i++) {
        const struct rv_pair *pair = &pairs.pairs[i];
        struct rv_location a = {.file = pair->a.file, .line = pair->a.line};
        struct rv_location b = {.file = pair->b.file, .line = pair->b.line};
        bool nameless = !rv_pairs_same_file(a.file, a.file) || !rv_pairs_same_file(b.file, b.file);
        if (rv_pairs_match(&pairs, i, &b, &a) == nameless) abort();
    }
    rv_pairs_free(&pairs);
    return 0;
}
