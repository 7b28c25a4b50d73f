/* Statements that stand for themselves. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "migrate/source_private.h"
#include "report/text.h"

bool rv_name_asserts(const char *name);

static void walk(struct rv_reading *reading, CXCursor cursor, bool bare);

static unsigned line_of(const struct rv_source *source, size_t offset) {
    unsigned line = 1;
    for (size_t i = 0; i < offset && i < source->size; i++) line += source->text[i] == '\n';
    return line;
}

/* Past white space, comments and one semicolon. */
static size_t past_semicolon(const struct rv_source *source, size_t at) {
    size_t from = at;
    while (at < source->size) {
        const char *text = source->text + at;
        if (*text == ';') return at + 1;
        if (isspace((unsigned char)*text)) {
            at++;
        } else if (text[0] == '/' && text[1] == '*') {
            const char *end = strstr(text + 2, "*/");
            if (!end) break;
            at = (size_t)(end + 2 - source->text);
        } else if (text[0] == '/' && text[1] == '/') {
            at += strcspn(text, "\n");
        } else {
            break;
        }
    }
    return from;
}

/* The name of a macro or variable that the statement begins with, when no call is written out in it. */
static char *first_word(const struct rv_source *source, size_t begin, size_t end) {
    while (begin < end && !isalpha((unsigned char)source->text[begin]) && source->text[begin] != '_') begin++;
    size_t length = 0;
    while (begin + length < end &&
           (isalnum((unsigned char)source->text[begin + length]) || source->text[begin + length] == '_'))
        length++;
    return rv_text_copy_n(source->text + begin, length);
}

static char *name_of(const struct rv_source *source, size_t begin, size_t end, struct rv_deeds *deeds,
                     const struct rv_place *place) {
    char *name = deeds->callee ? deeds->callee : NULL;
    if (name) {
        deeds->callee = NULL;
        return name;
    }
    if (place->joins) return rv_text_copy("join");
    if (place->creates) return rv_text_copy("create");
    if (place->meets) return rv_text_copy("barrier");
    char *word = first_word(source, begin, end);
    if (rv_name_asserts(word)) {
        rv_text_set(&word, rv_text_copy("check"));
    } else if (deeds->changed) {
        rv_text_set(&word, deeds->changed);
        deeds->changed = NULL;
    }
    return word;
}

static bool is_cast_to_void(CXCursor cursor) {
    return rv_clang->getCursorKind(cursor) == CXCursor_CStyleCastExpr &&
           rv_clang->getCursorType(cursor).kind == CXType_Void;
}

/* A macro that is used like a function, and makes an if, a loop or a block: `CHECK(x);` is a simple statement. */
static bool is_macro(const struct rv_reading *reading, CXCursor cursor) {
    static const char *const keywords[] = {"if",     "for",  "while",   "do", "switch",
                                           "return", "case", "default", NULL};
    size_t begin, end;
    if (!rv_cursor_range(reading, cursor, &begin, &end) || reading->source->text[end - 1] != ')')
        return false;
    char *word = first_word(reading->source, begin, begin + 1 < end ? begin + 64 : end);
    bool macro = isalpha((unsigned char)reading->source->text[begin]) || reading->source->text[begin] == '_';
    for (const char *const *keyword = keywords; *keyword; keyword++)
        if (strcmp(word, *keyword) == 0) macro = false;
    free(word);
    return macro;
}

static struct rv_place *add_place(struct rv_reading *reading, size_t begin, size_t end, bool bare) {
    struct rv_source *source = reading->source;
    if (source->place_count > 0) { /* a macro that makes several statements is one */
        struct rv_place *last = &source->places[source->place_count - 1];
        if (last->begin == begin && last->end == end) return NULL;
    }
    source->places = rv_text_realloc(source->places, source->place_count + 1, sizeof *source->places);
    struct rv_place *place = &source->places[source->place_count++];
    *place = (struct rv_place){.function = reading->function,
                               .begin = begin,
                               .end = end,
                               .line = line_of(source, begin),
                               .end_line = line_of(source, end ? end - 1 : 0),
                               .bare = bare,
                               .loop = reading->loops > 0,
                               .ms = -1};
    return place;
}

static void fill(const struct rv_reading *reading, struct rv_place *place, struct rv_deeds *deeds,
                 bool expression) {
    bool thing = deeds->calls || deeds->writes;
    bool other = deeds->creates || deeds->joins || deeds->meets || deeds->sleeps;
    place->sleeps = deeds->sleeps;
    place->sleep = expression && deeds->sleeps && !thing && !deeds->creates && !deeds->joins && !deeds->meets;
    place->creates = deeds->creates;
    place->joins = deeds->joins;
    place->meets = deeds->meets;
    place->acts = thing || (expression && !other);
    place->looks = deeds->looks || place->acts || deeds->joins;
    place->polling = place->sleep && reading->polling;
    place->making = reading->making;
    place->callee = name_of(reading->source, place->begin, place->end, deeds, place);
    rv_deeds_free(deeds);
}

static void add_simple(struct rv_reading *reading, CXCursor cursor, bool bare) {
    enum CXCursorKind kind = rv_clang->getCursorKind(cursor);
    size_t begin, end;
    if (!rv_cursor_range(reading, cursor, &begin, &end)) return;
    if (kind != CXCursor_DeclStmt) end = past_semicolon(reading->source, end);
    struct rv_deeds deeds = {0};
    rv_deeds_of(reading, cursor, &deeds);
    if (kind == CXCursor_DeclStmt && !deeds.calls && !deeds.writes && !deeds.looks && !deeds.creates &&
        !deeds.sleeps && !deeds.joins) {
        rv_deeds_free(&deeds); /* nothing happens */
        return;
    }
    struct rv_place *place = add_place(reading, begin, end, bare);
    if (!place) {
        rv_deeds_free(&deeds);
        return;
    }
    place->declaration = kind == CXCursor_DeclStmt;
    place->leaves = kind == CXCursor_ReturnStmt;
    bool silent = is_cast_to_void(cursor) && !deeds.calls && !deeds.sleeps;
    if (silent) deeds.looks = false;
    fill(reading, place, &deeds, (rv_clang->isExpression(kind) || is_macro(reading, cursor)) && !silent);
}

/* The header of an if or a loop: all children but `bodies` of them at the end (or, do, at the begin). */
static uint32_t add_header(struct rv_reading *reading, CXCursor cursor, const CXCursor *parts, unsigned count,
                           bool bare) {
    size_t begin, end;
    if (!rv_cursor_range(reading, cursor, &begin, &end)) return UINT32_MAX;
    if (rv_clang->getCursorKind(cursor) == CXCursor_DoStmt)
        end = past_semicolon(reading->source, end);
    else if (end > 0 && reading->source->text[end - 1] != '}')
        end = past_semicolon(reading->source, end);
    struct rv_place *place = add_place(reading, begin, end, bare);
    if (!place) return UINT32_MAX;
    struct rv_deeds deeds = {0};
    for (unsigned i = 0; i < count; i++) rv_deeds_of(reading, parts[i], &deeds);
    uint32_t index = reading->source->place_count - 1;
    fill(reading, place, &deeds, false);
    return index;
}

static bool is_variable(CXCursor cursor) {
    enum CXCursorKind kind = rv_clang->getCursorKind(cursor);
    return kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl;
}

/* Below the cursor, "&variable" or the address of a part of it. */
static bool takes_address(const struct rv_reading *reading, CXCursor cursor, CXCursor variable) {
    size_t begin, end;
    bool address = rv_clang->getCursorKind(cursor) == CXCursor_UnaryOperator &&
                   rv_cursor_range(reading, cursor, &begin, &end) && reading->source->text[begin] == '&';
    struct rv_cursors children = rv_children(cursor);
    bool found = false;
    if (address && children.count > 0) {
        CXCursor part = children.items[0];
        while (rv_clang->getCursorKind(part) == CXCursor_MemberRefExpr) {
            struct rv_cursors whole = rv_children(part);
            CXCursor next = whole.count > 0 ? whole.items[0] : variable;
            free(whole.items);
            part = next;
        }
        found = rv_clang->equalCursors(rv_clang->getCursorReferenced(part), variable);
    }
    for (unsigned i = 0; !found && i < children.count; i++)
        found = takes_address(reading, children.items[i], variable);
    free(children.items);
    return found;
}

/* Which variables a loop reads, but for what its calls are given. */
struct reads {
    bool any;     /* one at all */
    bool escaped; /* one whose address the function gives away: others may change it */
};

static void add_reads(const struct rv_reading *reading, CXCursor cursor, struct reads *reads) {
    enum CXCursorKind kind = rv_clang->getCursorKind(cursor);
    if (kind == CXCursor_CallExpr) return;
    CXCursor variable = rv_clang->getCursorReferenced(cursor);
    if (kind == CXCursor_DeclRefExpr && is_variable(variable)) {
        reads->any = true;
        reads->escaped |= takes_address(reading, reading->body, variable);
    }
    struct rv_cursors children = rv_children(cursor);
    for (unsigned i = 0; i < children.count; i++) add_reads(reading, children.items[i], reads);
    free(children.items);
}

/* Whether it waits for what others change: a loop that changes nothing does not end by itself. */
static bool looks_for_others(const struct rv_reading *reading, CXCursor loop, const struct rv_deeds *deeds) {
    struct reads reads = {0};
    if (deeds->calls || deeds->looks) return true;
    add_reads(reading, loop, &reads);
    return reads.escaped || (reads.any && !deeds->changed && !deeds->writes);
}

/* A loop that only looks, and sleeps in between. */
static bool is_polling(const struct rv_reading *reading, CXCursor cursor) {
    struct rv_deeds deeds = {0};
    struct rv_cursors children = rv_children(cursor);
    bool waits = false;
    if (children.count > 0) {
        struct rv_deeds body = {0};
        bool first = rv_clang->getCursorKind(cursor) == CXCursor_DoStmt;
        rv_deeds_of(reading, children.items[first ? 0 : children.count - 1], &body);
        rv_deeds_of(reading, cursor, &deeds);
        waits = body.sleeps && !body.calls && !body.writes && !body.creates && !body.joins &&
                looks_for_others(reading, cursor, &deeds);
        rv_deeds_free(&body);
    }
    free(children.items);
    rv_deeds_free(&deeds);
    return waits;
}

static void walk_loop(struct rv_reading *reading, CXCursor cursor, const struct rv_cursors *children,
                      bool bare) {
    bool is_do = rv_clang->getCursorKind(cursor) == CXCursor_DoStmt;
    unsigned body = is_do ? 0 : children->count - 1;
    (void)add_header(reading, cursor, is_do ? children->items + 1 : children->items, children->count - 1,
                     bare);
    bool polled = reading->polling, made = reading->making;
    struct rv_deeds deeds = {0};
    rv_deeds_of(reading, cursor, &deeds);
    reading->making = deeds.creates;
    rv_deeds_free(&deeds);
    reading->polling = is_polling(reading, cursor);
    reading->loops++;
    walk(reading, children->items[body], true);
    reading->loops--;
    reading->polling = polled;
    reading->making = made;
}

/* An if whose only statement is a sleep, and whose condition does nothing, can go with it. */
static void mark_lone_sleep(struct rv_source *source, uint32_t header, uint32_t first) {
    if (header == UINT32_MAX || source->place_count != first + 1 || !source->places[first].sleep) return;
    const struct rv_place *whole = &source->places[header];
    if (whole->acts || whole->bare) return;
    source->places[first].if_begin = whole->begin;
    source->places[first].if_end = whole->end;
}

static void walk_if(struct rv_reading *reading, CXCursor cursor, const struct rv_cursors *children,
                    bool bare) {
    uint32_t header = add_header(reading, cursor, children->items, 1, bare);
    uint32_t first = reading->source->place_count;
    for (unsigned i = 1; i < children->count; i++) walk(reading, children->items[i], true);
    if (children->count == 2) mark_lone_sleep(reading->source, header, first);
}

static void walk_block(struct rv_reading *reading, const struct rv_cursors *children) {
    for (unsigned i = 0; i < children->count; i++) walk(reading, children->items[i], false);
}

static void walk(struct rv_reading *reading, CXCursor cursor, bool bare) {
    if (rv_clang->isStatement(rv_clang->getCursorKind(cursor)) && is_macro(reading, cursor)) {
        add_simple(reading, cursor, bare);
        return;
    }
    struct rv_cursors children = rv_children(cursor);
    switch (rv_clang->getCursorKind(cursor)) {
    case CXCursor_CompoundStmt: walk_block(reading, &children); break;
    case CXCursor_IfStmt:
        if (children.count > 1) walk_if(reading, cursor, &children, bare);
        break;
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_ForStmt:
        if (children.count > 0) walk_loop(reading, cursor, &children, bare);
        break;
    case CXCursor_SwitchStmt:
        (void)add_header(reading, cursor, children.items, 1, bare);
        if (children.count > 1) walk(reading, children.items[children.count - 1], false);
        break;
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
    case CXCursor_LabelStmt:
        if (children.count > 0) walk(reading, children.items[children.count - 1], false);
        break;
    case CXCursor_NullStmt:
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
    case CXCursor_GotoStmt: break;
    default: add_simple(reading, cursor, bare);
    }
    free(children.items);
}

void rv_places_read(struct rv_reading *reading, uint32_t function, CXCursor body) {
    reading->function = function;
    reading->body = body;
    reading->loops = 0;
    reading->polling = reading->making = false;
    walk(reading, body, false);
}
