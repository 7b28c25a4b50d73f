/* The rules of SARIF 2.1.0 for those of its objects that ravel writes: from its JSON schema (properties, types, required
 * ones, minimums, values, unique items) and from its text (links, ids, URIs, placeholders). */
#ifndef RV_TESTS_SARIF_RULES_H
#define RV_TESTS_SARIF_RULES_H

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum sarif_type { SARIF_TEXT, SARIF_INTEGER, SARIF_NUMBER, SARIF_OBJECT, SARIF_ARRAY, SARIF_MAP, SARIF_ANY };
enum { SARIF_REQUIRED = 1, SARIF_UNIQUE = 2, SARIF_FILLED = 4 };

struct sarif_rule {
    const char *object, *key;
    enum sarif_type type;
    const char
        *of; /* of objects, arrays, maps: what is in them; of text: the values, "|a|b|"; NULL: any text */
    int flags;
    int minimum; /* of numbers */
};

static const struct sarif_rule sarif_rules[] = {
    {"log", "$schema", SARIF_TEXT, NULL, 0, 0},
    {"log", "version", SARIF_TEXT, "|2.1.0|", SARIF_REQUIRED, 0},
    {"log", "runs", SARIF_ARRAY, "run", SARIF_REQUIRED, 0},
    {"run", "tool", SARIF_OBJECT, "tool", SARIF_REQUIRED, 0},
    {"run", "originalUriBaseIds", SARIF_MAP, "artifactLocation", 0, 0},
    {"run", "results", SARIF_ARRAY, "result", SARIF_REQUIRED, 0}, /* of a run that looked for some */
    {"tool", "driver", SARIF_OBJECT, "toolComponent", SARIF_REQUIRED, 0},
    {"toolComponent", "name", SARIF_TEXT, NULL, SARIF_REQUIRED | SARIF_FILLED, 0},
    {"toolComponent", "version", SARIF_TEXT, NULL, SARIF_FILLED, 0},
    {"toolComponent", "semanticVersion", SARIF_TEXT, NULL, SARIF_FILLED, 0},
    {"toolComponent", "rules", SARIF_ARRAY, "reportingDescriptor", SARIF_UNIQUE, 0},
    {"reportingDescriptor", "id", SARIF_TEXT, NULL, SARIF_REQUIRED | SARIF_FILLED, 0},
    {"reportingDescriptor", "name", SARIF_TEXT, NULL, SARIF_FILLED, 0},
    {"reportingDescriptor", "shortDescription", SARIF_OBJECT, "message", 0, 0},
    {"reportingDescriptor", "fullDescription", SARIF_OBJECT, "message", 0, 0},
    {"reportingDescriptor", "help", SARIF_OBJECT, "message", 0, 0},
    {"reportingDescriptor", "defaultConfiguration", SARIF_OBJECT, "reportingConfiguration", 0, 0},
    {"reportingDescriptor", "properties", SARIF_OBJECT, "propertyBag", 0, 0},
    {"reportingConfiguration", "level", SARIF_TEXT, "|none|note|warning|error|", 0, 0},
    {"propertyBag", "tags", SARIF_ARRAY, "text", SARIF_UNIQUE, 0},
    {"propertyBag", "*", SARIF_ANY, NULL, 0, 0},
    {"message", "text", SARIF_TEXT, NULL, SARIF_REQUIRED | SARIF_FILLED, 0},
    {"artifactLocation", "uri", SARIF_TEXT, NULL, SARIF_FILLED, 0},
    {"artifactLocation", "uriBaseId", SARIF_TEXT, NULL, SARIF_FILLED, 0},
    {"physicalLocation", "artifactLocation", SARIF_OBJECT, "artifactLocation", SARIF_REQUIRED, 0},
    {"physicalLocation", "region", SARIF_OBJECT, "region", 0, 0},
    {"region", "startLine", SARIF_INTEGER, NULL, SARIF_REQUIRED, 1}, /* or an offset, which ravel has not */
    {"logicalLocation", "fullyQualifiedName", SARIF_TEXT, NULL, SARIF_FILLED, 0},
    {"logicalLocation", "kind", SARIF_TEXT, NULL, SARIF_FILLED, 0},
    {"location", "id", SARIF_INTEGER, NULL, 0, 0}, /* the schema's -1 is the text's "absent" */
    {"location", "physicalLocation", SARIF_OBJECT, "physicalLocation", 0, 0},
    {"location", "logicalLocations", SARIF_ARRAY, "logicalLocation", SARIF_UNIQUE, 0},
    {"location", "message", SARIF_OBJECT, "message", 0, 0},
    {"stackFrame", "location", SARIF_OBJECT, "location", 0, 0},
    {"stackFrame", "module", SARIF_TEXT, NULL, SARIF_FILLED, 0},
    {"stackFrame", "threadId", SARIF_INTEGER, NULL, 0, 0},
    {"stack", "message", SARIF_OBJECT, "message", 0, 0},
    {"stack", "frames", SARIF_ARRAY, "stackFrame", SARIF_REQUIRED, 0},
    {"codeFlow", "threadFlows", SARIF_ARRAY, "threadFlow", SARIF_REQUIRED | SARIF_FILLED, 0},
    {"threadFlow", "id", SARIF_TEXT, NULL, SARIF_FILLED, 0},
    {"threadFlow", "message", SARIF_OBJECT, "message", 0, 0},
    {"threadFlow", "locations", SARIF_ARRAY, "threadFlowLocation", SARIF_REQUIRED | SARIF_FILLED, 0},
    {"threadFlowLocation", "location", SARIF_OBJECT, "location", 0, 0},
    {"threadFlowLocation", "kinds", SARIF_ARRAY, "text", SARIF_UNIQUE, 0},
    {"threadFlowLocation", "module", SARIF_TEXT, NULL, SARIF_FILLED, 0},
    {"threadFlowLocation", "nestingLevel", SARIF_INTEGER, NULL, 0, 0},
    {"threadFlowLocation", "importance", SARIF_TEXT, "|important|essential|unimportant|", 0, 0},
    {"result", "ruleId", SARIF_TEXT, NULL, SARIF_FILLED, 0},
    {"result", "ruleIndex", SARIF_INTEGER, NULL, 0, 0},
    {"result", "level", SARIF_TEXT, "|none|note|warning|error|", 0, 0},
    {"result", "rank", SARIF_NUMBER, NULL, 0, 0},
    {"result", "message", SARIF_OBJECT, "message", SARIF_REQUIRED, 0},
    {"result", "locations", SARIF_ARRAY, "location", 0, 0},
    {"result", "relatedLocations", SARIF_ARRAY, "location", SARIF_UNIQUE, 0},
    {"result", "stacks", SARIF_ARRAY, "stack", SARIF_UNIQUE, 0},
    {"result", "codeFlows", SARIF_ARRAY, "codeFlow", 0, 0},
    {"result", "occurrenceCount", SARIF_INTEGER, NULL, 0, 1},
    {"result", "partialFingerprints", SARIF_MAP, "text", 0, 0},
    {"result", "properties", SARIF_OBJECT, "propertyBag", 0, 0},
};

/* What is wrong, first of all; "" if nothing is. */
struct sarif_check {
    char wrong[512];
    const json_t *bases; /* originalUriBaseIds */
};

__attribute__((format(printf, 2, 3))) static inline void sarif_wrong(struct sarif_check *check,
                                                                     const char *format, ...) {
    va_list arguments;
    if (*check->wrong) return;
    va_start(arguments, format);
    vsnprintf(check->wrong, sizeof check->wrong, format, arguments);
    va_end(arguments);
}

static inline void sarif_check_object(struct sarif_check *check, const char *object, const json_t *value);

static inline void sarif_check_text(struct sarif_check *check, const struct sarif_rule *rule,
                                    const json_t *value) {
    const char *text = json_string_value(value);
    char wanted[64];
    if (!text) {
        sarif_wrong(check, "%s.%s is no text", rule->object, rule->key);
        return;
    }
    snprintf(wanted, sizeof wanted, "|%s|", text);
    if (rule->of && !strstr(rule->of, wanted))
        sarif_wrong(check, "%s.%s is %s", rule->object, rule->key, text);
    if ((rule->flags & SARIF_FILLED) && !*text) sarif_wrong(check, "%s.%s is empty", rule->object, rule->key);
}

static inline void sarif_check_item(struct sarif_check *check, const struct sarif_rule *rule,
                                    const json_t *item) {
    if (strcmp(rule->of, "text") != 0)
        sarif_check_object(check, rule->of, item);
    else if (!json_is_string(item))
        sarif_wrong(check, "in %s.%s is no text", rule->object, rule->key);
}

static inline void sarif_check_array(struct sarif_check *check, const struct sarif_rule *rule,
                                     const json_t *array) {
    size_t count = json_array_size(array);
    if (!json_is_array(array)) sarif_wrong(check, "%s.%s is no array", rule->object, rule->key);
    if ((rule->flags & SARIF_FILLED) && count == 0)
        sarif_wrong(check, "%s.%s is empty", rule->object, rule->key);
    for (size_t i = 0; i < count; i++) {
        sarif_check_item(check, rule, json_array_get(array, i));
        for (size_t k = 0; (rule->flags & SARIF_UNIQUE) && k < i; k++) {
            if (json_equal(json_array_get(array, i), json_array_get(array, k)))
                sarif_wrong(check, "%s.%s has %zu and %zu alike", rule->object, rule->key, k, i);
        }
    }
}

static inline void sarif_check_map(struct sarif_check *check, const struct sarif_rule *rule, json_t *map) {
    const char *key;
    json_t *value;
    if (!json_is_object(map)) sarif_wrong(check, "%s.%s is no object", rule->object, rule->key);
    json_object_foreach(map, key, value) sarif_check_item(check, rule, value);
}

static inline void sarif_check_number(struct sarif_check *check, const struct sarif_rule *rule,
                                      const json_t *value) {
    bool fits = rule->type == SARIF_INTEGER ? json_is_integer(value) : json_is_number(value);
    if (!fits || json_number_value(value) < rule->minimum ||
        (rule->type == SARIF_NUMBER && json_number_value(value) > 100))
        sarif_wrong(check, "%s.%s is no number in range", rule->object, rule->key);
}

static inline void sarif_check_value(struct sarif_check *check, const struct sarif_rule *rule,
                                     json_t *value) {
    if (rule->type == SARIF_TEXT) sarif_check_text(check, rule, value);
    if (rule->type == SARIF_INTEGER || rule->type == SARIF_NUMBER) sarif_check_number(check, rule, value);
    if (rule->type == SARIF_OBJECT) sarif_check_object(check, rule->of, value);
    if (rule->type == SARIF_ARRAY) sarif_check_array(check, rule, value);
    if (rule->type == SARIF_MAP) sarif_check_map(check, rule, value);
}

static inline const struct sarif_rule *sarif_rule_of(const char *object, const char *key) {
    for (size_t i = 0; i < sizeof sarif_rules / sizeof *sarif_rules; i++) {
        const struct sarif_rule *rule = &sarif_rules[i];
        if (strcmp(rule->object, object) == 0 && (strcmp(rule->key, key) == 0 || strcmp(rule->key, "*") == 0))
            return rule;
    }
    return NULL;
}

/* --- URIs --- */

/* RFC 3986, of paths: absolute ones are file:///..., relative ones have a first segment without a colon. */
static inline void sarif_check_uri(struct sarif_check *check, const json_t *place) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/";
    const char *uri = json_string_value(json_object_get(place, "uri")),
               *base = json_string_value(json_object_get(place, "uriBaseId"));
    if (!uri) return;
    for (const char *c = uri; *c; c++) {
        bool escape = *c == '%' && strspn(c + 1, "0123456789ABCDEF") >= 2;
        if (!escape && !strchr(allowed, *c)) sarif_wrong(check, "the URI %s", uri);
    }
    bool file = strncmp(uri, "file:///", 8) == 0;
    if (!file && (*uri == '/' || memchr(uri, ':', strcspn(uri, "/")))) sarif_wrong(check, "the URI %s", uri);
    if (base && (file || strstr(uri, "..") || !json_object_get(check->bases, base)))
        sarif_wrong(check, "the URI %s of %s", uri, base);
}

/* --- objects --- */

static inline void sarif_check_object(struct sarif_check *check, const char *object, const json_t *value) {
    const char *key;
    json_t *member;
    if (!json_is_object(value)) sarif_wrong(check, "no object, but should be of type %s", object);
    json_object_foreach((json_t *)value, key, member) {
        const struct sarif_rule *rule = sarif_rule_of(object, key);
        if (!rule)
            sarif_wrong(check, "%s has no %s", object, key);
        else
            sarif_check_value(check, rule, member);
    }
    for (size_t i = 0; i < sizeof sarif_rules / sizeof *sarif_rules; i++) {
        const struct sarif_rule *rule = &sarif_rules[i];
        if ((rule->flags & SARIF_REQUIRED) && strcmp(rule->object, object) == 0 &&
            !json_object_get(value, rule->key))
            sarif_wrong(check, "%s needs %s", object, rule->key);
    }
    if (strcmp(object, "artifactLocation") == 0) sarif_check_uri(check, value);
}

/* --- results --- */

/* How many objects at or below this one have this id. */
static inline unsigned sarif_with_id(const json_t *value, json_int_t id) {
    const char *key;
    json_t *member;
    size_t index;
    const json_t *own = json_object_get(value, "id");
    unsigned count = json_is_integer(own) && json_integer_value(own) == id;
    json_object_foreach((json_t *)value, key, member) count += sarif_with_id(member, id);
    json_array_foreach((json_t *)value, index, member) count += sarif_with_id(member, id);
    return count;
}

/* Braces only in pairs (there are no arguments for placeholders), links only to ids that are there once. */
static inline void sarif_check_message(struct sarif_check *check, const json_t *result, const char *text) {
    for (const char *c = text; *c; c++) {
        if (*c != '{' && *c != '}') continue;
        if (c[1] != *c) {
            sarif_wrong(check, "a placeholder in: %s", text);
            return;
        }
        c++;
    }
    for (const char *link = text; (link = strstr(link, "](")); link++) {
        char *end;
        long id = strtol(link + 2, &end, 10);
        if (end == link + 2 || *end != ')' || !result || sarif_with_id(result, id) != 1)
            sarif_wrong(check, "a link in: %s", text);
    }
}

/* All messages at or below this one. `result`: what has the locations that they may link to; NULL: nothing. */
static inline void sarif_check_messages(struct sarif_check *check, const json_t *result,
                                        const json_t *value) {
    const char *key;
    json_t *member;
    size_t index;
    json_object_foreach((json_t *)value, key, member) {
        const char *text = json_string_value(json_object_get(member, "text"));
        if (text) sarif_check_message(check, result, text);
        if (text && strchr(text, '\n')) sarif_wrong(check, "more than a paragraph: %s", text);
        sarif_check_messages(check, result, member);
    }
    json_array_foreach((json_t *)value, index, member) sarif_check_messages(check, result, member);
}

static inline void sarif_check_flows(struct sarif_check *check, const json_t *flow) {
    const json_t *threads = json_object_get(flow, "threadFlows");
    for (size_t i = 0; i < json_array_size(threads); i++) {
        for (size_t k = 0; k < i; k++) {
            if (json_equal(json_object_get(json_array_get(threads, i), "id"),
                           json_object_get(json_array_get(threads, k), "id")))
                sarif_wrong(check, "two threadFlows with one id");
        }
    }
}

static inline void sarif_check_result(struct sarif_check *check, const json_t *rules, const json_t *result) {
    const json_t *index = json_object_get(result, "ruleIndex"), *related, *flow;
    size_t i;
    if (index && !json_equal(json_object_get(json_array_get(rules, (size_t)json_integer_value(index)), "id"),
                             json_object_get(result, "ruleId")))
        sarif_wrong(check, "ruleIndex and ruleId differ");
    json_array_foreach(json_object_get(result, "relatedLocations"), i, related) {
        const json_t *id = json_object_get(related, "id");
        if (id && sarif_with_id(result, json_integer_value(id)) != 1)
            sarif_wrong(check, "an id is not unique");
    }
    json_array_foreach(json_object_get(result, "codeFlows"), i, flow) sarif_check_flows(check, flow);
    sarif_check_messages(check, result, result);
}

static inline void sarif_check_run(struct sarif_check *check, const json_t *run) {
    const json_t *driver = json_object_get(json_object_get(run, "tool"), "driver"), *result;
    const char *key;
    json_t *base;
    size_t i;
    json_object_foreach((json_t *)check->bases, key, base) {
        const char *uri = json_string_value(json_object_get(base, "uri"));
        if (!uri || uri[strlen(uri) - 1] != '/') sarif_wrong(check, "%s does not end in /", key);
    }
    sarif_check_messages(check, NULL, driver);
    json_array_foreach(json_object_get(run, "results"), i, result)
        sarif_check_result(check, json_object_get(driver, "rules"), result);
}

static inline struct sarif_check sarif_check_log(const json_t *log) {
    const json_t *run = json_array_get(json_object_get(log, "runs"), 0);
    struct sarif_check check = {.bases = json_object_get(run, "originalUriBaseIds")};
    sarif_check_object(&check, "log", log);
    sarif_check_run(&check, run);
    return check;
}

#endif
