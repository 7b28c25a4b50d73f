/* libFuzzer target for the reader of models (model/model.h): what is accepted has all its references within bounds, and can be
 * looked up. Every input is read as it is, and once more behind a first line that is right.
 * Build: clang -fsanitize=fuzzer,address,undefined -Isrc tests/fuzz/fuzz_model.c src/model/model.c */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(int truth) {
    if (!truth) abort();
}

static void check_list(const struct rv_model *model, struct rv_model_list list, uint32_t below) {
    for (uint32_t i = 0; i < list.count; i++) need(model->numbers[list.first + i] < below);
}

static void check(const char *text, size_t size) {
    char *error = NULL;
    struct rv_model *model = rv_model_read(text, size, "model", &error);
    need((model == NULL) == (error != NULL));
    free(error);
    if (!model) return;
    for (uint32_t i = 0; i < model->function_count; i++)
        check_list(model, model->functions[i].threads, model->thread_count);
    for (uint32_t i = 0; i < model->thread_count; i++)
        need(model->threads[i].function < model->function_count);
    for (uint32_t i = 0; i < model->block_count; i++) {
        check_list(model, model->blocks[i].successors, model->block_count);
        check_list(model, model->blocks[i].labels, model->label_count);
    }
    for (uint32_t i = 0; i < model->sync_count; i++)
        check_list(model, model->syncs[i].locks, model->variable_count);
    for (uint32_t i = 0; i < model->site_count; i++) {
        const struct rv_model_site *site = &model->sites[i];
        uint32_t found[64];
        char kind[8];
        need(site->variable < model->variable_count && site->function < model->function_count);
        need(site->block == RV_MODEL_NONE || site->block < model->block_count);
        check_list(model, site->locks, model->variable_count);
        rv_model_kind_text(site->kind, kind);
        if (site->file == RV_MODEL_NONE) continue;
        size_t count = rv_model_sites_at(model, model->files[site->file], site->line, site->kind, found, 64);
        need(count > 0);
        for (size_t k = 0; count <= 64; k++) {
            need(k < count);
            if (found[k] == i) break;
        }
    }
    rv_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char header[] = RV_MODEL_HEADER "\n";
    check((const char *)data, size);
    char *copy = malloc(sizeof header + size);
    need(copy != NULL);
    memcpy(copy, header, sizeof header - 1);
    if (size) memcpy(copy + sizeof header - 1, data, size);
    check(copy, sizeof header - 1 + size);
    free(copy);
    return 0;
}
