#include "generate/results.h"

#include <string.h>

static bool is_pointer(const struct rv_parameter *parameter) { return strchr(parameter->item, '*') != NULL; }

static uint32_t room_of(int64_t argument) {
    return argument < 0 ? 0 : argument > 256 ? 256 : (uint32_t)argument;
}

uint32_t rv_values_of(const struct rv_method *method, const struct rv_case_call *call,
                      const struct rv_bytes *result, struct rv_value values[RV_MOST_VALUES]) {
    uint32_t count = 0, at = 0, size = 0;
    for (int i = -1; i < (int)method->count; i++) {
        const struct rv_parameter *parameter = i < 0 ? NULL : &method->parameters[i];
        if (i < 0) {
            if (method->result_kind == RV_RESULT_NONE || method->result_kind == RV_RESULT_OPAQUE) continue;
            size = method->result_kind == RV_RESULT_FLOAT && strcmp(method->result, "float") == 0 ? 4 : 8;
            if (strcmp(method->result, "long double") == 0) size = 16;
        } else if (parameter->kind == RV_PARAMETER_OUTPUT) {
            size = room_of(call->arguments[i]) * parameter->bytes;
        } else if (parameter->kind == RV_PARAMETER_RESULT) {
            size = is_pointer(parameter) ? 8 : parameter->bytes;
        } else {
            continue;
        }
        if (size > result->size - at) break;
        values[count++] = (struct rv_value){i, result->data + at, size};
        at += size;
    }
    return count;
}

static int64_t number_of(const struct rv_value *value, bool is_signed) {
    uint64_t number = 0;
    for (uint32_t i = 0; i < value->size && i < 8; i++) number |= (uint64_t)value->bytes[i] << 8 * i;
    if (is_signed && value->size < 8 && value->size > 0 && (number >> (8 * value->size - 1) & 1))
        number |= ~0ull << 8 * value->size;
    return (int64_t)number;
}

enum shape { NUMBER, UNSIGNED, TRUTH, REAL, POINTER, BYTES, ITEMS };

static enum shape shape_of(const struct rv_method *method, const struct rv_value *value) {
    const struct rv_parameter *parameter =
        value->parameter < 0 ? NULL : &method->parameters[value->parameter];
    const char *type = parameter ? parameter->item : method->result;
    if (parameter && parameter->kind == RV_PARAMETER_OUTPUT) return parameter->bytes == 1 ? BYTES : ITEMS;
    if (parameter ? is_pointer(parameter) : method->result_kind == RV_RESULT_POINTER) return POINTER;
    if (strcmp(type, "_Bool") == 0) return TRUTH;
    if (strcmp(type, "double") == 0 || strcmp(type, "float") == 0 || strcmp(type, "long double") == 0)
        return REAL;
    return strncmp(type, "unsigned", 8) == 0 ? UNSIGNED : NUMBER;
}

static void tell_pointer(struct rv_text *text, int64_t number) {
    if (number == 0)
        rv_text_add(text, "NULL");
    else if (number > 0 && number <= 8)
        rv_text_addf(text, "&addresses[%d]", (int)number - 1);
    else
        rv_text_add(text, number >= 100 ? "an object" : "a pointer");
}

static double real_of(const struct rv_value *value) {
    float small;
    double usual = 0;
    long double large;
    if (value->size == sizeof small) {
        memcpy(&small, value->bytes, sizeof small);
        return (double)small;
    }
    if (value->size == sizeof large) {
        memcpy(&large, value->bytes, sizeof large);
        return (double)large;
    }
    if (value->size == sizeof usual) memcpy(&usual, value->bytes, sizeof usual);
    return usual;
}

/* Octal, so that no digit that follows is taken in. */
static void add_bytes(struct rv_text *text, const unsigned char *bytes, uint32_t size) {
    rv_text_add(text, "\"");
    for (uint32_t i = 0; i < size; i++) {
        if (bytes[i] >= 32 && bytes[i] < 127 && bytes[i] != '"' && bytes[i] != '\\' && bytes[i] != '?')
            rv_text_addf(text, "%c", bytes[i]);
        else
            rv_text_addf(text, "\\%03o", bytes[i]);
    }
    rv_text_add(text, "\"");
}

/* Zeros at the end need not be shown. */
static uint32_t without_zeros(const struct rv_value *value) {
    uint32_t size = value->size;
    while (size > 0 && !value->bytes[size - 1]) size--;
    return size;
}

void rv_value_tell(struct rv_text *text, const struct rv_method *method, const struct rv_value *value) {
    switch (shape_of(method, value)) {
    case NUMBER: rv_text_addf(text, "%lld", (long long)number_of(value, true)); break;
    case UNSIGNED: rv_text_addf(text, "%llu", (unsigned long long)number_of(value, false)); break;
    case TRUTH: rv_text_add(text, number_of(value, false) ? "true" : "false"); break;
    case REAL: rv_text_addf(text, "%.17g", real_of(value)); break;
    case POINTER: tell_pointer(text, number_of(value, true)); break;
    case BYTES: add_bytes(text, value->bytes, without_zeros(value)); break;
    case ITEMS: {
        uint32_t item = method->parameters[value->parameter].bytes;
        rv_text_add(text, "{");
        for (uint32_t at = 0; at + item <= value->size && at < without_zeros(value); at += item) {
            struct rv_value one = {value->parameter, value->bytes + at, item};
            rv_text_addf(text, "%s%lld", at ? ", " : "",
                         (long long)number_of(&one, method->parameters[value->parameter].is_signed));
        }
        rv_text_add(text, "}");
        break;
    }
    }
}

void rv_value_compare(struct rv_text *text, const struct rv_method *method, const struct rv_value *value,
                      const char *name) {
    switch (shape_of(method, value)) {
    case NUMBER:
    case REAL:
        rv_text_addf(text, "%s == ", name);
        rv_value_tell(text, method, value);
        break;
    case UNSIGNED:
        rv_text_addf(text, "%s == ", name);
        rv_value_tell(text, method, value);
        if (number_of(value, false) < 0) rv_text_add(text, "u");
        break;
    case TRUTH: rv_text_addf(text, "%s%s", number_of(value, false) ? "" : "!", name); break;
    case POINTER: {
        int64_t number = number_of(value, true);
        rv_text_addf(text, "%s %s ", name, number == 99 || number >= 100 ? "!=" : "==");
        tell_pointer(text, number == 99 || number >= 100 ? 0 : number);
        break;
    }
    case BYTES:
    case ITEMS:
        rv_text_addf(text, "memcmp(%s, ", name);
        add_bytes(text, value->bytes, value->size);
        rv_text_addf(text, ", %u) == 0", value->size);
        break;
    }
}

void rv_result_tell(struct rv_text *text, const struct rv_api *api, const struct rv_test *test, uint32_t call,
                    const struct rv_call *made) {
    const struct rv_case_call *one = &test->calls[call];
    const struct rv_method *method = &api->methods[one->method];
    struct rv_value values[RV_MOST_VALUES];
    rv_test_tell_call(text, api, test, one);
    if (!made || made->state != RV_CALL_RETURNED) return;
    uint32_t count = rv_values_of(method, one, &made->result, values);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = values[i].parameter < 0 ? "" : method->parameters[values[i].parameter].name;
        rv_text_addf(text, "%s%s = ", i ? ", " : *name ? ": " : "", name);
        rv_value_tell(text, method, &values[i]);
    }
}
