#include "sketch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"

enum { MOST = 2400, NAME = 64 };

struct names {
    char list[MOST][NAME];
    unsigned count;
};

struct maker {
    struct names files, functions, variables, blocks, threads;
    bool private[MOST], many[MOST];
    char statement_names[MOST][NAME];
    struct rv_text sites, syncs, block_lines, statements, invokes, initials;
    unsigned site_count, sync_count, statement_count, line;
    int function, block;
    unsigned function_files[MOST], function_lines[MOST];
    bool defined[MOST];
    char flows[MOST][200], aims[MOST][200];
};

static unsigned number(struct names *names, const char *name) {
    for (unsigned i = 0; i < names->count; i++)
        if (strcmp(names->list[i], name) == 0) return i;
    assert_true(names->count < MOST && strlen(name) < NAME);
    strcpy(names->list[names->count], name);
    return names->count++;
}

static uint64_t hash_of(const char *text) {
    uint64_t hash = 1469598103934665603u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

static void add_block(struct maker *maker, char *rest) {
    char name[NAME], *next = strstr(rest, "->");
    struct rv_text successors = {0};
    assert_int_equal(sscanf(rest, "%63s", name), 1);
    maker->block = (int)number(&maker->blocks, name);
    for (char *word = next ? strtok(next + 2, " ") : NULL; word; word = strtok(NULL, " ")) {
        char *colon = strchr(word, ':');
        if (colon) *colon = 0;
        rv_text_addf(&successors, "%s%s:@%s@", successors.size ? "," : "", colon ? word : "",
                     colon ? colon + 1 : word);
    }
    rv_text_addf(&maker->block_lines, "%d|%d|%s\n", maker->block, maker->function,
                 successors.size ? successors.data : "-");
    free(successors.data);
}

static bool is_access(const char *word) {
    const char *colon = strchr(word, ':');
    return colon && strchr("rwup", word[0]) && strspn(word + 1, "avm") == (size_t)(colon - word - 1);
}

static void add_statement(struct maker *maker, char *line) {
    struct rv_text content = {0}, loose = {0}, locals = {0}, sites = {0}, syncs = {0}, pointers = {0};
    unsigned id = maker->statement_count++;
    assert_true(maker->block >= 0 && id < MOST);
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
        char *colon = strchr(word, ':');
        if (word[0] == '=' && word[1]) {
            snprintf(maker->statement_names[id], NAME, "%s", word + 1);
            continue;
        }
        if (strncmp(word, "flow:", 5) == 0) {
            snprintf(maker->flows[id] + strlen(maker->flows[id]), 100, "%s ", word + 5);
            continue;
        }
        if (strncmp(word, "aim:", 4) == 0) {
            snprintf(maker->flows[id] + strlen(maker->flows[id]), 100, "%s ", word + 4);
            snprintf(maker->aims[id] + strlen(maker->aims[id]), 100, "%s ", word + 4);
            continue;
        }
        rv_text_addf(&content, "%s ", word);
        rv_text_addf(&loose, "%s ", word[0] == '$' ? "$" : word);
        if (word[0] == '$')
            rv_text_addf(&locals, "%s%u", locals.size ? "," : "", (uint32_t)hash_of(word) >> 2);
        if (!colon || colon == word || !colon[1]) continue;
        *colon = 0;
        unsigned what = 0;
        if (strcmp(word, "call") == 0 || strcmp(word, "start") == 0) {
            rv_text_addf(&maker->invokes, "invoke\t%u\t%u\t%s\n", id, number(&maker->functions, colon + 1),
                         word);
            continue;
        }
        *colon = ':';
        bool access = is_access(word);
        *colon = 0;
        what = number(&maker->variables, colon + 1);
        if (access) {
            if (word[0] == 'p') rv_text_addf(&pointers, "%s%u", pointers.size ? "," : "", maker->site_count);
            if (word[0] == 'p') word[0] = 'r';
            rv_text_addf(&sites, "%s%u", sites.size ? "," : "", maker->site_count);
            rv_text_addf(&maker->sites, "site\t%u\t%u\t%d\t%u\t%u\t1\t%s\t4\t-\t%d\n", maker->site_count++,
                         what, maker->function, maker->function_files[maker->function], maker->line, word,
                         maker->block);
        } else {
            rv_text_addf(&syncs, "%s%u", syncs.size ? "," : "", maker->sync_count);
            rv_text_addf(&maker->syncs, "sync\t%u\t%d\t%u\t%u\t1\t%s\t%u\t%d\n", maker->sync_count++,
                         maker->function, maker->function_files[maker->function], maker->line, word, what,
                         maker->block);
        }
    }
    rv_text_addf(&maker->statements, "statement\t%u\t%d\t%016llx\t%u\t%s\t%s\t#%u#\t%s\t%016llx\t%s\n", id,
                 maker->block, (unsigned long long)hash_of(content.size ? content.data : ""), maker->line,
                 sites.size ? sites.data : "-", syncs.size ? syncs.data : "-", id,
                 pointers.size ? pointers.data : "-",
                 (unsigned long long)hash_of(loose.size ? loose.data : ""), locals.size ? locals.data : "-");
    free(content.data);
    free(sites.data);
    free(syncs.data);
    free(pointers.data);
    free(loose.data);
    free(locals.data);
}

static void add_function(struct maker *maker, const char *rest) {
    char name[NAME], file[NAME] = "a.c";
    assert_true(sscanf(rest, "%63s in %63s", name, file) >= 1);
    maker->function = (int)number(&maker->functions, name);
    assert_false(maker->defined[maker->function]);
    maker->defined[maker->function] = true;
    maker->function_files[maker->function] = number(&maker->files, file);
    maker->function_lines[maker->function] = maker->line;
    maker->block = -1;
}

static void add_line(struct maker *maker, char *line) {
    char name[NAME], more[NAME] = "";
    while (*line == ' ') line++;
    if (!*line || *line == '#') return;
    if (strncmp(line, "function ", 9) == 0) {
        add_function(maker, line + 9);
    } else if (strncmp(line, "block ", 6) == 0) {
        add_block(maker, line + 6);
    } else if (sscanf(line, "variable %63s private", name) == 1) {
        maker->private[number(&maker->variables, name)] = true;
    } else if (sscanf(line, "initial %63s %63s", name, more) == 2) {
        rv_text_addf(&maker->initials, "initial\t%s\t%016llx\n", name, (unsigned long long)hash_of(more));
    } else if (sscanf(line, "thread %63s %63s", name, more) >= 1) {
        unsigned thread = number(&maker->threads, name);
        maker->many[thread] = strcmp(more, "many") == 0;
    } else {
        add_statement(maker, line);
    }
}

/* Blocks get the ids of their names, in order. */
static void put_blocks(struct maker *maker, struct rv_text *text) {
    for (unsigned id = 0; id < maker->blocks.count; id++) {
        char begin[32];
        snprintf(begin, sizeof begin, "%u|", id);
        const char *at = maker->block_lines.data;
        while (at && strncmp(at, begin, strlen(begin)) != 0) at = (at = strchr(at, '\n')) ? at + 1 : NULL;
        if (!at) fail_msg("no block %s", maker->blocks.list[id]);
        at += strlen(begin);
        rv_text_addf(text, "block\t%u\t%d\t%016llx\t-\t", id, atoi(at), 0ull);
        for (at = strchr(at, '|') + 1; *at != '\n'; at++) {
            char name[NAME];
            if (*at != '@') {
                rv_text_add_n(text, at, 1);
                continue;
            }
            assert_int_equal(sscanf(at, "@%63[^@]@", name), 1);
            rv_text_addf(text, "%u", number(&maker->blocks, name));
            at += strlen(name) + 1;
        }
        rv_text_add(text, "\n");
    }
}

static void put_names(struct maker *maker, struct rv_text *text, char *names) {
    bool any = false;
    for (char *word = strtok(names, " "); word; word = strtok(NULL, " ")) {
        unsigned to = 0;
        while (to < maker->statement_count && strcmp(maker->statement_names[to], word) != 0) to++;
        if (to == maker->statement_count) fail_msg("no statement =%s", word);
        rv_text_addf(text, "%s%u", any ? "," : "", to);
        any = true;
    }
    if (!any) rv_text_add(text, "-");
}

static void put_statements(struct maker *maker, struct rv_text *text) {
    for (const char *at = maker->statements.data; at && *at; at++) {
        if (*at != '#') {
            rv_text_add_n(text, at, 1);
            continue;
        }
        put_names(maker, text, maker->flows[atoi(at + 1)]);
        rv_text_add(text, "\t");
        put_names(maker, text, maker->aims[atoi(at + 1)]);
        at = strchr(at + 1, '#');
    }
}

static void put_functions(struct maker *maker, struct rv_text *text) {
    for (unsigned i = 0; i < maker->functions.count; i++) {
        rv_text_addf(text, "function\t%u\t%s\t%u\t%u\t", i, maker->functions.list[i],
                     maker->function_files[i], maker->function_lines[i]);
        for (unsigned k = 0; k < maker->threads.count; k++) rv_text_addf(text, "%s%u", k ? "," : "", k);
        rv_text_add(text, maker->threads.count ? "\n" : "-\n");
    }
}

void sketch_make(struct sketch *sketch, const char *source) {
    struct maker *maker = calloc(1, sizeof *maker);
    struct rv_text text = {0};
    char *copy = strdup(source), *error = NULL;
    maker->function = maker->block = -1;
    (void)number(&maker->files, "a.c");
    for (char *line = copy, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        maker->line++;
        add_line(maker, line);
    }
    rv_text_add(&text, RV_MODEL_HEADER "\n");
    for (unsigned i = 0; i < maker->files.count; i++)
        rv_text_addf(&text, "file\t%u\t%s\n", i, maker->files.list[i]);
    put_functions(maker, &text);
    for (unsigned i = 0; i < maker->threads.count; i++)
        rv_text_addf(&text, "thread\t%u\t%u\t%d\n", i, number(&maker->functions, maker->threads.list[i]),
                     maker->many[i]);
    for (unsigned i = 0; i < maker->variables.count; i++)
        rv_text_addf(&text, "variable\t%u\t%s\t%d\n", i, maker->variables.list[i], !maker->private[i]);
    rv_text_add(&text, maker->sites.size ? maker->sites.data : "");
    rv_text_add(&text, maker->syncs.size ? maker->syncs.data : "");
    put_blocks(maker, &text);
    put_statements(maker, &text);
    rv_text_add(&text, maker->invokes.size ? maker->invokes.data : "");
    rv_text_add(&text, maker->initials.size ? maker->initials.data : "");
    size_t size = text.size;
    for (unsigned i = 0; i < maker->blocks.count; i++)
        rv_text_addf(&text, "%c%s", i ? ' ' : '\0', maker->blocks.list[i]);
    sketch->text = text.data;
    sketch->model = rv_model_read(text.data, size, "sketch", &error);
    if (!sketch->model) fail_msg("%s in\n%s", error, text.data);
    if (!rv_version_open(&sketch->version, sketch->model, &error)) fail_msg("%s", error);
    free(maker->sites.data);
    free(maker->syncs.data);
    free(maker->block_lines.data);
    free(maker->statements.data);
    free(maker->invokes.data);
    free(maker->initials.data);
    free(maker);
    free(copy);
}

void sketch_free(struct sketch *sketch) {
    rv_version_close(&sketch->version);
    rv_model_free(sketch->model);
    free(sketch->text);
}

/* Behind the model's text and a NUL stand the names of its blocks. */
uint32_t sketch_block(const struct sketch *sketch, const char *name) {
    char *names = strdup(sketch->text + strlen(sketch->text) + 1);
    uint32_t number = 0;
    for (char *word = strtok(names, " "); word; word = strtok(NULL, " "), number++) {
        if (strcmp(word, name) != 0) continue;
        free(names);
        return number;
    }
    fail_msg("no block %s", name);
    return 0;
}

uint32_t sketch_site(const char *source, const struct sketch *sketch, const char *line, unsigned n) {
    const char *found = strstr(source, line);
    uint32_t number = 1;
    if (!found) fail_msg("no line with %s", line);
    for (const char *at = source; at < found; at++) number += *at == '\n';
    for (uint32_t i = 0; i < sketch->model->site_count; i++)
        if (sketch->model->sites[i].line == number && n-- == 0) return i;
    fail_msg("no site in the line with %s", line);
    return 0;
}
