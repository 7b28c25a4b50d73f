/* The text of the harness. What is not the module's is kept out of the schedule: functions marked QUIET are not instrumented, and
 * what they share between threads is no point. Calls themselves are instrumented, so that reports show them.
 *
 * Results are bytes in the order of the parameters, the return value first:
 *   numbers as 8 bytes; memory that was written as it is; pointers as 8 bytes: 0 NULL, n the n-th of our own addresses, 100 + n
 *   the n-th object, 99 any other
 */
#include "generate/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "migrate/command.h"
#include "report/text.h"
#include "report/whole_file.h"

static const char head[] =
    "#include <pthread.h>\n"
    "#include <stdbool.h>\n"
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#define QUIET __attribute__((no_sanitize_thread, noinline))\n"
    "struct case_header { uint64_t magic, harness; uint32_t size, objects, calls, orders, threads, results; };\n"
    "struct call { uint16_t method; uint8_t phase, thread; uint32_t reserved; int64_t a[8]; };\n"
    "struct result { uint32_t size; unsigned char data[2048]; };\n"
    "extern const void *ravel__case(const char *path, uint32_t *size, uint64_t *number);\n"
    "extern void ravel__case_called(uint32_t call);\n"
    "extern void ravel__case_returned(uint32_t call, const void *result, uint32_t size);\n"
    "extern void ravel__case_over(void);\n"
    "static const unsigned char bytes[256] = \"abcdefghijklmnopqrstuvwxyz0123456789\";\n"
    "static char addresses[8];\n"
    "QUIET static void put(struct result *r, const void *from, size_t size) {\n"
    "    if (size > sizeof r->data - r->size) size = sizeof r->data - r->size;\n"
    "    for (size_t i = 0; i < size; i++) r->data[r->size++] = ((const unsigned char *)from)[i];\n"
    "}\n"
    "QUIET static void put_number(struct result *r, int64_t number) { put(r, &number, sizeof number); }\n"
    "QUIET static void *address(int64_t n) { return n < 0 ? NULL : &addresses[n & 7]; }\n"
    "QUIET static size_t room(int64_t n) { return n < 0 ? 0 : n > 256 ? 256 : (size_t)n; }\n";

static const char tail[] =
    "struct thread { const struct case_header *header; const struct call *calls; uint32_t number; };\n"
    "/* The case is not memory of the program: it is read word by word, never by a call of memcpy. */\n"
    "QUIET static void take(struct call *to, const volatile struct call *from) {\n"
    "    to->method = from->method;\n"
    "    for (int i = 0; i < 8; i++) to->a[i] = from->a[i];\n"
    "}\n"
    "QUIET static void make(const struct call *calls, uint32_t i) {\n"
    "    struct call own;\n"
    "    struct result r;\n"
    "    take(&own, &calls[i]);\n"
    "    r.size = 0;\n"
    "    if (own.method >= METHODS) exit(2);\n"
    "    ravel__case_called(i);\n"
    "    methods[own.method](&own, &r);\n"
    "    ravel__case_returned(i, r.data, r.size);\n"
    "}\n"
    "QUIET static void *run(void *argument) {\n"
    "    const struct thread *self = argument;\n"
    "    for (uint32_t i = 0; i < self->header->calls; i++)\n"
    "        if (self->calls[i].phase == 1 && self->calls[i].thread == self->number) make(self->calls, i);\n"
    "    return NULL;\n"
    "}\n"
    "QUIET int main(int argc, char **argv) {\n"
    "    uint32_t size;\n"
    "    uint64_t number;\n"
    "    const struct case_header *header = ravel__case(argc > 1 ? argv[1] : NULL, &size, &number);\n"
    "    if (!header || header->harness != HARNESS || header->threads > 4) {\n"
    "        fputs(\"expected a file with a test for this module\\n\", stderr);\n"
    "        return 2;\n"
    "    }\n"
    "    const struct call *made = (const void *)(header + 1), *calls = made + header->objects;\n"
    "    for (uint32_t i = 0; i < header->objects; i++) {\n"
    "        if (made[i].method >= CONSTRUCTORS) return 2;\n"
    "        struct call own;\n"
    "        take(&own, &made[i]);\n"
    "        objects[i] = constructors[own.method](&own);\n"
    "        if (!objects[i]) return 0;\n"
    "    }\n"
    "    if (header->orders) {\n"
    "        const uint8_t *order = (const uint8_t *)(calls + header->calls) + number % header->orders * header->calls;\n"
    "        for (uint32_t i = 0; i < header->calls; i++)\n"
    "            if (order[i] < header->calls) make(calls, order[i]);\n"
    "        return 0;\n"
    "    }\n"
    "    for (uint32_t i = 0; i < header->calls; i++)\n"
    "        if (calls[i].phase == 0) make(calls, i);\n"
    "    pthread_t threads[4];\n"
    "    struct thread all[4];\n"
    "    for (uint32_t t = 0; t < header->threads; t++) {\n"
    "        all[t].header = header;\n"
    "        all[t].calls = calls;\n"
    "        all[t].number = t;\n"
    "        pthread_create(&threads[t], NULL, run, &all[t]);\n"
    "    }\n"
    "    for (uint32_t t = 0; t < header->threads; t++) pthread_join(threads[t], NULL);\n"
    "    for (uint32_t i = 0; i < header->calls; i++)\n"
    "        if (calls[i].phase == 2) make(calls, i);\n"
    "    ravel__case_over();\n"
    "    return 0;\n"
    "}\n";

static uint64_t hash_of(const char *text) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

char *rv_harness_callback(uint32_t type, uint32_t number) {
    return rv_text_format("%s_%u", number == 0 ? "note" : "call_back", type);
}

/* ---- callbacks ---- */

static bool is_simple(const struct rv_method *method) {
    if (!method->observes || method->role != RV_ROLE_METHOD) return false;
    for (uint32_t i = 0; i < method->count; i++) {
        enum rv_parameter_kind kind = method->parameters[i].kind;
        if ((int)i != method->object && kind != RV_PARAMETER_INTEGER && kind != RV_PARAMETER_ENUM)
            return false;
    }
    return true;
}

/* The call that a callback makes into the module; NULL: there is nothing simple enough. */
static char *call_back(const struct rv_api *api, const char *object) {
    for (uint32_t m = 0; m < api->count; m++) {
        const struct rv_method *method = &api->methods[m];
        if (!is_simple(method)) continue;
        struct rv_text text = {0};
        rv_text_addf(&text, "(void)%s(", method->name);
        for (uint32_t i = 0; i < method->count; i++)
            rv_text_addf(&text, "%s%s", i ? ", " : "", (int)i == method->object ? object : "0");
        rv_text_add(&text, ");");
        return rv_text_take(&text);
    }
    return NULL;
}

void rv_harness_callbacks(const struct rv_api *api, const char *object,
                          bool (*wanted)(void *, uint32_t, uint32_t), void *user, void *to) {
    struct rv_text *text = to;
    for (uint32_t c = 0; c < api->callback_count; c++)
        for (uint32_t n = 0; n < RV_CALLBACKS; n++) {
            const struct rv_callback *callback = &api->callbacks[c];
            if (wanted && !wanted(user, c, n)) continue;
            char *name = rv_harness_callback(c, n), *inner = NULL, parameter[16] = "";
            if (callback->object >= 0) (void)snprintf(parameter, sizeof parameter, "p%d", callback->object);
            if (n == 1) inner = call_back(api, *parameter ? parameter : object);
            rv_text_addf(text, "static %s %s(", callback->result, name);
            for (uint32_t i = 0; i < callback->count; i++)
                rv_text_addf(text, "%s__typeof__(%s) p%u", i ? ", " : "", callback->types[i], i);
            rv_text_addf(text, "%s) {", callback->count ? "" : "void");
            for (uint32_t i = 0; i < callback->count; i++) rv_text_addf(text, " (void)p%u;", i);
            if (inner) rv_text_addf(text, " %s", inner);
            rv_text_addf(text, "%s }\n",
                         callback->number    ? " return 0;"
                         : callback->pointer ? " return NULL;"
                                             : "");
            free(inner);
            free(name);
        }
}

/* ---- calls ---- */

static void add_pool(struct rv_text *text, const struct rv_api *api) {
    rv_text_addf(text, "static const char *const strings[%u] = {", api->string_count + 1);
    for (uint32_t i = 0; i < api->string_count; i++) {
        rv_text_add(text, i ? ", " : "");
        rv_text_add_quoted(text, api->strings[i], strlen(api->strings[i]));
    }
    rv_text_addf(
        text,
        "};\nQUIET static const char *string(int64_t n) { return n < 0 || n >= %u ? NULL : strings[n]; }\n",
        api->string_count);
    rv_text_addf(text, "static %s *objects[4];\n", api->type);
    rv_text_addf(text, "QUIET static %s *object(int64_t n) { return n < 0 ? NULL : objects[n & 3]; }\n",
                 api->type);
    rv_text_add(text,
                "QUIET static void put_pointer(struct result *r, const volatile void *pointer) {\n"
                "    int64_t n = pointer ? 99 : 0;\n"
                "    for (int i = 0; i < 8; i++) if (pointer == &addresses[i]) n = i + 1;\n"
                "    for (int i = 0; i < 4; i++) if (pointer && pointer == (void *)objects[i]) n = 100 + i;\n"
                "    put_number(r, n);\n"
                "}\n");
}

static bool is_untyped(const struct rv_parameter *parameter) { return strcmp(parameter->item, "void") == 0; }

/* What must be there before the call. */
static void add_local(struct rv_text *text, const struct rv_parameter *p, uint32_t i) {
    const char *item = is_untyped(p) ? "char" : p->item;
    switch (p->kind) {
    case RV_PARAMETER_INPUT:
        if (p->bytes == 1)
            rv_text_addf(text, "    const void *in%u = c->a[%u] < 0 ? NULL : bytes;\n", i, i);
        else
            rv_text_addf(text,
                         "    static const __typeof__(%s) some%u[256] = {1, 2, 3, 4, 5, 6, 7, 8};\n"
                         "    const void *in%u = c->a[%u] < 0 ? NULL : some%u;\n",
                         item, i, i, i, i);
        break;
    case RV_PARAMETER_OUTPUT:
        rv_text_addf(text,
                     "    __typeof__(%s) out%u[256];\n"
                     "    memset(out%u, 0, room(c->a[%u]) * sizeof *out%u);\n",
                     item, i, i, i, i);
        break;
    case RV_PARAMETER_RESULT:
        if (strchr(item, '*'))
            rv_text_addf(text, "    __typeof__(%s) out%u = NULL;\n", item, i);
        else
            rv_text_addf(text, "    __typeof__(%s) out%u = (__typeof__(%s))%s;\n", item, i, item,
                         strcmp(item, "_Bool") == 0 ? "0"
                         : p->bytes == 1            ? "0x5a"
                                                    : "0x5a5a");
        break;
    case RV_PARAMETER_OBJECT:
    case RV_PARAMETER_INTEGER:
    case RV_PARAMETER_ENUM:
    case RV_PARAMETER_FLOAT:
    case RV_PARAMETER_STRING:
    case RV_PARAMETER_LENGTH:
    case RV_PARAMETER_CALLBACK:
    case RV_PARAMETER_POINTER: break;
    }
}

static void add_argument(struct rv_text *text, const struct rv_parameter *p, uint32_t i) {
    switch (p->kind) {
    case RV_PARAMETER_OBJECT: rv_text_addf(text, "object(c->a[%u])", i); break;
    case RV_PARAMETER_INTEGER:
    case RV_PARAMETER_ENUM: rv_text_addf(text, "(__typeof__(%s))c->a[%u]", p->type, i); break;
    case RV_PARAMETER_FLOAT: rv_text_addf(text, "(__typeof__(%s))((double)c->a[%u] / 2)", p->type, i); break;
    case RV_PARAMETER_STRING: rv_text_addf(text, "string(c->a[%u])", i); break;
    case RV_PARAMETER_LENGTH: rv_text_addf(text, "(__typeof__(%s))room(c->a[%u])", p->type, i); break;
    case RV_PARAMETER_INPUT: rv_text_addf(text, "in%u", i); break;
    case RV_PARAMETER_OUTPUT: rv_text_addf(text, "c->a[%u] < 0 ? NULL : (void *)out%u", i, i); break;
    case RV_PARAMETER_RESULT: rv_text_addf(text, "c->a[%u] ? &out%u : NULL", i, i); break;
    case RV_PARAMETER_CALLBACK:
        rv_text_addf(text, "c->a[%u] < 0 ? NULL : c->a[%u] ? %s_%u : %s_%u", i, i, "call_back", p->callback,
                     "note", p->callback);
        break;
    case RV_PARAMETER_POINTER: rv_text_addf(text, "address(c->a[%u])", i); break;
    }
}

static void add_outputs(struct rv_text *text, const struct rv_method *method) {
    for (uint32_t i = 0; i < method->count; i++) {
        const struct rv_parameter *p = &method->parameters[i];
        if (p->kind == RV_PARAMETER_OUTPUT)
            rv_text_addf(text, "    put(r, out%u, room(c->a[%u]) * sizeof *out%u);\n", i, i, i);
        if (p->kind == RV_PARAMETER_RESULT && strchr(p->item, '*'))
            rv_text_addf(text, "    put_pointer(r, out%u);\n", i);
        else if (p->kind == RV_PARAMETER_RESULT)
            rv_text_addf(text, "    put(r, &out%u, sizeof out%u);\n", i, i);
    }
}

static void add_call(struct rv_text *text, const struct rv_method *method) {
    for (uint32_t i = 0; i < method->count; i++) add_local(text, &method->parameters[i], i);
    bool keeps = method->result_kind != RV_RESULT_NONE && method->result_kind != RV_RESULT_OPAQUE;
    bool makes = method->role == RV_ROLE_CONSTRUCTOR && !method->initialises;
    rv_text_addf(text, "    %s%s(",
                 makes                                          ? "made = "
                 : keeps && method->role != RV_ROLE_CONSTRUCTOR ? "__auto_type result = "
                                                                : "(void)",
                 method->name);
    for (uint32_t i = 0; i < method->count; i++) {
        if (i) rv_text_add(text, ", ");
        if (method->initialises && (int)i == method->object)
            rv_text_add(text, "made");
        else
            add_argument(text, &method->parameters[i], i);
    }
    rv_text_add(text, ");\n");
}

static void add_method(struct rv_text *text, const struct rv_method *method) {
    rv_text_addf(text,
                 "static void call_%s(const struct call *c, struct result *r) {\n    (void)c, (void)r;\n",
                 method->name);
    if (method->result_kind == RV_RESULT_NONE && method->role != RV_ROLE_CONSTRUCTOR) {
        for (uint32_t i = 0; i < method->count; i++) add_local(text, &method->parameters[i], i);
        rv_text_addf(text, "    %s(", method->name);
        for (uint32_t i = 0; i < method->count; i++) {
            if (i) rv_text_add(text, ", ");
            add_argument(text, &method->parameters[i], i);
        }
        rv_text_add(text, ");\n");
    } else {
        add_call(text, method);
    }
    if (method->result_kind == RV_RESULT_INTEGER) rv_text_add(text, "    put_number(r, (int64_t)result);\n");
    if (method->result_kind == RV_RESULT_FLOAT) rv_text_add(text, "    put(r, &result, sizeof result);\n");
    if (method->result_kind == RV_RESULT_POINTER) rv_text_add(text, "    put_pointer(r, result);\n");
    add_outputs(text, method);
    rv_text_add(text, "}\n");
}

static void add_constructor(struct rv_text *text, const struct rv_api *api, const struct rv_method *method) {
    rv_text_addf(text, "static %s *make_by_%s(const struct call *c) {\n    (void)c;\n    %s *made", api->type,
                 method->name, api->type);
    if (method->initialises) rv_text_add(text, " = calloc(1, sizeof *made);\n    if (!made) return NULL");
    rv_text_add(text, ";\n");
    add_call(text, method);
    rv_text_add(text, "    return made;\n}\n");
}

static bool is_called(const struct rv_method *method) {
    return method->role == RV_ROLE_METHOD || method->role == RV_ROLE_DESTRUCTOR;
}

char *rv_harness_text(const struct rv_api *api, const char *header, uint64_t *hash) {
    struct rv_text text = {0};
    rv_text_addf(&text, "/* Made by ravel generate for %s. */\n#include \"%s\"\n", api->short_name, header);
    rv_text_add(&text, head);
    add_pool(&text, api);
    rv_harness_callbacks(api, "object(0)", NULL, NULL, &text);
    for (uint32_t i = 0; i < api->count; i++) {
        if (api->methods[i].role == RV_ROLE_CONSTRUCTOR)
            add_constructor(&text, api, &api->methods[i]);
        else if (api->methods[i].role != RV_ROLE_UNUSED)
            add_method(&text, &api->methods[i]);
    }
    /* Both are numbered as in the list of all methods. */
    rv_text_add(&text, "static void none(const struct call *c, struct result *r) { (void)c, (void)r; }\n"
                       "static void (*const methods[])(const struct call *, struct result *) = {");
    for (uint32_t i = 0; i < api->count; i++)
        rv_text_addf(&text, "%s%s%s", i ? ", " : "", is_called(&api->methods[i]) ? "call_" : "none",
                     is_called(&api->methods[i]) ? api->methods[i].name : "");
    rv_text_addf(&text, "};\nstatic %s *nothing(const struct call *c) { (void)c; return NULL; }\n",
                 api->type);
    rv_text_addf(&text, "static %s *(*const constructors[])(const struct call *) = {", api->type);
    for (uint32_t i = 0; i < api->count; i++)
        rv_text_addf(&text, "%s%s%s", i ? ", " : "",
                     api->methods[i].role == RV_ROLE_CONSTRUCTOR ? "make_by_" : "nothing",
                     api->methods[i].role == RV_ROLE_CONSTRUCTOR ? api->methods[i].name : "");
    rv_text_addf(&text, "};\nenum { METHODS = %u, CONSTRUCTORS = %u };\n", api->count, api->count);
    *hash = hash_of(text.data);
    rv_text_addf(&text, "#define HARNESS 0x%llxu\n", (unsigned long long)*hash);
    rv_text_add(&text, tail);
    return rv_text_take(&text);
}

/* ---- the compiler ---- */

/* The linker says last, and in general, that it has failed. */
static char *what_is_wrong(const char *log) {
    static const char *const telling[] = {"undefined reference", "multiple definition", " error: "};
    size_t size;
    char *error = NULL, *text = rv_whole_file(log, 16u << 20, "output", &size, &error), *found = NULL;
    free(error);
    for (size_t i = 0; text && i < 3 && !found; i++) {
        char *at = strstr(text, telling[i]);
        if (!at) continue;
        while (at > text && at[-1] != '\n') at--;
        found = rv_text_copy_n(at, strcspn(at, "\n"));
    }
    free(text);
    return found ? found : rv_command_said(log);
}

bool rv_harness_build(const struct rv_build *build, const char *text_file, const char *program,
                      char **error) {
    size_t sources = 0, flags = 0, count = 0;
    while (build->sources[sources]) sources++;
    while (build->flags[flags]) flags++;
    char **words = rv_text_alloc(sources + flags + 16, sizeof *words);
    words[count++] = (char *)build->ravel;
    words[count++] = "cc";
    words[count++] = "-O1";
    words[count++] = "-g";
    words[count++] = "-I";
    words[count++] = (char *)build->include;
    for (size_t i = 0; i < flags; i++) words[count++] = build->flags[i];
    words[count++] = (char *)text_file;
    for (size_t i = 0; i < sources; i++) words[count++] = build->sources[i];
    words[count++] = "-pthread";
    words[count++] = "-o";
    words[count++] = (char *)program;
    const char *none = NULL;
    char *no_value = NULL;
    struct rv_command_run run = {
        .words = words, .names = &none, .values = &no_value, .output = build->log, .limit = 300};
    int status;
    enum rv_command_end end = rv_command_do(&run, &status);
    if (end != RV_COMMAND_PASSED) {
        char *said = what_is_wrong(build->log);
        *error = rv_text_format("the module does not build with tests for it: %s",
                                end == RV_COMMAND_FAILED ? said : "the compiler could not be run to its end");
        free(said);
    }
    free(words);
    return end == RV_COMMAND_PASSED;
}
