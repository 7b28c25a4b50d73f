#include "supervisor/recorded.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/printer.h"
#include "report/symbolise.h"
#include "report/text.h"
#include "supervisor/trace_text.h"
#include "supervisor/util.h"

struct rv_schedule rv_recorded_schedule(const struct rv_failure *failure) {
    return (struct rv_schedule){.runs = failure->runs,
                                .run_count = failure->run_count,
                                .choices = failure->choices,
                                .choice_count = failure->choice_count};
}

static bool same_list(char *const *a, char *const *b) {
    for (; *a && *b; a++, b++)
        if (strcmp(*a, *b) != 0) return false;
    return !*a && !*b;
}

/* Where the recorded name leads from the recorded directory; malloc'ed, NULL: nowhere. */
static char *recorded_path(const struct rv_failure *failure) {
    if (failure->program[0] == '/') return realpath(failure->program, NULL);
    char *joined = rv_text_format("%s/%s", failure->cwd, failure->program);
    char *path = realpath(joined, NULL);
    free(joined);
    return path;
}

bool rv_recorded_of(const struct rv_failure *failure, const struct rv_program *program) {
    if (!same_list(failure->args, program->argv + 1)) return false;
    char *path = recorded_path(failure);
    bool same = path ? strcmp(path, program->path) == 0 : strcmp(failure->program, program->name) == 0;
    free(path);
    return same;
}

static char **copy_list(char *const *list) {
    size_t count = 0;
    while (list[count]) count++;
    char **copy = rv_allocate((count + 1) * sizeof *copy);
    for (size_t i = 0; i < count; i++) copy[i] = rv_text_copy(list[i]);
    return copy;
}

int rv_recorded_open(struct rv_program *program, const struct rv_failure *failure, char **error) {
    char *path = recorded_path(failure);
    struct stat status;
    bool there = path && stat(path, &status) == 0 && S_ISREG(status.st_mode);
    int code = rv_program_open(program, there ? path : failure->program, failure->args, error);
    if (code == 0) {
        /* What the program sees as its name, and what the report calls it, is what was recorded. */
        rv_text_set(&program->name, rv_text_copy(failure->program));
        rv_text_set(&program->argv[0], rv_text_copy(failure->program));
        program->env = copy_list(failure->env);
        if (there && stat(failure->cwd, &status) == 0 && S_ISDIR(status.st_mode))
            program->directory = rv_text_copy(failure->cwd);
    }
    free(path);
    return code;
}

static const struct rv_event *find_step(const struct rv_area *area, uint32_t thread, uint64_t step,
                                        enum rv_op op) {
    const struct rv_event *found = NULL;
    uint64_t count = rv_trace_count(area);
    for (uint64_t i = 0; i < count; i++) {
        const struct rv_event *event = &area->events[i];
        if (event->thread != thread || event->step != step) continue;
        if (event->op == op) return event; /* one step may be several events */
        if (!found) found = event;
    }
    return found;
}

char *rv_recorded_difference(const struct rv_failure *failure, const struct rv_area *area,
                             struct rv_symboliser *symbols) {
    for (unsigned i = 0; i < failure->event_count; i++) {
        const struct rv_trace_event *recorded = &failure->events[i];
        const struct rv_event *now = find_step(area, recorded->thread, recorded->step, recorded->op);
        if (now && now->op == recorded->op) continue;
        char *place = rv_describe_location(recorded->at.line ? &recorded->at : &recorded->caller);
        char *was = rv_text_format("thread %u, step %llu: %s%s%s, in %s", recorded->thread,
                                   (unsigned long long)recorded->step, rv_op_names[recorded->op],
                                   *recorded->object ? " of " : "", recorded->object, place);
        char *is =
            now ? rv_event_text(symbols, area, now) : rv_text_copy("nothing: the thread did not get there");
        char *text = rv_text_format("recorded: %s; now: %s", was, is);
        free(place);
        free(was);
        free(is);
        return text;
    }
    return NULL;
}
