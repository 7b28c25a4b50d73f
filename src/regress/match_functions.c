#include <stdlib.h>
#include <string.h>

#include "regress/match_private.h"
#include "report/text.h"

/* The length of a name without the ".123" that linking gives to static functions of one name. */
static size_t name_size(const char *name) {
    size_t size = strlen(name), digits = size;
    while (digits > 1 && name[digits - 1] >= '0' && name[digits - 1] <= '9') digits--;
    return digits < size && digits > 1 && name[digits - 1] == '.' ? digits - 1 : size;
}

static int compare_names(const struct rv_version *a, uint32_t first, const struct rv_version *b,
                         uint32_t second) {
    const char *x = a->model->functions[first].name, *y = b->model->functions[second].name;
    size_t x_size = name_size(x), y_size = name_size(y);
    int order = memcmp(x, y, x_size < y_size ? x_size : y_size);
    return order ? order : (x_size > y_size) - (x_size < y_size);
}

static int by_name(const void *a, const void *b, void *context) {
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    int order = compare_names(context, first, context, second);
    return order ? order : (first > second) - (first < second);
}

static uint32_t *sorted(const struct rv_version *version, uint32_t *count) {
    uint32_t *functions = rv_text_alloc(version->model->function_count, sizeof *functions);
    *count = 0;
    for (uint32_t f = 0; f < version->model->function_count; f++)
        if (rv_list_size(&version->blocks, f)) functions[(*count)++] = f;
    if (*count) qsort_r(functions, *count, sizeof *functions, by_name, (void *)(uintptr_t)version);
    return functions;
}

static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool same_file(const struct rv_match *match, uint32_t old, uint32_t new) {
    return strcmp(last_name(rv_function_file(match->old->model, old)),
                  last_name(rv_function_file(match->new->model, new))) == 0;
}

static bool same_content(const struct rv_match *match, uint32_t old, uint32_t new) {
    const struct rv_lists *a = &match->old->blocks, *b = &match->new->blocks;
    if (rv_list_size(a, old) != rv_list_size(b, new)) return false;
    for (uint32_t i = 0; i < rv_list_size(a, old); i++)
        if (match->old->model->blocks[rv_list(a, old)[i]].hash !=
            match->new->model->blocks[rv_list(b, new)[i]].hash)
            return false;
    return true;
}

static bool any(const struct rv_match *match, uint32_t old, uint32_t new) {
    (void)match, (void)old, (void)new;
    return true;
}

/* Of functions of one name those that `same` says are the same. */
static void pair_up(struct rv_match *match, const uint32_t *old, uint32_t old_count, const uint32_t *new,
                    uint32_t new_count, bool (*same)(const struct rv_match *, uint32_t, uint32_t)) {
    for (uint32_t i = 0; i < old_count; i++) {
        for (uint32_t k = 0; k < new_count && match->function_to[old[i]] == RV_NONE; k++) {
            if (match->function_of[new[k]] != RV_NONE || !same(match, old[i], new[k])) continue;
            match->function_to[old[i]] = new[k];
            match->function_of[new[k]] = old[i];
        }
    }
}

void rv_match_functions(struct rv_match *match) {
    uint32_t old_count, new_count, i = 0, k = 0;
    uint32_t *old = sorted(match->old, &old_count), *new = sorted(match->new, &new_count);
    while (i < old_count && k < new_count) {
        int order = compare_names(match->old, old[i], match->new, new[k]);
        uint32_t olds = 1, news = 1;
        if (order) {
            if (order < 0)
                i++;
            else
                k++;
            continue;
        }
        while (i + olds < old_count && compare_names(match->old, old[i], match->old, old[i + olds]) == 0)
            olds++;
        while (k + news < new_count && compare_names(match->new, new[k], match->new, new[k + news]) == 0)
            news++;
        pair_up(match, old + i, olds, new + k, news, same_file);
        pair_up(match, old + i, olds, new + k, news, same_content);
        pair_up(match, old + i, olds, new + k, news, any);
        i += olds;
        k += news;
    }
    free(old);
    free(new);
}
