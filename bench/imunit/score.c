#include "score.h"

#include <string.h>

/* What is compared: places, not names. */
struct edge {
    int from, to;
    bool block;
};

enum { MOST = 256 };

struct facts {
    int places[MOST];
    struct edge edges[MOST];
    size_t place_count, edge_count;
};

static void add_place(struct facts *facts, int place) {
    for (size_t i = 0; i < facts->place_count; i++)
        if (facts->places[i] == place) return;
    if (facts->place_count < MOST) facts->places[facts->place_count++] = place;
}

static bool has_place(const struct facts *facts, int place) {
    for (size_t i = 0; i < facts->place_count; i++)
        if (facts->places[i] == place) return true;
    return false;
}

static bool has_edge(const struct facts *facts, struct edge edge) {
    for (size_t i = 0; i < facts->edge_count; i++) {
        const struct edge *other = &facts->edges[i];
        if (other->from == edge.from && other->to == edge.to && other->block == edge.block) return true;
    }
    return false;
}

static void add_edge(struct facts *facts, struct edge edge) {
    if (!has_edge(facts, edge) && facts->edge_count < MOST) facts->edges[facts->edge_count++] = edge;
}

static void wanted(struct facts *facts, const struct key *key, const struct key_test *test) {
    for (size_t i = 0; i < test->ordering_count; i++) {
        const struct key_ordering *ordering = &test->orderings[i];
        struct edge edge = {key_event(key, ordering->from)->place, key_event(key, ordering->to)->place,
                            ordering->block};
        add_place(facts, edge.from);
        add_place(facts, edge.to);
        add_edge(facts, edge);
    }
}

static double confidence_of(const json_t *item) {
    const json_t *value = json_object_get(item, "confidence");
    return json_is_number(value) ? json_number_value(value) : 1;
}

static int place_of(const struct key *key, const json_t *event) {
    int line = (int)json_integer_value(json_object_get(event, "line"));
    return key_place(key, line, json_is_true(json_object_get(event, "before")));
}

/* 0: no event of this name was inferred (start@t, end@t, or a mistake). */
static int place_named(const struct key *key, const json_t *test, const char *name) {
    size_t i;
    const json_t *event;
    json_array_foreach(json_object_get(test, "events"), i, event) {
        const char *other = json_string_value(json_object_get(event, "name"));
        if (other && strcmp(other, name) == 0) return place_of(key, event);
    }
    return 0;
}

static void inferred(struct facts *facts, const struct key *key, const json_t *test, double confidence) {
    size_t i;
    const json_t *item;
    json_array_foreach(json_object_get(test, "events"), i, item) {
        if (confidence_of(item) >= confidence) add_place(facts, place_of(key, item));
    }
    json_array_foreach(json_object_get(test, "orderings"), i, item) {
        struct key_ordering parts[KEY_ORDERINGS];
        size_t count = 0;
        const char *text = json_string_value(json_object_get(item, "text"));
        if (confidence_of(item) < confidence) continue;
        if (!text || !key_orderings(text, parts, &count, KEY_ORDERINGS)) {
            add_edge(facts, (struct edge){-(int)i - 1, 0, false}); /* agrees with nothing */
            continue;
        }
        for (size_t j = 0; j < count; j++)
            add_edge(facts, (struct edge){place_named(key, test, parts[j].from),
                                          place_named(key, test, parts[j].to), parts[j].block});
    }
}

static void tell(FILE *log, const char *test, const char *what, const struct edge *edge) {
    if (!log) return;
    fprintf(log, "  %s: %s ordering %s%d%s -> %d\n", test, what, edge->block ? "[" : "", edge->from,
            edge->block ? "]" : "", edge->to);
}

static void score_test(struct score *score, const char *name, const struct facts *want,
                       const struct facts *have, FILE *log) {
    unsigned before = score->orderings.wrong + score->orderings.missed;
    for (size_t i = 0; i < have->place_count; i++) {
        bool right = has_place(want, have->places[i]);
        *(right ? &score->events.right : &score->events.wrong) += 1;
        if (!right && log) fprintf(log, "  %s: wrong event before line %d\n", name, have->places[i]);
    }
    for (size_t i = 0; i < want->place_count; i++) {
        if (has_place(have, want->places[i])) continue;
        score->events.missed++;
        if (log) fprintf(log, "  %s: missing event before line %d\n", name, want->places[i]);
    }
    for (size_t i = 0; i < have->edge_count; i++) {
        bool right = has_edge(want, have->edges[i]);
        *(right ? &score->orderings.right : &score->orderings.wrong) += 1;
        if (!right) tell(log, name, "wrong", &have->edges[i]);
    }
    for (size_t i = 0; i < want->edge_count; i++) {
        if (has_edge(have, want->edges[i])) continue;
        score->orderings.missed++;
        tell(log, name, "missing", &want->edges[i]);
    }
    score->exact += before == score->orderings.wrong + score->orderings.missed;
}

/* Whether an array of the file's result, or of one of its tests, has an entry whose line is in [first, last]. */
static bool names_line(const json_t *result, const char *array, int first, int last) {
    size_t i;
    const json_t *item;
    json_array_foreach(json_object_get(result, array), i, item) {
        const json_t *number = json_is_object(item) ? json_object_get(item, "line") : item;
        int line = (int)json_integer_value(number);
        if (line >= first && line <= last) return true;
    }
    json_array_foreach(json_object_get(result, "tests"), i, item) {
        if (names_line(item, array, first, last)) return true;
    }
    return false;
}

static void score_sleeps(struct score *score, const struct key *key, const json_t *result, FILE *log) {
    for (size_t i = 0; i < key->sleep_count; i++) {
        const struct key_sleep *sleep = &key->sleeps[i];
        bool gone = names_line(result, "removed", sleep->line, sleep->line);
        if (sleep->fate == KEY_REMOVED)
            *(gone ? &score->removed : &score->left) += 1;
        else
            *(gone ? &score->lost : &score->kept) += 1;
        if (log && gone != (sleep->fate == KEY_REMOVED))
            fprintf(log, "  sleep on line %d is %s\n", sleep->line,
                    gone ? "removed, should stay" : "left, should go");
        /* A polling loop may be named by its own line, somewhat above. */
        if (sleep->fate == KEY_POLLING)
            score->polling += names_line(result, "polling", sleep->line - 2, sleep->line);
    }
}

void score_file(struct score *score, const struct key *key, const json_t *result, double confidence,
                FILE *log) {
    for (size_t i = 0; i < key->test_count; i++) {
        struct facts want = {0}, have = {0};
        const json_t *test, *found = NULL;
        size_t j;
        wanted(&want, key, &key->tests[i]);
        json_array_foreach(json_object_get(result, "tests"), j, test) {
            const char *name = json_string_value(json_object_get(test, "name"));
            if (name && strcmp(name, key->tests[i].name) == 0) found = test;
        }
        score->tests++;
        if (!found || json_object_get(found, "skipped")) {
            score->absent++;
            if (log) fprintf(log, "  %s: left out\n", key->tests[i].name);
        }
        if (found) inferred(&have, key, found, confidence);
        score_test(score, key->tests[i].name, &want, &have, log);
    }
    score_sleeps(score, key, result, log);
}

static void add_hits(struct hits *sum, const struct hits *part) {
    sum->right += part->right;
    sum->wrong += part->wrong;
    sum->missed += part->missed;
}

void score_add(struct score *sum, const struct score *part) {
    add_hits(&sum->events, &part->events);
    add_hits(&sum->orderings, &part->orderings);
    sum->tests += part->tests;
    sum->absent += part->absent;
    sum->exact += part->exact;
    sum->removed += part->removed;
    sum->kept += part->kept;
    sum->lost += part->lost;
    sum->left += part->left;
    sum->polling += part->polling;
}

static double part_of(unsigned part, unsigned rest) { return part + rest ? part / (double)(part + rest) : 1; }

double hits_precision(const struct hits *hits) { return part_of(hits->right, hits->wrong); }

double hits_recall(const struct hits *hits) { return part_of(hits->right, hits->missed); }
