#include "cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

static const struct rv_option no_options[] = {RV_OPTION_END};

/* Where the parser is. `dashed` is the option as the user wrote it, for messages. */
struct parse {
    const struct rv_command *command;
    char *values;
    char dashed[64];
};

static int unknown_option(struct parse *parse) {
    struct rv_suggestion suggestion = {.typed = parse->dashed + 2};
    if (parse->dashed[1] == '-') {
        for (const struct rv_option *option = parse->command->options; option && option->name; option++)
            rv_suggest_offer(&suggestion, option->name);
        rv_suggest_offer(&suggestion, "help");
    }
    if (suggestion.best)
        return rv_usage_error(parse->command, "unknown option '%s' (did you mean --%s?)", parse->dashed,
                              suggestion.best);
    return rv_usage_error(parse->command, "unknown option '%s' (see ravel %s --help)", parse->dashed,
                          parse->command->name);
}

static int store_uint(struct parse *parse, const struct rv_option *option, const char *text) {
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, hexadecimal ? 16 : 10);
    bool digits = text[0] >= '0' && text[0] <= '9' && *end == '\0';
    uint64_t max = option->max ? (uint64_t)option->max : UINT64_MAX;
    if (!digits || errno || value < (uint64_t)option->min || value > max) {
        if (option->max)
            return rv_usage_error(parse->command,
                                  "%s: expected a number from %" PRId64 " to %" PRId64 ", got '%s'",
                                  parse->dashed, option->min, option->max, text);
        return rv_usage_error(parse->command, "%s: expected a number of at least %" PRId64 ", got '%s'",
                              parse->dashed, option->min, text);
    }
    *(uint64_t *)(void *)(parse->values + option->offset) = value;
    return RV_OPTIONS_GO;
}

static int store_int(struct parse *parse, const struct rv_option *option, const char *text) {
    int64_t min = option->min, max = option->max;
    if (min == 0 && max == 0) {
        min = INT32_MIN;
        max = INT32_MAX;
    }
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    bool digits = (text[0] >= '0' && text[0] <= '9') || (text[0] == '-' && text[1] >= '0' && text[1] <= '9');
    if (!digits || *end != '\0' || errno || value < min || value > max)
        return rv_usage_error(parse->command,
                              "%s: expected a number from %" PRId64 " to %" PRId64 ", got '%s'",
                              parse->dashed, min, max, text);
    *(int32_t *)(void *)(parse->values + option->offset) = (int32_t)value;
    return RV_OPTIONS_GO;
}

static int store_seconds(struct parse *parse, const struct rv_option *option, const char *text) {
    bool plain = text[0] != '\0' && text[strspn(text, "0123456789.")] == '\0';
    char *end;
    double value = strtod(text, &end);
    if (!plain || *end != '\0' || end == text || !isfinite(value) || value <= 0)
        return rv_usage_error(parse->command, "%s: expected a positive number of seconds, got '%s'",
                              parse->dashed, text);
    *(double *)(void *)(parse->values + option->offset) = value;
    return RV_OPTIONS_GO;
}

static int store_string(struct parse *parse, const struct rv_option *option, const char *text) {
    if (text[0] == '\0')
        return rv_usage_error(parse->command, "%s: expected %s, got nothing", parse->dashed,
                              option->argument);
    const char *wrong = option->check ? option->check(text) : NULL;
    if (wrong) return rv_usage_error(parse->command, "%s: %s", parse->dashed, wrong);
    *(const char **)(void *)(parse->values + option->offset) = text;
    return RV_OPTIONS_GO;
}

static int store_choice(struct parse *parse, const struct rv_option *option, const char *text) {
    size_t size = strlen(text);
    uint32_t index = 0;
    for (const char *word = option->argument;; index++) {
        size_t length = strcspn(word, "|");
        if (length == size && memcmp(word, text, size) == 0) {
            *(uint32_t *)(void *)(parse->values + option->offset) = index;
            return RV_OPTIONS_GO;
        }
        if (word[length] == '\0') break;
        word += length + 1;
    }
    return rv_usage_error(parse->command, "%s: expected %s, got '%s'", parse->dashed, option->argument, text);
}

static int store(struct parse *parse, const struct rv_option *option, const char *text) {
    switch (option->type) {
    case RV_OPTION_FLAG: *(bool *)(void *)(parse->values + option->offset) = true; return RV_OPTIONS_GO;
    case RV_OPTION_UINT: return store_uint(parse, option, text);
    case RV_OPTION_INT: return store_int(parse, option, text);
    case RV_OPTION_SECONDS: return store_seconds(parse, option, text);
    case RV_OPTION_STRING: return store_string(parse, option, text);
    case RV_OPTION_CHOICE: return store_choice(parse, option, text);
    }
    abort(); /* a table with a type that is none */
}

/* Handles the option at argv[*at] (and its value, then *at points at that). */
static int parse_one(struct parse *parse, int argc, char **argv, int *at) {
    const char *text = argv[*at];
    bool is_long = text[1] == '-';
    const char *name = text + (is_long ? 2 : 1);
    size_t size = is_long ? strcspn(name, "=") : 1;
    const char *value = NULL; /* attached to the option */
    if (is_long && name[size] == '=')
        value = name + size + 1;
    else if (!is_long && name[1] != '\0')
        value = name + 1;
    snprintf(parse->dashed, sizeof parse->dashed, "%.*s", (int)(size + (is_long ? 2 : 1)), text);

    if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
        rv_command_help(parse->command);
        return RV_EXIT_FINE;
    }
    const struct rv_option *option = parse->command->options ? parse->command->options : no_options;
    for (; option->name; option++)
        if (is_long ? strlen(option->name) == size && memcmp(option->name, name, size) == 0
                    : option->letter == name[0])
            break;
    if (!option->name) return unknown_option(parse);
    if (option->type == RV_OPTION_FLAG) {
        if (value) return rv_usage_error(parse->command, "%s takes no value", parse->dashed);
    } else if (!value && option->otherwise) {
        value = option->otherwise;
    } else if (!value) {
        if (*at + 1 >= argc)
            return rv_usage_error(parse->command, "%s: expected %s", parse->dashed, option->argument);
        value = argv[++*at];
    }
    return store(parse, option, value);
}

int rv_options_parse(const struct rv_command *command, void *values, int argc, char **argv, int *first) {
    struct parse parse = {.command = command, .values = values};
    char **operands = calloc((size_t)argc + 1, sizeof *operands);
    if (!operands) return rv_command_error(command, "out of memory");
    int operand_count = 0, at = 1, status = RV_OPTIONS_GO;
    for (; at < argc; at++) {
        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        if (argv[at][0] == '-' && argv[at][1] != '\0') {
            status = parse_one(&parse, argc, argv, &at);
            if (status != RV_OPTIONS_GO) break;
        } else if (command->interleaved) {
            operands[operand_count++] = argv[at];
        } else {
            break;
        }
    }
    /* The operands met on the way go right before the rest: their places are those of options read. */
    *first = at - operand_count;
    if (operand_count) memcpy(argv + *first, operands, (size_t)operand_count * sizeof *operands);
    free(operands);
    return status;
}

void rv_options_print(const struct rv_option *options) {
    enum { COLUMN = 30 };
    for (const struct rv_option *option = options; option->name; option++) {
        int width = option->letter ? printf("  -%c, --%s", option->letter, option->name)
                                   : printf("  --%s", option->name);
        if (option->argument) width += printf(option->otherwise ? "[=%s]" : "=%s", option->argument);
        if (width > COLUMN - 2) width = printf("\n") - 1;
        for (const char *line = option->help; line;) {
            size_t size = strcspn(line, "\n");
            printf("%*s%.*s\n", COLUMN - width, "", (int)size, line);
            width = 0;
            line = line[size] ? line + size + 1 : NULL;
        }
    }
    printf("  -h, --help%*s%s\n", COLUMN - 12, "", "this text");
}
