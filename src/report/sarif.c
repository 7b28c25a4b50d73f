#include "report/sarif.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/json_parts.h"
#include "report/printer.h"
#include "report/race_print.h"
#include "report/sarif_parts.h"

enum { RACE_RULE, DEADLOCK_RULE, RULES };

static const struct {
    const char *id, *name, *brief, *full, *help, *cwe;
} rules[RULES] = {
    {"ravel.race", "DataRace",
     "Two threads access the same memory at the same time, and at least one of them writes.",
     "Two threads access the same memory, at least one of them writes, not both accesses are atomic, and neither "
     "happens before the other. The language gives such a program no meaning.",
     "Hold the same lock around both accesses, make both atomic, or order them: by creating or joining a thread, a "
     "condition variable, a semaphore. An error was seen to happen, or provoked, and comes with a file for "
     "`ravel replay`; a warning follows from an execution in another order that its locks allow; a note is a "
     "suspicion.",
     "external/cwe/cwe-362"},
    {"ravel.deadlock", "LockOrderDeadlock", "Threads take the same locks in different orders.",
     "Each of several threads holds a lock that the next one waits for, so that none of them can go on.",
     "Take these locks in the same order everywhere, or take a further lock around them. An error was seen to happen "
     "and comes with a file for `ravel replay`; a warning follows from an execution in another order; a note is a "
     "suspicion.",
     "external/cwe/cwe-833"},
};

static void set(json_t *object, const char *key, json_t *value) { json_object_set_new(object, key, value); }

/* --- the tool --- */

static void set_words(json_t *object, const char *key, const char *words) {
    json_t *message = json_object();
    set(message, "text", json_string(words));
    set(object, key, message);
}

static json_t *rule(unsigned index) {
    json_t *object = json_object();
    set(object, "id", json_string(rules[index].id));
    set(object, "name", json_string(rules[index].name));
    set_words(object, "shortDescription", rules[index].brief);
    set_words(object, "fullDescription", rules[index].full);
    set_words(object, "help", rules[index].help);
    set(object, "defaultConfiguration", json_pack("{s:s}", "level", "error"));
    set(object, "properties", json_pack("{s:[ss]}", "tags", "concurrency", rules[index].cwe));
    return object;
}

static json_t *tool(const char *version) {
    json_t *list = json_array();
    for (unsigned i = 0; i < RULES; i++) json_array_append_new(list, rule(i));
    return json_pack("{s:{s:s, s:s, s:s, s:o}}", "driver", "name", "ravel", "version", version,
                     "semanticVersion", version, "rules", list);
}

/* --- a result --- */

static const char *level(enum rv_race_status status, bool predicted) {
    return status != RV_RACE_POTENTIAL ? "error" : predicted ? "warning" : "note";
}

static double rank(enum rv_race_status status, bool predicted) {
    return status == RV_RACE_HARMFUL ? 100 : status == RV_RACE_REAL ? 90 : predicted ? 60 : 20;
}

/* A result while it is made. */
struct draft {
    const struct rv_sarif_roots *roots;
    json_t *result, *related, *stacks, *flows;
    struct rv_text message;
};

static struct draft begin(unsigned index, enum rv_race_status status, bool predicted,
                          const struct rv_sarif_roots *roots) {
    struct draft draft = {.roots = roots,
                          .result = json_object(),
                          .related = json_array(),
                          .stacks = json_array(),
                          .flows = json_array()};
    set(draft.result, "ruleId", json_string(rules[index].id));
    set(draft.result, "ruleIndex", json_integer(index));
    set(draft.result, "level", json_string(level(status, predicted)));
    set(draft.result, "rank", json_real(rank(status, predicted)));
    return draft;
}

static void set_filled(json_t *object, const char *key, json_t *array) {
    if (json_array_size(array))
        set(object, key, array);
    else
        json_decref(array);
}

static json_t *finish(struct draft *draft) {
    set(draft->result, "message", rv_sarif_message(&draft->message));
    set_filled(draft->result, "relatedLocations", draft->related);
    set_filled(draft->result, "stacks", draft->stacks);
    if (json_array_size(draft->flows))
        set(draft->result, "codeFlows", json_pack("[{s:o}]", "threadFlows", draft->flows));
    else
        json_decref(draft->flows);
    return draft->result;
}

static void say(struct draft *draft, const char *words) { rv_text_add(&draft->message, words); }
static void say_name(struct draft *draft, const char *name) { rv_sarif_add(&draft->message, name); }

/* A word of ours in the message, as a link if there is something to go to. */
static void say_linked(struct draft *draft, const char *word, unsigned id) {
    if (id)
        rv_text_addf(&draft->message, "[%s](%u)", word, id);
    else
        say(draft, word);
}

/* What comes from elsewhere as a sentence of its own. */
static void say_sentence(struct draft *draft, const char *words) {
    size_t start;
    if (!*words) return;
    say(draft, " ");
    start = draft->message.size;
    say_name(draft, words);
    draft->message.data[start] = (char)toupper((unsigned char)draft->message.data[start]);
    say(draft, ".");
}

/* The place of the stack as the place of the result. */
static void locate(struct draft *draft, const struct rv_stack_text *stack) {
    const struct rv_location *at = rv_stack_place(stack);
    json_t *location = at ? rv_sarif_location(draft->roots, at) : NULL, *array = json_array();
    if (location) json_array_append_new(array, location);
    set_filled(draft->result, "locations", array);
}

/* The place of the stack as one that has to do with the result; its id, 0: not known. `words` are freed. */
static unsigned relate(struct draft *draft, const struct rv_stack_text *stack, char *words) {
    const struct rv_location *at = rv_stack_place(stack);
    json_t *location = at ? rv_sarif_location(draft->roots, at) : NULL;
    unsigned id = 0;
    if (location) {
        id = (unsigned)json_array_size(draft->related) + 1;
        set(location, "id", json_integer(id));
        set(location, "message", rv_sarif_words(words));
        json_array_append_new(draft->related, location);
    }
    free(words);
    return id;
}

static void relate_creation(struct draft *draft, const struct rv_race_thread *thread, const char *name) {
    relate(draft, &thread->created, rv_text_format("%s is created", name));
}

static void add_walk(struct draft *draft, struct rv_sarif_walk walk, uint32_t thread) {
    char id[16], *words = rv_text_format("%s: %s", walk.name, walk.end);
    json_t *flow;
    snprintf(id, sizeof id, "%zu", json_array_size(draft->stacks) + 1);
    char *title = rv_text_format("%s. %s", id, words);
    walk.id = id;
    flow = rv_sarif_flow(draft->roots, &walk);
    if (flow) json_array_append_new(draft->flows, flow);
    json_array_append_new(draft->stacks, rv_sarif_stack(draft->roots, walk.stack, thread, title));
    free(title);
    free(words);
}

static const char *times(uint64_t count) { return count == 1 ? "time" : "times"; }

static void say_evidence(struct draft *draft, enum rv_race_status status, bool predicted, uint64_t count,
                         unsigned tries) {
    struct rv_text *text = &draft->message;
    if (status == RV_RACE_POTENTIAL) {
        say(draft, predicted
                       ? " It was not seen to happen, but another order of what was executed leads to it."
                       : " It was not seen to happen: something that is not known may prevent it.");
    } else {
        rv_text_addf(text, " It was seen %llu %s", (unsigned long long)count, times(count));
        if (tries) rv_text_addf(text, " and verified in %u %s", tries, tries == 1 ? "try" : "tries");
        say(draft, ".");
    }
}

static void say_replay(struct draft *draft, const char *file, const char *purpose) {
    if (!*file) return;
    say(draft, purpose);
    say(draft, " ravel replay ");
    say_name(draft, file);
}

static void say_title(struct draft *draft, enum rv_race_status status, bool predicted, const char *what) {
    char *title = rv_race_title(status, predicted, what);
    title[0] = (char)toupper((unsigned char)title[0]);
    say(draft, title);
    free(title);
}

static json_t *properties(enum rv_race_status status, bool predicted, uint64_t signature, uint64_t count,
                          unsigned tries, const char *file) {
    char *hex = rv_text_format("0x%llx", (unsigned long long)signature);
    json_t *object = json_object();
    set(object, "status", json_string(rv_race_status_names[status]));
    set(object, "predicted", json_boolean(predicted));
    set(object, "signature", json_string(hex));
    set(object, "count", rv_json_number(count));
    set(object, "tries", json_integer(tries));
    if (*file) set(object, "file", rv_json_text(file));
    free(hex);
    return object;
}

static void set_count(json_t *result, uint64_t count) {
    if (count) set(result, "occurrenceCount", rv_json_number(count));
}

/* --- a race --- */

enum { SIDES = 2 };

/* What the sentences about a race are made of. */
struct sides {
    const struct rv_race_side *side[SIDES];
    const struct rv_race_thread *threads[SIDES];
    char *thread[SIDES], *access[SIDES];
};

static struct sides sides_of(const struct rv_race_text *race) {
    struct sides sides = {.side = {&race->first, &race->second},
                          .threads = {&race->first.thread, &race->second.thread}};
    for (unsigned i = 0; i < SIDES; i++) {
        sides.thread[i] = rv_race_thread_words(sides.threads[i]->id, sides.threads, SIDES);
        sides.access[i] = rv_race_access_words(sides.side[i]);
    }
    return sides;
}

static void free_sides(struct sides *sides) {
    for (unsigned i = 0; i < SIDES; i++) {
        free(sides->thread[i]);
        free(sides->access[i]);
    }
}

/* "a write of 4 bytes by thread 2 (worker) in add()" */
static void say_side(struct draft *draft, const struct sides *sides, unsigned i, unsigned id) {
    const struct rv_location *at = rv_stack_place(&sides->side[i]->stack);
    say(draft, sides->access[i][0] == 'a' ? "an " : "a ");
    say_linked(draft, sides->access[i], id);
    say(draft, " by ");
    say_name(draft, sides->thread[i]);
    if (!at || !*at->function) return;
    say(draft, " in ");
    say_name(draft, at->function);
    say(draft, "()");
}

static void say_memory(struct draft *draft, const struct rv_block_text *block, const struct sides *sides) {
    char *allocator = rv_race_thread_words(block->alloc_thread, sides->threads, SIDES),
         *freer = rv_race_thread_words(block->free_thread, sides->threads, SIDES);
    say(draft, " Its memory, ");
    say_name(draft, *block->description ? block->description : "a heap block");
    say(draft, ", was ");
    say_linked(draft, "allocated", relate(draft, &block->allocated, rv_text_copy("the memory is allocated")));
    say(draft, " by ");
    say_name(draft, allocator);
    if (block->freed) {
        say(draft, " and ");
        say_linked(draft, "freed", relate(draft, &block->released, rv_text_copy("the memory is freed")));
        say(draft, " by ");
        say_name(draft, freer);
    }
    say(draft, ".");
    free(allocator);
    free(freer);
}

static void add_side(struct draft *draft, const struct sides *sides, unsigned i) {
    const struct rv_race_side *side = sides->side[i];
    for (unsigned k = 0; k < side->held_count; k++)
        relate(draft, &side->held[k].acquired,
               rv_text_format("%s takes %s", sides->thread[i], side->held[k].object));
    relate_creation(draft, &side->thread, sides->thread[i]);
    add_walk(draft,
             (struct rv_sarif_walk){.name = sides->thread[i],
                                    .end = sides->access[i],
                                    .kind = "memory",
                                    .stack = &side->stack,
                                    .locks = side->held,
                                    .lock_count = side->held_count},
             side->thread.id);
}

static json_t *race_properties(const struct rv_race_text *race) {
    json_t *object =
        properties(race->status, race->predicted, race->signature, race->count, race->tries, race->file);
    if (*race->variable) set(object, "variable", rv_json_text(race->variable));
    if (*race->harm) set(object, "harm", rv_json_text(race->harm));
    if (*race->harm_file) set(object, "harm_file", rv_json_text(race->harm_file));
    return object;
}

static void say_harm(struct draft *draft, const struct rv_race_text *race) {
    if (*race->harm) {
        say(draft, " What it did: ");
        say_name(draft, race->harm);
        say(draft, ".");
    }
    say_replay(draft, race->harm_file, " To see the harm:");
    say_replay(draft, race->file, *race->harm_file ? "; to see the race:" : " To see it again:");
}

static json_t *race_result(const struct rv_race_text *race, const struct rv_sarif_roots *roots) {
    struct draft draft = begin(RACE_RULE, race->status, race->predicted, roots);
    struct sides sides = sides_of(race);
    unsigned other =
        relate(&draft, &race->second.stack, rv_text_format("%s by %s", sides.access[1], sides.thread[1]));
    locate(&draft, &race->first.stack);
    say_title(&draft, race->status, race->predicted, "data race");
    say(&draft, " on ");
    say_name(&draft, *race->variable ? race->variable : "memory without a name");
    say(&draft, " between ");
    say_side(&draft, &sides, 0, 0);
    say(&draft, " and ");
    say_side(&draft, &sides, 1, other);
    say(&draft, ".");
    say_sentence(&draft, race->why);
    if (race->block) say_memory(&draft, race->block, &sides);
    say_evidence(&draft, race->status, race->predicted, race->count, race->tries);
    say_harm(&draft, race);
    for (unsigned i = 0; i < SIDES; i++) add_side(&draft, &sides, i);
    set_count(draft.result, race->count);
    set(draft.result, "partialFingerprints", rv_sarif_race_prints(race));
    set(draft.result, "properties", race_properties(race));
    free_sides(&sides);
    return finish(&draft);
}

/* --- a deadlock --- */

/* "; thread 2 (right) holds b.lock, taken in right(), and waits for a.lock" */
static void add_wait(struct draft *draft, const struct rv_deadlock_wait *wait, const char *thread,
                     bool first) {
    struct rv_lock_text lock = {.object = wait->held, .acquired = wait->held_at};
    unsigned taken = relate(draft, &wait->held_at, rv_text_format("%s takes %s", thread, wait->held)),
             waits = 0;
    char *end = rv_text_format("waits for %s", wait->wanted);
    if (!first) waits = relate(draft, &wait->wanted_at, rv_text_format("%s %s", thread, end));
    say(draft, first ? ": " : "; ");
    say_name(draft, thread);
    say(draft, " ");
    say_linked(draft, "holds", taken);
    say(draft, " ");
    say_name(draft, *wait->held ? wait->held : "a lock");
    say(draft, wait->held_shared ? ", shared, and " : " and ");
    say_linked(draft, "waits", waits);
    say(draft, " for ");
    say_name(draft, *wait->wanted ? wait->wanted : "a lock");
    relate_creation(draft, &wait->thread, thread);
    add_walk(draft,
             (struct rv_sarif_walk){.name = thread,
                                    .end = end,
                                    .kind = "lock",
                                    .stack = &wait->wanted_at,
                                    .locks = &lock,
                                    .lock_count = 1},
             wait->thread.id);
    free(end);
}

static void add_waits(struct draft *draft, const struct rv_deadlock_text *deadlock) {
    for (unsigned i = 0; i < deadlock->wait_count; i++) {
        const struct rv_race_thread *known[] = {&deadlock->waits[i].thread};
        char *thread = rv_race_thread_words(known[0]->id, known, 1);
        add_wait(draft, &deadlock->waits[i], thread, i == 0);
        free(thread);
    }
}

static json_t *deadlock_result(const struct rv_deadlock_text *deadlock, const struct rv_sarif_roots *roots) {
    struct draft draft = begin(DEADLOCK_RULE, deadlock->status, deadlock->predicted, roots);
    if (deadlock->wait_count) locate(&draft, &deadlock->waits[0].wanted_at);
    say_title(&draft, deadlock->status, deadlock->predicted, "deadlock");
    rv_text_addf(&draft.message, " of %u threads", deadlock->wait_count);
    add_waits(&draft, deadlock);
    say(&draft, ".");
    say_evidence(&draft, deadlock->status, deadlock->predicted, deadlock->count, deadlock->tries);
    say_replay(&draft, deadlock->file, " To see it again:");
    set_count(draft.result, deadlock->count);
    set(draft.result, "partialFingerprints", rv_sarif_deadlock_prints(deadlock));
    set(draft.result, "properties",
        properties(deadlock->status, deadlock->predicted, deadlock->signature, deadlock->count,
                   deadlock->tries, deadlock->file));
    return finish(&draft);
}

/* --- the log --- */

/* Where SRCROOT was when this was written: a viewer on this machine finds the files. */
static json_t *bases(const struct rv_sarif_roots *roots) {
    const struct rv_sarif_roots none = {NULL, NULL};
    json_t *base = rv_sarif_artifact(&none, roots->root);
    const char *uri = json_string_value(json_object_get(base, "uri"));
    char *directory = rv_text_format("%s%s", uri, uri[strlen(uri) - 1] == '/' ? "" : "/");
    set(base, "uri", json_string(directory));
    free(directory);
    return json_pack("{s:o}", "SRCROOT", base);
}

json_t *rv_sarif(const struct rv_race_text *races, size_t race_count,
                 const struct rv_deadlock_text *deadlocks, size_t deadlock_count,
                 const struct rv_sarif_roots *roots, const char *version) {
    json_t *run = json_object(), *results = json_array();
    set(run, "tool", tool(version));
    if (roots->root) set(run, "originalUriBaseIds", bases(roots));
    for (size_t i = 0; i < race_count; i++) json_array_append_new(results, race_result(&races[i], roots));
    for (size_t i = 0; i < deadlock_count; i++)
        json_array_append_new(results, deadlock_result(&deadlocks[i], roots));
    set(run, "results", results);
    return json_pack(
        "{s:s, s:s, s:[o]}", "$schema",
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version", "2.1.0", "runs", run);
}

static bool has_history(const char *directory) {
    static const char *const names[] = {".git", ".hg", ".svn"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = rv_text_format("%s/%s", directory, names[i]);
        bool there = access(path, F_OK) == 0;
        free(path);
        if (there) return true;
    }
    return false;
}

char *rv_sarif_find_root(const char *directory) {
    char *root = rv_text_copy(directory);
    for (char *end = root + strlen(root); end && end > root; end = strrchr(root, '/')) {
        *end = '\0';
        if (has_history(root)) return root;
    }
    free(root);
    return rv_text_copy(directory);
}
