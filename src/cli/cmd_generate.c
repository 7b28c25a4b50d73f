/* `ravel generate`: options, the hunt, and what it found. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/json_file.h"
#include "cli/options.h"
#include "cli/program_options.h"
#include "cli/terminal.h"
#include "generate/session.h"
#include "supervisor/util.h"

struct generate_values {
    const char *type, *spec, *json, *out;
    uint32_t engine;
    double time;
    uint64_t tests, seed;
    bool keep_going;
};

static int generate(int argc, char **argv);

#define ENGINES    "maptest|maptest-random|covcon|random"
#define AT(member) RV_AT(struct generate_values, member)
static const struct rv_option generate_options[] = {
    {"type", 0, RV_OPTION_STRING, AT(type), .argument = "NAME",
     .help = "the type to test (default: the one that most functions take)"},
    {"engine", 0, RV_OPTION_CHOICE, AT(engine), .argument = ENGINES, .help = "how tests are chosen"},
    {"time", 0, RV_OPTION_SECONDS, AT(time), .argument = "SECONDS", .help = "at most so long (default 60)"},
    {"tests", 0, RV_OPTION_UINT, AT(tests), .argument = "N", .min = 1, .help = "at most N tests"},
    {"seed", 0, RV_OPTION_UINT, AT(seed), .argument = "N",
     .help = "two runs with the same seed make the same tests (default 1)"},
    {"keep-going", 'k', RV_OPTION_FLAG, AT(keep_going), .help = "look for more bugs after the first"},
    {"spec", 0, RV_OPTION_STRING, AT(spec), .argument = "FILE",
     .help = "what the header does not say (TOML)"},
    {"json", 0, RV_OPTION_STRING, AT(json), .argument = "FILE",
     .help = "the result as JSON; \"-\": standard output, and nothing else goes there"},
    {"out", 0, RV_OPTION_STRING, AT(out), .argument = "DIR",
     .help = "where tests and failures go (default .ravel/generated)"},
    RV_OPTION_END,
};

const struct rv_command rv_command_generate = {
    .name = "generate",
    .summary = "make and run tests for a thread-safe module",
    .usage = "[OPTIONS] HEADER.h SOURCE.c... [-- CFLAGS]",
    .description =
        "HEADER declares a type, functions that make and free it, and functions that take a pointer to it,\n"
        "which several threads may call at once. Tests are made from these, and executed under many\n"
        "schedules. What fails, or gives results that no order of the same calls gives, is a bug.\n",
    .options = generate_options,
    .interleaved = true,
    .run = generate,
};

static int finish(const struct rv_generated *result, const struct generate_values *values) {
    int status = result->bug_count ? RV_EXIT_FAILURE : RV_EXIT_FINE;
    if (!rv_is_standard(values->json)) {
        struct rv_print_options options = rv_terminal_options(stdout);
        rv_generated_print(result, stdout, &options);
    }
    if (values->json && !rv_json_write(rv_generated_json(result), values->json))
        status = rv_command_error(&rv_command_generate, "--json: %s: %s", values->json, strerror(errno));
    return status;
}

static int generate(int argc, char **argv) {
    struct generate_values values = {.time = 60, .seed = 1, .out = ".ravel/generated"};
    static const char *const engines[] = {"maptest", "maptest-random", "covcon",
                                          "random"}; /* as in ENGINES */
    int first;
    char *flags[] = {NULL}, **given = flags;
    int end = argc; /* of what is ours: behind "--" are flags for the compiler */
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            end = i;
            given = argv + i + 1;
            argv[i] = NULL;
            break;
        }
    int status = rv_options_parse(&rv_command_generate, &values, end, argv, &first);
    if (status != RV_OPTIONS_GO) return status;
    if (end - first < 1)
        return rv_usage_error(&rv_command_generate, "expected a header, then the sources of the module");
    if (values.json && !rv_file_writable(values.json))
        return rv_usage_error(&rv_command_generate, "--json: %s: %s", values.json, strerror(errno));
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return rv_command_error(&rv_command_generate, "/proc/self/exe: %s", strerror(errno));
    self[length] = '\0';
    struct rv_program_options about = RV_PROGRAM_DEFAULTS;
    about.max_steps = 20000;
    about.watchdog = 1;
    struct rv_config config = rv_program_config(&about, &(struct rv_program){.instrumented = true});
    config.workers = 1;
    config.coverage = RV_COVER_CONFLICTS;
    config.races = 1;
    struct rv_generate_request request = {.ravel = self,
                                          .header = argv[first],
                                          .type = values.type,
                                          .engine = engines[values.engine],
                                          .spec = values.spec,
                                          .out = values.out,
                                          .sources = argv + first + 1,
                                          .flags = given,
                                          .time = values.time,
                                          .tests = values.tests,
                                          .seed = values.seed,
                                          .keep_going = values.keep_going,
                                          .progress = isatty(2) ? stderr : NULL,
                                          .width = rv_terminal_options(stderr).width,
                                          .config = config};
    struct rv_generated result;
    char *message = NULL;
    rv_catch_interrupts();
    enum rv_generate_end how = rv_generate_run(&result, &request, &message);
    if (how == RV_GENERATE_WRONG)
        status = rv_usage_error(&rv_command_generate, "%s", message);
    else if (how == RV_GENERATE_BROKEN)
        status = rv_command_error(&rv_command_generate, "%s", message ? message : "interrupted");
    else {
        status = finish(&result, &values);
    }
    free(message);
    rv_generated_free(&result);
    return status;
}
