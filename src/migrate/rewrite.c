/* What is put in stands on lines of its own, indented like the statement it belongs to, where that begins (or ends) its line; else
 * beside it. A sleep that has its lines for itself goes with them; a comment behind it stays. With the sleeps go what only they
 * needed: local variables, an if around nothing else, static functions of the file that only sleep. */
#include "migrate/rewrite.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "migrate/edits.h"
#include "report/text.h"

struct writing {
    const struct rv_migration *migration;
    const struct rv_source *source;
    struct rv_edits edits;
    bool *removed;
};

bool rv_test_migrates(const struct rv_test_found *test) { return !test->skipped && test->schedule[0]; }

bool *rv_sleeps_removed(const struct rv_migration *migration) {
    bool *removed = rv_text_alloc(migration->source.place_count, sizeof *removed);
    for (uint32_t t = 0; t < migration->test_count; t++) {
        const struct rv_test_found *test = &migration->tests[t];
        for (uint32_t s = 0; s < test->inference.sleep_count; s++)
            if (rv_test_migrates(test) && test->inference.sleeps[s].reason == RV_SLEEP_ORDERS)
                removed[test->inference.sleeps[s].place] = true;
    }
    for (uint32_t t = 0; t < migration->test_count; t++)
        for (uint32_t p = 0; migration->tests[t].skipped && p < migration->source.place_count; p++)
            if (migration->tests[t].passed[p]) removed[p] = false;
    return removed;
}

/* ---- lines ---- */

static size_t line_begin(const struct rv_source *source, size_t at) {
    while (at > 0 && source->text[at - 1] != '\n') at--;
    return at;
}

static size_t line_end(const struct rv_source *source, size_t at) {
    while (at < source->size && source->text[at] != '\n') at++;
    return at;
}

static bool blank(const struct rv_source *source, size_t begin, size_t end) {
    for (; begin < end; begin++)
        if (!isspace((unsigned char)source->text[begin])) return false;
    return true;
}

/* Nothing but white space and comments that end on the line. */
static bool quiet(const struct rv_source *source, size_t begin, size_t end) {
    while (begin < end) {
        const char *text = source->text + begin;
        if (isspace((unsigned char)*text)) {
            begin++;
        } else if (text[0] == '/' && text[1] == '/') {
            return true;
        } else if (text[0] == '/' && text[1] == '*') {
            const char *stop = memmem(text, end - begin, "*/", 2);
            if (!stop) return false;
            begin = (size_t)(stop + 2 - source->text);
        } else {
            return false;
        }
    }
    return true;
}

static char *indent_of(const struct rv_source *source, size_t at) {
    size_t begin = line_begin(source, at), end = begin;
    while (end < at && (source->text[end] == ' ' || source->text[end] == '\t')) end++;
    return rv_text_copy_n(source->text + begin, end - begin);
}

/* ---- removing ---- */

static void remove_range(struct writing *writing, size_t begin, size_t end) {
    const struct rv_source *source = writing->source;
    size_t first = line_begin(source, begin), last = line_end(source, end);
    if (blank(source, first, begin) && blank(source, end, last)) {
        begin = first;
        end = last < source->size ? last + 1 : last;
    } else if (blank(source, first, begin)) { /* a comment, or another statement, stays */
        while (end < last && (source->text[end] == ' ' || source->text[end] == '\t')) end++;
    } else {
        while (begin > first && (source->text[begin - 1] == ' ' || source->text[begin - 1] == '\t')) begin--;
    }
    rv_edit_add(&writing->edits, begin, end - begin, rv_text_copy(""));
}

static bool in_removed_place(const struct writing *writing, size_t at) {
    for (uint32_t i = 0; i < writing->source->place_count; i++) {
        const struct rv_place *place = &writing->source->places[i];
        if (!writing->removed[i]) continue;
        if (at >= place->begin && at < place->end) return true;
        if (at >= place->if_begin && at < place->if_end) return true;
    }
    return false;
}

static void remove_locals(struct writing *writing) {
    for (uint32_t i = 0; i < writing->source->local_count; i++) {
        const struct rv_local *local = &writing->source->locals[i];
        bool gone = local->use_count > 0;
        for (uint32_t u = 0; u < local->use_count && gone; u++)
            gone = in_removed_place(writing, local->uses[u]);
        if (gone) remove_range(writing, local->begin, local->end);
    }
}

static bool word_at(const char *text, size_t at, const char *word, size_t length) {
    return strncmp(text + at, word, length) == 0 && !isalnum((unsigned char)text[at + length]) &&
           text[at + length] != '_' &&
           (at == 0 || (!isalnum((unsigned char)text[at - 1]) && text[at - 1] != '_'));
}

/* Past a comment or a text that begins at `at`; `at` itself if none does. */
static size_t past_words(const struct rv_source *source, size_t at) {
    const char *text = source->text + at;
    if (text[0] == '/' && text[1] == '/') return line_end(source, at);
    if (text[0] == '/' && text[1] == '*') {
        const char *stop = strstr(text + 2, "*/");
        return stop ? (size_t)(stop + 2 - source->text) : source->size;
    }
    if (*text != '"' && *text != '\'') return at;
    size_t end = at + 1;
    while (end < source->size && source->text[end] != *text && source->text[end] != '\n')
        end += source->text[end] == '\\' ? 2 : 1;
    return end < source->size ? end + 1 : source->size;
}

/* The function's name stands nowhere any more but in its definition. */
static bool is_unused(const struct writing *writing, const struct rv_function *function) {
    const struct rv_source *source = writing->source;
    size_t length = strlen(function->name);
    for (size_t i = 0; i < source->size; i++) {
        size_t past = past_words(source, i);
        if (past > i) i = past;
        if (i >= source->size) break;
        if ((i < function->begin || i > function->close) &&
            word_at(source->text, i, function->name, length) && !in_removed_place(writing, i))
            return false;
    }
    return true;
}

/* With the comment right above. */
static void remove_sleepers(struct writing *writing) {
    const struct rv_source *source = writing->source;
    for (uint32_t i = 0; i < source->function_count; i++) {
        const struct rv_function *function = &source->functions[i];
        if (!function->sleeper || !function->is_static || !is_unused(writing, function)) continue;
        size_t begin = line_begin(source, function->begin), end = function->close + 1;
        while (begin > 1) {
            size_t above = line_begin(source, begin - 1);
            size_t word = above;
            while (word < begin && (source->text[word] == ' ' || source->text[word] == '\t')) word++;
            if (strncmp(source->text + word, "/*", 2) != 0 && strncmp(source->text + word, "//", 2) != 0)
                break;
            if (!quiet(source, above, begin)) break;
            begin = above;
        }
        end = line_end(source, end) + 1;
        if (end > source->size) end = source->size;
        size_t next = line_end(source, end);
        if (begin > 1 && source->text[begin - 2] == '\n' && next < source->size && blank(source, end, next))
            end = next + 1;
        rv_edit_add(&writing->edits, begin, end - begin, rv_text_copy(""));
    }
}

/* ---- events ---- */

/* "RAVEL_EVENT(a); RAVEL_EVENT(b);" of the place, on one side of it; each once. "" if none. */
static char *events_of(const struct writing *writing, uint32_t place, bool after) {
    struct rv_text text = {0};
    for (uint32_t t = 0; t < writing->migration->test_count; t++) {
        const struct rv_test_found *test = &writing->migration->tests[t];
        for (uint32_t i = 0; rv_test_migrates(test) && i < test->inference.mark_count; i++) {
            const struct rv_mark *event = &test->inference.marks[i];
            if (!event->used || event->place != place || event->after != after) continue;
            char *marker = rv_text_format("RAVEL_EVENT(%s);", event->name);
            if (!text.data || !strstr(text.data, marker))
                rv_text_addf(&text, "%s%s", text.size ? " " : "", marker);
            free(marker);
        }
    }
    return rv_text_take(&text);
}

static void write_bare(struct writing *writing, const struct rv_place *place, bool removed, const char *pre,
                       const char *post) {
    if (removed && !*pre && !*post && place->if_end) {
        remove_range(writing, place->if_begin, place->if_end);
        return;
    }
    if (!removed && !*pre && !*post) return;
    const char *gap = removed || !*pre ? "" : " ";
    rv_edit_add(&writing->edits, place->begin, removed ? place->end - place->begin : 0,
                rv_text_format("{ %s%s", pre, gap));
    rv_edit_add(&writing->edits, place->end, 0, rv_text_format("%s%s }", *post ? " " : "", post));
}

static void write_before(struct writing *writing, const struct rv_place *place, const char *pre) {
    const struct rv_source *source = writing->source;
    size_t first = line_begin(source, place->begin);
    if (!blank(source, first, place->begin)) {
        rv_edit_add(&writing->edits, place->begin, 0, rv_text_format("%s ", pre));
        return;
    }
    char *indent = indent_of(source, place->begin);
    rv_edit_add(&writing->edits, first, 0, rv_text_format("%s%s\n", indent, pre));
    free(indent);
}

static void write_after(struct writing *writing, const struct rv_place *place, const char *post) {
    const struct rv_source *source = writing->source;
    size_t last = line_end(source, place->end);
    if (!quiet(source, place->end, last) || last == source->size) {
        rv_edit_add(&writing->edits, place->end, 0, rv_text_format(" %s", post));
        return;
    }
    char *indent = indent_of(source, place->begin);
    rv_edit_add(&writing->edits, last + 1, 0, rv_text_format("%s%s\n", indent, post));
    free(indent);
}

static void write_place(struct writing *writing, uint32_t index) {
    const struct rv_place *place = &writing->source->places[index];
    char *pre = events_of(writing, index, false), *post = events_of(writing, index, true);
    bool removed = writing->removed[index];
    if (place->bare) {
        write_bare(writing, place, removed, pre, post);
    } else {
        if (*pre) write_before(writing, place, pre);
        if (removed && place->if_end && !*pre && !*post)
            remove_range(writing, place->if_begin, place->if_end);
        else if (removed)
            remove_range(writing, place->begin, place->end);
        if (*post) write_after(writing, place, post);
    }
    free(pre);
    free(post);
}

/* ---- tests ---- */

/* "a -> b, c -> d" as C strings, an ordering a line. */
static void add_schedule(struct rv_text *to, const char *name, const char *schedule) {
    struct rv_text head = {0};
    rv_text_addf(&head, "RAVEL_SCHEDULE(%s, \"migrated\",", name);
    bool one_line = strlen(schedule) + head.size < 100 && !strchr(schedule, ',');
    rv_text_addf(to, "%s%s", head.data, one_line ? " " : "\n               ");
    while (*schedule) {
        size_t length = strcspn(schedule, ",");
        bool last = !schedule[length];
        if (!last) length += 1 + strspn(schedule + length + 1, " ");
        rv_text_addf(to, "\"%.*s\"%s", (int)length, schedule, last ? ");\n" : "\n               ");
        schedule += length;
    }
    free(head.data);
}

/* ---- main is the test ---- */

/* The text without white space. */
static char *squeeze(const char *text, size_t size) {
    struct rv_text result = {0};
    for (size_t i = 0; i < size; i++)
        if (!isspace((unsigned char)text[i])) rv_text_add_n(&result, text + i, 1);
    return rv_text_take(&result);
}

static bool squeezed_is(const struct rv_source *source, size_t begin, size_t end, const char *const *texts) {
    char *text = squeeze(source->text + begin, end - begin);
    bool found = false;
    for (; *texts && !found; texts++) found = strcmp(text, *texts) == 0;
    free(text);
    return found;
}

bool rv_main_splits(const struct rv_source *source, uint32_t index) {
    static const char *const heads[] = {"intmain(void)", "intmain()", NULL};
    static const char *const ends[] = {"return0;", "return(0);", "returnEXIT_SUCCESS;", NULL};
    const struct rv_function *function = &source->functions[index];
    if (!squeezed_is(source, function->begin, function->open, heads)) return false;
    for (uint32_t i = 0; i < source->place_count; i++) {
        const struct rv_place *place = &source->places[i];
        if (place->function == index && place->leaves && !squeezed_is(source, place->begin, place->end, ends))
            return false;
    }
    return true;
}

/* main becomes a function without a result, and a new main calls it. */
static void split_main(struct writing *writing, uint32_t index) {
    const struct rv_source *source = writing->source;
    const struct rv_function *function = &source->functions[index];
    size_t head = function->open;
    while (head > function->begin && isspace((unsigned char)source->text[head - 1])) head--;
    rv_edit_add(&writing->edits, function->begin, head - function->begin,
                rv_text_format("static void %s(void)", function->test_name));
    for (uint32_t i = 0; i < source->place_count; i++) {
        const struct rv_place *place = &source->places[i];
        if (place->function == index && place->leaves)
            rv_edit_add(&writing->edits, place->begin, place->end - place->begin, rv_text_copy("return;"));
    }
    rv_edit_add(&writing->edits, function->close + 1, 0,
                rv_text_format("\n\nint main(void)\n{\n    %s();\n    return 0;\n}", function->test_name));
}

/* All tests get a scope: one that has none would run before each that is chosen. */
static void write_test(struct writing *writing, const struct rv_test_found *test) {
    const struct rv_source *source = writing->source;
    const struct rv_function *function = &source->functions[test->function];
    if (rv_test_migrates(test)) {
        struct rv_text text = {0};
        add_schedule(&text, function->test_name, test->schedule);
        rv_edit_add(&writing->edits, line_begin(source, function->begin), 0, rv_text_take(&text));
    }
    if (function->is_main && rv_test_migrates(test)) split_main(writing, test->function);
    if (test->skipped || function->scoped) return;
    size_t first = function->open + 1;
    while (first < function->close && isspace((unsigned char)source->text[first])) first++;
    char *indent = first < function->close && line_begin(source, first) > function->open
                       ? indent_of(source, first)
                       : rv_text_copy("    ");
    size_t last = line_end(source, function->open);
    char *scope = function->result ? rv_text_format("RAVEL_TEST_SCOPE_RESULT(%s, %s);", function->test_name,
                                                    function->result)
                                   : rv_text_format("RAVEL_TEST_SCOPE(%s);", function->test_name);
    if (quiet(source, function->open + 1, last))
        rv_edit_add(&writing->edits, last + 1, 0, rv_text_format("%s%s\n", indent, scope));
    else
        rv_edit_add(&writing->edits, function->open + 1, 0, rv_text_format(" %s", scope));
    free(scope);
    free(indent);
}

char *rv_migration_rewrite(const struct rv_migration *migration) {
    const struct rv_source *source = &migration->source;
    struct writing writing = {
        .migration = migration, .source = source, .removed = rv_sleeps_removed(migration)};
    bool any = false;
    for (uint32_t t = 0; t < migration->test_count; t++) any |= rv_test_migrates(&migration->tests[t]);
    if (any) {
        if (!source->has_include)
            rv_edit_add(&writing.edits, source->include_at, 0, rv_text_copy("#include <ravel.h>\n"));
        for (uint32_t t = 0; t < migration->test_count; t++) write_test(&writing, &migration->tests[t]);
        for (uint32_t i = 0; i < source->place_count; i++) write_place(&writing, i);
        remove_locals(&writing);
        remove_sleepers(&writing);
    }
    char *text = rv_edits_apply(&writing.edits, source->text, source->size);
    rv_edits_free(&writing.edits);
    free(writing.removed);
    return text;
}

/* ---- alike ---- */

/* The body without white space, comments and sleeps. */
static char *essence(const struct writing *writing, const struct rv_function *function) {
    struct rv_text text = {0};
    for (size_t i = function->open; i < function->close; i++) {
        const char *at = writing->source->text + i;
        if (at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
            i = past_words(writing->source, i) - 1;
            continue;
        }
        if (!isspace((unsigned char)*at) && !in_removed_place(writing, i)) rv_text_add_n(&text, at, 1);
    }
    return rv_text_take(&text);
}

bool rv_tests_alike(const struct rv_migration *migration, const struct rv_test_found *a,
                    const struct rv_test_found *b) {
    struct writing writing = {
        .migration = migration, .source = &migration->source, .removed = rv_sleeps_removed(migration)};
    char *first = essence(&writing, &migration->source.functions[a->function]);
    char *second = essence(&writing, &migration->source.functions[b->function]);
    bool alike = rv_test_migrates(a) && rv_test_migrates(b) && strcmp(first, second) == 0;
    free(first);
    free(second);
    free(writing.removed);
    return alike;
}
