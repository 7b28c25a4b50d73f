#include "supervisor/learning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"
#include "strategy/strategy.h"
#include "supervisor/util.h"

enum { STATE = 16 << 20 }; /* for a strategy's state before it has seen anything; touched as needed */

void rv_learning_name(uint32_t calls, char name[RV_LEARNING_NAME]) {
    snprintf(name, RV_LEARNING_NAME, "calls=%u", calls);
}

bool rv_learning_calls(const char *name, uint32_t *calls) {
    char again[RV_LEARNING_NAME];
    if (sscanf(name, "calls=%u", calls) != 1) return false;
    rv_learning_name(*calls, again);
    return strcmp(name, again) == 0;
}

/* How many calls the strategy wants to know, which it says of a state only: so one is made. */
static uint32_t calls_of(const struct rv_strategy *strategy, const char *params) {
    struct rv_strategy_config config = {.params = params, .workers = 1, .budget = 1};
    struct rv_arena arena;
    void *memory = rv_allocate(STATE);
    rv_arena_init(&arena, memory, STATE);
    void *state = strategy->create(&arena, &config);
    uint32_t calls = state && strategy->stack_depth ? strategy->stack_depth(state) : 0;
    free(memory);
    return calls;
}

bool rv_learning_read(struct rv_store *store, const struct rv_program *program, const char *key,
                      const char *name, struct rv_lessons **lessons, char **error) {
    struct rv_blob blob;
    *lessons = NULL;
    if (!rv_store_get(store, RV_LEARNING_KIND, key, name, &blob, error)) return false;
    if (!blob.data) return true;
    struct rv_lessons *stored = rv_lessons_read(blob.data, blob.size);
    free(blob.data);
    if (stored)
        *lessons = rv_lessons_renew(stored, program->path, key);
    else
        *error = rv_text_format("%s: what was learned about this program is damaged", rv_store_path(store));
    rv_lessons_free(stored);
    return *lessons;
}

static bool read_again(const struct rv_learning *learning, struct rv_store *store,
                       struct rv_lessons **lessons, char **error) {
    return rv_learning_read(store, learning->program, learning->key, learning->name, lessons, error);
}

static bool read_first(struct rv_learning *learning, char **error) {
    struct rv_store *store = rv_store_open(learning->store, RV_STORE_READ, error);
    bool good = store && read_again(learning, store, &learning->lessons, error);
    rv_store_close(store);
    return good;
}

bool rv_learning_open(struct rv_learning **learning, const struct rv_program *program, const char *strategy,
                      const char *store, bool fresh, char **error) {
    const char *params;
    const struct rv_strategy *found = rv_strategy_find(strategy, &params);
    *learning = NULL;
    if (!found || !found->save) return true;
    struct rv_learning *made = rv_allocate(sizeof *made);
    *made = (struct rv_learning){.program = program, .store = rv_text_copy(store), .fresh = fresh};
    rv_key_of_file(program->path, made->key);
    rv_learning_name(calls_of(found, params), made->name);
    if (!fresh && !read_first(made, error)) {
        rv_learning_close(made);
        return false;
    }
    if (!made->lessons) made->lessons = rv_lessons_new();
    *learning = made;
    return true;
}

/* In a transaction. */
static bool save_into(struct rv_learning *learning, struct rv_store *store, char **error) {
    struct rv_lessons *stored = NULL;
    if (!learning->fresh && !read_again(learning, store, &stored, error)) return false;
    size_t size;
    if (stored) rv_lessons_add(learning->lessons, stored);
    void *data = rv_lessons_write(learning->lessons, &size);
    bool good = rv_store_put(store, RV_LEARNING_KIND, learning->key, learning->name, data, size, error) &&
                rv_store_commit(store, error);
    free(data);
    rv_lessons_free(stored);
    return good;
}

bool rv_learning_save(struct rv_learning *learning, char **error) {
    if (learning->lessons->sets.statements.count == 0 && !learning->fresh) return true;
    struct rv_store *store = rv_store_open(learning->store, RV_STORE_WRITE, error);
    bool good = store && rv_store_begin(store, error) && save_into(learning, store, error);
    rv_store_close(store);
    return good;
}

void rv_learning_close(struct rv_learning *learning) {
    if (!learning) return;
    rv_lessons_free(learning->lessons);
    free(learning->store);
    free(learning);
}
