#include "strtab.h"

#include "../../drive.h"

/* A string that is referred to from before the first test command to the end; who wants to share one takes this. */
static struct string *shared;

/* What a script refers to: last is the handle of its latest string, released when it gets another one. */
static void hold(const drive_call *call, struct string *string) {
    if (!string) return;
    if (*call->last) strtab_release(call->subject, (struct string *)*call->last);
    *call->last = (long)string;
}

static void intern(const drive_call *call) { hold(call, strtab_intern(call->subject, call->argument[0])); }
static void find(const drive_call *call) { hold(call, strtab_find(call->subject, call->argument[0])); }
static void retain(const drive_call *call) { hold(call, strtab_retain(call->subject, shared)); }
static void release(const drive_call *call) {
    if (*call->last) strtab_release(call->subject, (struct string *)*call->last);
    *call->last = 0;
}
static void sweep(const drive_call *call) { strtab_sweep(call->subject); }
static void text(const drive_call *call) {
    if (strtab_length(shared) != strlen(strtab_text(shared))) abort();
    (void)call;
}
static void references(const drive_call *call) {
    if (strtab_references(shared) == 0) abort();
    (void)call;
}
static void count(const drive_call *call) { strtab_count(call->subject); }
static void bytes(const drive_call *call) { strtab_bytes(call->subject); }
static void repeats(const drive_call *call) { strtab_repeats(call->subject); }
static void forget(const drive_call *call) { strtab_forget(call->subject); }

const drive_command drive_commands[] = {
    {"intern", 1, intern}, {"find", 1, find},       {"retain", 0, retain},         {"release", 0, release},
    {"sweep", 0, sweep},   {"text", 0, text},       {"references", 0, references}, {"count", 0, count},
    {"bytes", 0, bytes},   {"repeats", 0, repeats}, {"forget", 0, forget},         {NULL, 0, NULL},
};

void *drive_begin(void) {
    struct strtab *table = strtab_new();
    shared = strtab_intern(table, "shared");
    return table;
}
void drive_end(void *subject) { strtab_free(subject); }
