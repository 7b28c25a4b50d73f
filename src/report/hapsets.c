#include "report/hapsets.h"

#include <stdlib.h>
#include <string.h>

#include "report/printer.h"
#include "report/text.h"

enum { LEVELS_MAX = 16 /* of functions inlined into each other */, DEFAULT_WIDTH = 100, WIDTH_MIN = 40 };

struct statement {
    const struct rv_hapset_statement *from;
    uint32_t number;            /* in the sets */
    struct rv_location *places; /* its own, then its callers' */
    unsigned place_count;
};

struct predecessor {
    uint32_t statement, predecessor; /* indices into the listing */
    uint64_t execution;
};

struct listing {
    struct statement *statements; /* in the order of their places */
    uint32_t statement_count;
    struct predecessor *predecessors; /* by statement, then by predecessor */
    uint32_t predecessor_count;
};

/* ---- names ---- */

static void add_places(struct statement *statement, struct rv_symboliser *symbols, rv_code code) {
    struct rv_location levels[LEVELS_MAX];
    unsigned count = rv_symbolise_code(symbols, code, true, levels, LEVELS_MAX);
    statement->places =
        rv_text_realloc(statement->places, statement->place_count + count, sizeof *statement->places);
    for (unsigned i = 0; i < count; i++) statement->places[statement->place_count++] = levels[i];
}

static void name_statement(struct statement *statement, struct rv_symboliser *symbols) {
    const struct rv_hapset_statement *from = statement->from;
    add_places(statement, symbols,
               from->site ? from->site : RV_CODE_UNKNOWN); /* 0: nobody's code, a thread's end */
    for (uint32_t i = 0; i < from->frame_count; i++)
        if (!rv_symbolise_is_runtime(symbols, from->frames[i]) &&
            !rv_symbolise_is_system(symbols, from->frames[i]))
            add_places(statement, symbols, from->frames[i]);
}

/* ---- order ---- */

static int by_number(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int by_location(const struct rv_location *a, const struct rv_location *b) {
    int order = strcmp(a->file, b->file);
    if (order == 0) order = by_number(a->line, b->line);
    if (order == 0) order = strcmp(a->function, b->function);
    return order;
}

static int by_place(const void *first, const void *second) {
    const struct statement *a = first, *b = second;
    int order = 0;
    for (unsigned i = 0; order == 0 && i < a->place_count && i < b->place_count; i++)
        order = by_location(&a->places[i], &b->places[i]);
    if (order == 0) order = by_number(a->place_count, b->place_count);
    if (order == 0) order = by_number(a->from->site, b->from->site);
    if (order == 0) order = by_number(a->from->context, b->from->context);
    return order;
}

static int by_statement(const void *first, const void *second) {
    const struct predecessor *a = first, *b = second;
    int order = by_number(a->statement, b->statement);
    return order ? order : by_number(a->predecessor, b->predecessor);
}

/* ---- the listing ---- */

static struct listing list(const struct rv_hapsets *sets, struct rv_symboliser *symbols) {
    struct listing listing = {.statement_count = sets->statements.count,
                              .predecessor_count = sets->members.count};
    listing.statements = rv_text_alloc(listing.statement_count, sizeof *listing.statements);
    listing.predecessors = rv_text_alloc(listing.predecessor_count, sizeof *listing.predecessors);
    uint32_t *index_of = rv_text_alloc(listing.statement_count, sizeof *index_of);
    for (uint32_t i = 0; i < listing.statement_count; i++) {
        listing.statements[i] = (struct statement){.from = rv_hapset_statement_at(sets, i), .number = i};
        name_statement(&listing.statements[i], symbols);
    }
    qsort(listing.statements, listing.statement_count, sizeof *listing.statements, by_place);
    for (uint32_t i = 0; i < listing.statement_count; i++) index_of[listing.statements[i].number] = i;
    for (uint32_t i = 0; i < listing.predecessor_count; i++) {
        const struct rv_hapset_member *from = rv_hapset_member_at(sets, i);
        listing.predecessors[i] =
            (struct predecessor){index_of[from->statement], index_of[from->predecessor], from->execution};
    }
    qsort(listing.predecessors, listing.predecessor_count, sizeof *listing.predecessors, by_statement);
    free(index_of);
    return listing;
}

static void free_listing(struct listing *listing) {
    for (uint32_t i = 0; i < listing->statement_count; i++) {
        struct statement *statement = &listing->statements[i];
        for (unsigned k = 0; k < statement->place_count; k++) rv_location_free(&statement->places[k]);
        free(statement->places);
    }
    free(listing->statements);
    free(listing->predecessors);
}

/* ---- for people ---- */

static void print_statement(struct rv_printer *printer, const struct listing *listing, uint32_t index) {
    const struct statement *statement = &listing->statements[index];
    char *place = rv_describe_location(&statement->places[0]);
    const char *source = statement->places[0].source;
    rv_print_row(printer, 0, RV_BOLD, "[%u] %s%s%s", index + 1, place, *source ? ": " : "", source);
    free(place);
    for (unsigned i = 1; i < statement->place_count; i++) {
        place = rv_describe_location(&statement->places[i]);
        rv_print_row(printer, 4, RV_DIM, "called by %s", place);
        free(place);
    }
}

static void print_predecessor(struct rv_printer *printer, const struct listing *listing,
                              const struct predecessor *member) {
    char *place = rv_describe_location(&listing->statements[member->predecessor].places[0]);
    rv_print_row(printer, 4, RV_PLAIN, "after [%u] %s, first in schedule %llu", member->predecessor + 1,
                 place, (unsigned long long)member->execution + 1);
    free(place);
}

void rv_hapsets_print(const struct rv_hapsets *sets, struct rv_symboliser *symbols, FILE *out,
                      const struct rv_print_options *options) {
    struct rv_printer printer = {.out = out, .colour = options->colour, .utf8 = rv_text_utf8_locale()};
    printer.width = options->width ? options->width : DEFAULT_WIDTH;
    if (printer.width < WIDTH_MIN) printer.width = WIDTH_MIN;
    struct listing listing = list(sets, symbols);
    for (uint32_t i = 0, k = 0; i < listing.statement_count; i++) {
        print_statement(&printer, &listing, i);
        for (; k < listing.predecessor_count && listing.predecessors[k].statement == i; k++)
            print_predecessor(&printer, &listing, &listing.predecessors[k]);
    }
    free_listing(&listing);
}

/* ---- for machines ---- */

static json_t *statement_json(const struct statement *statement, uint32_t id) {
    json_t *object = rv_location_json(&statement->places[0]), *callers = json_array();
    char *source = rv_text_utf8(statement->places[0].source);
    json_object_set_new(object, "id", json_integer(id));
    json_object_set_new(object, "source", json_string(source));
    for (unsigned i = 1; i < statement->place_count; i++)
        json_array_append_new(callers, rv_location_json(&statement->places[i]));
    json_object_set_new(object, "callers", callers);
    free(source);
    return object;
}

static json_t *predecessor_json(const struct predecessor *member) {
    uint64_t schedule = member->execution < INT64_MAX ? member->execution + 1 : INT64_MAX;
    json_t *object = json_object();
    json_object_set_new(object, "id", json_integer(member->predecessor + 1));
    json_object_set_new(object, "first_schedule", json_integer((json_int_t)schedule));
    return object;
}

json_t *rv_hapsets_json(const struct rv_hapsets *sets, struct rv_symboliser *symbols) {
    struct listing listing = list(sets, symbols);
    json_t *statements = json_array();
    for (uint32_t i = 0, k = 0; i < listing.statement_count; i++) {
        json_t *object = statement_json(&listing.statements[i], i + 1), *predecessors = json_array();
        for (; k < listing.predecessor_count && listing.predecessors[k].statement == i; k++)
            json_array_append_new(predecessors, predecessor_json(&listing.predecessors[k]));
        json_object_set_new(object, "predecessors", predecessors);
        json_array_append_new(statements, object);
    }
    free_listing(&listing);
    return statements;
}
