#include "coverage/shelf.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/text.h"

void rv_cover_shelf_open(struct rv_cover_shelf *shelf, const char *store, const char *program) {
    *shelf = (struct rv_cover_shelf){.store = rv_text_copy(store)};
    rv_key_of_file(program, shelf->key);
    shelf->data.program = rv_text_copy(program);
    char *directory = getcwd(NULL, 0);
    shelf->directory = rv_text_copy(directory);
    free(directory);
}

bool rv_cover_shelf_read(struct rv_store *store, const char *key, struct rv_cover_data *data, char **error) {
    struct rv_blob blob;
    char *why = NULL;
    *data = (struct rv_cover_data){0};
    if (!rv_store_get(store, RV_COVER_KIND, key, RV_COVER_NAME, &blob, error)) return false;
    if (!blob.data) return true;
    bool good = rv_cover_read(data, blob.data, blob.size, "coverage", &why);
    if (!good)
        *error =
            rv_text_format("%s: what was covered of this program is damaged (%s)", rv_store_path(store), why);
    free(why);
    free(blob.data);
    return good;
}

static bool save_into(struct rv_cover_shelf *shelf, struct rv_store *store, struct rv_cover_run *run,
                      char **error) {
    size_t size;
    struct rv_cover_data all;
    if (!rv_cover_shelf_read(store, shelf->key, &all, error)) return false;
    run->before = all.instance_keys.count;
    rv_cover_add(&all, &shelf->data);
    run->after = all.instance_keys.count;
    run->pairs = all.pair_keys.count;
    rv_cover_add_run(&all, run);
    char *text = rv_cover_write(&all, &size);
    bool good = rv_store_put(store, RV_COVER_KIND, shelf->key, RV_COVER_NAME, text, size, error) &&
                rv_store_commit(store, error);
    free(text);
    rv_cover_data_free(&shelf->all);
    shelf->all = all;
    return good;
}

bool rv_cover_shelf_save(struct rv_cover_shelf *shelf, struct rv_cover_run *run, char **error) {
    struct rv_store *store = rv_store_open(shelf->store, RV_STORE_WRITE, error);
    bool good = store && rv_store_begin(store, error) && save_into(shelf, store, run, error);
    rv_store_close(store);
    if (!good && !shelf->all.executions) rv_cover_add(&shelf->all, &shelf->data);
    return good;
}

void rv_cover_shelf_close(struct rv_cover_shelf *shelf) {
    rv_cover_data_free(&shelf->data);
    rv_cover_data_free(&shelf->all);
    free(shelf->store);
    free(shelf->directory);
    *shelf = (struct rv_cover_shelf){0};
}
