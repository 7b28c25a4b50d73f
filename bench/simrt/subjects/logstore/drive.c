#include "store.h"

#include "../../drive.h"

static void put(const drive_call *call) { store_put(call->subject, call->argument[0], call->argument[1]); }
static void put_two(const drive_call *call) {
    const char *const pairs[][2] = {{call->argument[0], call->argument[2]},
                                    {call->argument[1], call->argument[2]}};
    store_put_many(call->subject, pairs, 2);
}
static void get(const drive_call *call) {
    char value[CODEC_VALUE + 1];
    *call->last = store_get(call->subject, call->argument[0], value) == STORE_OK;
}
static void remove_key(const drive_call *call) { store_remove(call->subject, call->argument[0]); }
static void has(const drive_call *call) { *call->last = store_has(call->subject, call->argument[0]); }
static void list(const drive_call *call) {
    char key[CODEC_KEY + 1] = "";
    while (store_next(call->subject, key, key)) ++*call->last;
}
static void count(const drive_call *call) { *call->last = (long)store_count(call->subject); }
static void compact(const drive_call *call) { store_compact(call->subject); }
static void wants(const drive_call *call) {
    if (store_wants_compaction(call->subject)) store_compact(call->subject);
}
static void checkpoint_now(const drive_call *call) { store_checkpoint(call->subject); }
static void latest(const drive_call *call) {
    checkpoint found;
    manifest_latest(((store *)call->subject)->checkpoints, &found);
}
static void saved(const drive_call *call) {
    checkpoint found;
    manifest_find(((store *)call->subject)->checkpoints, (unsigned long)drive_number(call, 0), &found);
}
static void trim(const drive_call *call) { manifest_trim(((store *)call->subject)->checkpoints); }
static void growth(const drive_call *call) {
    *call->last = (long)manifest_growth(((store *)call->subject)->checkpoints);
}
static void verify(const drive_call *call) { *call->last = (long)store_verify(call->subject); }
static void recover(const drive_call *call) { store_recover(call->subject); }
static void erase(const drive_call *call) { store_erase(call->subject); }
static void writes(const drive_call *call) { *call->last = (long)store_writes(call->subject); }
static void compactions(const drive_call *call) { *call->last = (long)store_compactions(call->subject); }
static void reclaimed(const drive_call *call) { *call->last = (long)store_reclaimed(call->subject); }
static void scanned(const drive_call *call) { *call->last = (long)store_scanned(call->subject); }
static void hits(const drive_call *call) { *call->last = cache_hit_rate(((store *)call->subject)->values); }
static void worst(const drive_call *call) { *call->last = cache_worst(((store *)call->subject)->values); }
static void load(const drive_call *call) { *call->last = filter_load(&((store *)call->subject)->keys); }
static void longest(const drive_call *call) { *call->last = index_longest(((store *)call->subject)->index); }

const drive_command drive_commands[] = {
    {"put", 2, put},
    {"two", 3, put_two},
    {"get", 1, get},
    {"remove", 1, remove_key},
    {"has", 1, has},
    {"list", 0, list},
    {"count", 0, count},
    {"compact", 0, compact},
    {"wants", 0, wants},
    {"checkpoint", 0, checkpoint_now},
    {"latest", 0, latest},
    {"saved", 1, saved},
    {"trim", 0, trim},
    {"growth", 0, growth},
    {"verify", 0, verify},
    {"recover", 0, recover},
    {"erase", 0, erase},
    {"writes", 0, writes},
    {"compactions", 0, compactions},
    {"reclaimed", 0, reclaimed},
    {"scanned", 0, scanned},
    {"hits", 0, hits},
    {"worst", 0, worst},
    {"load", 0, load},
    {"longest", 0, longest},
    {NULL, 0, NULL},
};

void *drive_begin(void) { return store_new(); }
void drive_end(void *subject) { store_free(subject); }
