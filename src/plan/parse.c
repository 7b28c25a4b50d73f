/* Recursive descent, bounded by RV_PLAN_DEPTH: only "(" and "!" go deeper. The sizes of the arrays are known before: there are
 * no more atoms, nodes and orderings than words in the text. */
#include <string.h>

#include "plan/circle.h"
#include "plan/diagnose.h"
#include "plan/index.h"

struct parser {
    struct rv_plan *plan;
    const char *text;
    char *names; /* each name of the text once, one after the other, each with a NUL */
    uint32_t names_used;
    uint32_t atom_room, node_room, ordering_room;
    uint32_t depth;
    struct rv_plan_token token, before; /* to be read next; read last */
    struct rv_plan_error *error;
};

_Static_assert(sizeof(struct rv_plan) + 2 * RV_PLAN_TEXT + RV_PLAN_ATOMS * sizeof(struct rv_plan_atom) +
                       RV_PLAN_NODES * sizeof(struct rv_plan_node) +
                       RV_PLAN_ORDERINGS * sizeof(struct rv_plan_ordering) + 6 * 16 + RV_PLAN_INDEX_MEMORY <=
                   RV_PLAN_MEMORY,
               "room for the largest plan, each array rounded up to 16 bytes");

static const char *const keywords[] = {[RV_PLAN_START] = "start",
                                       [RV_PLAN_END] = "end",
                                       [RV_PLAN_BLOCK] = "block",
                                       [RV_PLAN_UNBLOCK] = "unblock"};

static void advance(struct parser *parser) {
    parser->before = parser->token;
    parser->token = rv_plan_token_after(parser->text, parser->token.at + parser->token.length);
}

static bool unexpected(struct parser *parser, enum rv_plan_wanted wanted, uint32_t begin) {
    struct rv_plan_place place = {parser->text, parser->token, parser->before, begin};
    rv_plan_unexpected(parser->error, wanted, &place);
    return false;
}

static bool wrong(struct parser *parser, const struct rv_plan_token *token, const char *message,
                  const char *hint) {
    rv_plan_wrong(parser->error, token->at, token->length, message, hint);
    return false;
}

static bool out_of_memory(struct parser *parser) {
    rv_plan_wrong(parser->error, 0, 0, "no memory for a schedule", "");
    return false;
}

static bool expect(struct parser *parser, enum rv_plan_token_kind kind, enum rv_plan_wanted wanted,
                   uint32_t begin) {
    if (parser->token.kind != kind) return unexpected(parser, wanted, begin);
    advance(parser);
    return true;
}

/* --- names, atoms, nodes --- */

static const char *intern(struct parser *parser, const struct rv_plan_token *token) {
    for (uint32_t at = 0; at < parser->names_used; at += (uint32_t)strlen(parser->names + at) + 1)
        if (rv_plan_token_is(parser->text, token, parser->names + at)) return parser->names + at;
    char *name = parser->names + parser->names_used;
    memcpy(name, parser->text + token->at, token->length);
    name[token->length] = 0;
    parser->names_used += token->length + 1;
    return name;
}

static bool read_name(struct parser *parser, const char **name) {
    if (parser->token.length >= RV_PLAN_NAME)
        return wrong(parser, &parser->token, "this name is longer than 63 characters", "");
    *name = intern(parser, &parser->token);
    advance(parser);
    return true;
}

static bool read_thread(struct parser *parser, const char **name) {
    bool identifier = parser->token.kind == RV_TOKEN_NAME;
    for (uint32_t i = 0; i < parser->token.length; i++)
        if (parser->text[parser->token.at + i] == '.') identifier = false;
    if (!identifier) return unexpected(parser, RV_WANT_THREAD, 0);
    return read_name(parser, name);
}

static bool read_count(struct parser *parser, uint32_t *count) {
    const struct rv_plan_token token = parser->token;
    uint64_t value = 0;
    if (!expect(parser, RV_TOKEN_NUMBER, RV_WANT_COUNT, 0)) return false;
    for (uint32_t i = 0; i < token.length && value <= RV_PLAN_COUNT; i++)
        value = value * 10 + (uint64_t)(parser->text[token.at + i] - '0');
    if (value == 0)
        return wrong(parser, &token, "a count is at least 1",
                     "the first time is e#1; a condition that asks for no event at all is !e");
    if (value > RV_PLAN_COUNT) return wrong(parser, &token, "this count is greater than 1000000000", "");
    *count = (uint32_t)value;
    return true;
}

static bool add_atom(struct parser *parser, const struct rv_plan_atom *atom, uint32_t *number) {
    struct rv_plan *plan = parser->plan;
    for (*number = 0; *number < plan->atom_count; ++*number) {
        const struct rv_plan_atom *other = &plan->atoms[*number];
        if (other->what == atom->what && other->name == atom->name && other->thread == atom->thread &&
            other->count == atom->count)
            return true;
    }
    if (plan->atom_count == parser->atom_room) {
        rv_plan_wrong(parser->error, atom->at, atom->length, "there are more than 256 different events", "");
        return false;
    }
    plan->atoms[plan->atom_count++] = *atom;
    return true;
}

/* *number: node. What is below it begins with node->first. */
static bool add_node(struct parser *parser, const struct rv_plan_node *node, uint32_t *number) {
    struct rv_plan *plan = parser->plan;
    if (plan->node_count == parser->node_room) {
        rv_plan_wrong(parser->error, node->at, node->length, "there are more than 1024 parts of conditions",
                      "");
        return false;
    }
    *number = plan->node_count;
    plan->nodes[plan->node_count++] = *node;
    return true;
}

/* --- the grammar --- */

/* basic, from its name on. counted: a count was given; else atom->count is 0. */
static bool read_basic(struct parser *parser, enum rv_plan_wanted wanted, struct rv_plan_atom *atom) {
    const struct rv_plan_token begin = parser->token;
    if (begin.kind != RV_TOKEN_NAME || rv_plan_token_is(parser->text, &begin, "blocked"))
        return unexpected(parser, wanted, 0);
    *atom = (struct rv_plan_atom){.what = RV_PLAN_EVENT, .at = begin.at};
    for (int what = RV_PLAN_START; what <= RV_PLAN_UNBLOCK; what++)
        if (rv_plan_token_is(parser->text, &begin, keywords[what])) atom->what = (enum rv_plan_what)what;
    if (!read_name(parser, &atom->name)) return false;
    if (parser->token.kind == RV_TOKEN_COUNT) {
        advance(parser);
        if (!read_count(parser, &atom->count)) return false;
    }
    if (parser->token.kind == RV_TOKEN_THREAD) {
        advance(parser);
        if (!read_thread(parser, &atom->thread)) return false;
    } else if (atom->what != RV_PLAN_EVENT) {
        return unexpected(parser, RV_WANT_AT_THREAD, begin.at);
    }
    atom->length = parser->before.at + parser->before.length - atom->at;
    return true;
}

static bool add_leaf(struct parser *parser, enum rv_plan_kind kind, const struct rv_plan_atom *atom,
                     struct rv_plan_node *node, uint32_t *number) {
    struct rv_plan_atom counted = *atom;
    if (counted.count == 0) counted.count = 1;
    node->kind = kind;
    node->last = kind == RV_PLAN_HELD && atom->count == 0;
    node->length = parser->before.at + parser->before.length - node->at;
    node->first = parser->plan->node_count;
    return add_atom(parser, &counted, &node->atom) && add_node(parser, node, number);
}

static bool read_held(struct parser *parser, uint32_t *number) {
    struct rv_plan_node node = {.at = parser->token.at};
    struct rv_plan_atom atom;
    advance(parser);
    if (!read_basic(parser, RV_WANT_INSIDE, &atom) ||
        !expect(parser, RV_TOKEN_CLOSE_BRACKET, RV_WANT_CLOSE_BRACKET, node.at))
        return false;
    if (atom.what == RV_PLAN_END) {
        rv_plan_wrong(parser->error, node.at, parser->before.at + 1 - node.at,
                      "this never holds: a thread that has ended is not blocked",
                      "that it has ended is end@t, without brackets");
        return false;
    }
    return add_leaf(parser, RV_PLAN_HELD, &atom, &node, number);
}

static bool read_blocked(struct parser *parser, uint32_t *number) {
    struct rv_plan_node node = {
        .kind = RV_PLAN_BLOCKED, .at = parser->token.at, .first = parser->plan->node_count};
    advance(parser);
    if (!expect(parser, RV_TOKEN_THREAD, RV_WANT_AT_THREAD, node.at) || !read_thread(parser, &node.thread))
        return false;
    node.length = parser->before.at + parser->before.length - node.at;
    return add_node(parser, &node, number);
}

static bool read_condition(struct parser *parser, uint32_t *number);

static bool deeper(struct parser *parser) {
    if (parser->depth == RV_PLAN_DEPTH)
        return wrong(parser, &parser->token, "this is nested more than 64 deep", "");
    parser->depth++;
    advance(parser);
    return true;
}

static bool read_unary(struct parser *parser, uint32_t *number) {
    struct rv_plan_node node = {
        .kind = RV_PLAN_NOT, .at = parser->token.at, .first = parser->plan->node_count};
    struct rv_plan_atom atom;
    switch ((int)parser->token.kind) {
    case RV_TOKEN_NOT:
        if (!deeper(parser) || !read_unary(parser, &node.left)) return false;
        parser->depth--;
        node.length = parser->before.at + parser->before.length - node.at;
        return add_node(parser, &node, number);
    case RV_TOKEN_OPEN:
        if (!deeper(parser) || !read_condition(parser, number) ||
            !expect(parser, RV_TOKEN_CLOSE, RV_WANT_CLOSE, node.at))
            return false;
        parser->depth--;
        return true;
    case RV_TOKEN_OPEN_BRACKET: return read_held(parser, number);
    default:
        if (rv_plan_token_is(parser->text, &parser->token, "blocked")) return read_blocked(parser, number);
        return read_basic(parser, RV_WANT_CONDITION, &atom) &&
               add_leaf(parser, RV_PLAN_ATOM, &atom, &node, number);
    }
}

/* What is joined by `operator`, from left to right; `part` reads a piece. */
static bool read_joined(struct parser *parser, enum rv_plan_token_kind operator, enum rv_plan_kind kind,
                        bool (*part)(struct parser *, uint32_t *), uint32_t *number) {
    uint32_t at = parser->token.at;
    if (!part(parser, number)) return false;
    while (parser->token.kind == operator) {
        struct rv_plan_node node = {
            .kind = kind, .left = *number, .first = parser->plan->nodes[*number].first, .at = at};
        advance(parser);
        if (!part(parser, &node.right)) return false;
        node.length = parser->before.at + parser->before.length - at;
        if (!add_node(parser, &node, number)) return false;
    }
    return true;
}

static bool read_and(struct parser *parser, uint32_t *number) {
    return read_joined(parser, RV_TOKEN_AND, RV_PLAN_AND, read_unary, number);
}

static bool read_condition(struct parser *parser, uint32_t *number) {
    return read_joined(parser, RV_TOKEN_OR, RV_PLAN_OR, read_and, number);
}

static bool read_ordering(struct parser *parser) {
    struct rv_plan *plan = parser->plan;
    struct rv_plan_ordering ordering = {.at = parser->token.at};
    struct rv_plan_atom target;
    if (parser->token.kind != RV_TOKEN_END && plan->ordering_count == parser->ordering_room)
        return wrong(parser, &parser->token, "there are more than 128 orderings", "");
    if (!read_condition(parser, &ordering.condition) || !expect(parser, RV_TOKEN_ARROW, RV_WANT_ARROW, 0) ||
        !read_basic(parser, RV_WANT_TARGET, &target) || !add_atom(parser, &target, &ordering.target))
        return false;
    ordering.length = parser->before.at + parser->before.length - ordering.at;
    plan->orderings[plan->ordering_count++] = ordering;
    return true;
}

static bool read_plan(struct parser *parser) {
    parser->token = (struct rv_plan_token){.kind = RV_TOKEN_BEGIN};
    advance(parser);
    while (read_ordering(parser)) {
        if (parser->token.kind == RV_TOKEN_END) return true;
        if (!expect(parser, RV_TOKEN_COMMA, RV_WANT_COMMA, 0)) return false;
    }
    return false;
}

/* --- what is said of the whole --- */

static bool is_momentary(const struct rv_plan *plan) {
    for (uint32_t i = 0; i < plan->node_count; i++) {
        enum rv_plan_kind kind = plan->nodes[i].kind;
        if (kind == RV_PLAN_HELD || kind == RV_PLAN_BLOCKED || kind == RV_PLAN_NOT) return true;
    }
    for (uint32_t i = 0; i < plan->atom_count; i++)
        if (plan->atoms[i].what == RV_PLAN_BLOCK || plan->atoms[i].what == RV_PLAN_UNBLOCK) return true;
    return false;
}

/* Parents stand behind their children: each node has its sign before its children get theirs from it. */
static void mark_positive(struct rv_plan *plan) {
    bool negated[RV_PLAN_NODES];
    for (uint32_t i = 0; i < plan->ordering_count; i++) {
        negated[plan->orderings[i].condition] = false;
        plan->atoms[plan->orderings[i].target].positive = true;
    }
    for (uint32_t i = plan->node_count; i-- > 0;) {
        const struct rv_plan_node *node = &plan->nodes[i];
        if (node->kind == RV_PLAN_ATOM || node->kind == RV_PLAN_HELD)
            plan->atoms[node->atom].positive |= !negated[i];
        if (node->kind == RV_PLAN_NOT) negated[node->left] = !negated[i];
        if (node->kind == RV_PLAN_AND || node->kind == RV_PLAN_OR)
            negated[node->left] = negated[node->right] = negated[i];
    }
}

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

static bool make_room(struct parser *parser, struct rv_arena *arena, uint32_t length) {
    struct rv_plan *plan = parser->plan = rv_arena_alloc(arena, sizeof *plan);
    char *text = rv_arena_alloc(arena, length + 1u);
    uint32_t words = 1;
    for (struct rv_plan_token token = {0}; token.kind != RV_TOKEN_END; words++)
        token = rv_plan_token_after(parser->text, token.at + token.length);
    parser->names = rv_arena_alloc(arena, length + 1u);
    parser->atom_room = smaller(words, RV_PLAN_ATOMS);
    parser->node_room = smaller(words, RV_PLAN_NODES);
    parser->ordering_room = smaller(words, RV_PLAN_ORDERINGS);
    if (!plan || !text || !parser->names) return false;
    plan->atoms = rv_arena_alloc(arena, parser->atom_room * sizeof *plan->atoms);
    plan->nodes = rv_arena_alloc(arena, parser->node_room * sizeof *plan->nodes);
    plan->orderings = rv_arena_alloc(arena, parser->ordering_room * sizeof *plan->orderings);
    memcpy(text, parser->text, length + 1u);
    plan->text = parser->text = text;
    return plan->atoms && plan->nodes && plan->orderings;
}

static bool parse(struct parser *parser, struct rv_arena *arena) {
    uint32_t length = 0;
    while (length < RV_PLAN_TEXT && parser->text[length]) length++;
    if (length == RV_PLAN_TEXT) {
        rv_plan_wrong(parser->error, RV_PLAN_TEXT - 1, 1, "the text is longer than 4095 bytes",
                      "several schedules of a test can each say a part");
        return false;
    }
    if (!make_room(parser, arena, length)) return out_of_memory(parser);
    struct rv_plan *plan = parser->plan;
    if (!read_plan(parser) || rv_plan_circle(plan, parser->error)) return false;
    mark_positive(plan);
    plan->momentary = is_momentary(plan);
    plan->index = rv_plan_index_make(arena, plan);
    return plan->index || out_of_memory(parser);
}

const struct rv_plan *rv_plan_parse(struct rv_arena *arena, const char *text, struct rv_plan_error *error) {
    struct parser parser = {.text = text, .error = error};
    size_t mark = rv_arena_mark(arena);
    if (parse(&parser, arena)) return parser.plan;
    rv_arena_reset(arena, mark);
    return NULL;
}
