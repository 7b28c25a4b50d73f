/* The one list of commands. */
#include <string.h>

#include "cli/command.h"

extern const struct rv_command rv_command_cc, rv_command_cxx, rv_command_run, rv_command_replay,
    rv_command_show, rv_command_strategies, rv_command_hapsets, rv_command_races, rv_command_test,
    rv_command_migrate, rv_command_generate, rv_command_record, rv_command_select, rv_command_regress,
    rv_command_cover, rv_command_model;

const struct rv_command *const rv_commands[] = {
    &rv_command_cc,
    &rv_command_cxx,
    &rv_command_run,
    &rv_command_races,
    &rv_command_test,
    &rv_command_migrate,
    &rv_command_generate,
    &rv_command_record,
    &rv_command_select,
    &rv_command_regress,
    &rv_command_replay,
    &rv_command_show,
    &rv_command_strategies,
    &rv_command_hapsets,
    &rv_command_cover,
    &rv_command_model,
    NULL,
};

const struct rv_command *rv_command_find(const char *name) {
    for (const struct rv_command *const *command = rv_commands; *command; command++)
        if (strcmp((*command)->name, name) == 0) return *command;
    return NULL;
}
