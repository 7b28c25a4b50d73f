/*
 * The test drivers of the subjects. A test is a command line of three scripts:
 *
 *     drive SETUP A B          put.1.10,put.2.20  get.1,size  remove.2
 *
 * SETUP is done first, by the main thread; then A and B, by two threads at once. A script is commands separated by commas, a
 * command is a name and its arguments, separated by dots; "-" is a script without commands.
 *
 * A driver defines drive_commands, drive_begin and drive_end, and includes this file. Exit: 0, or 2 if a script cannot be read.
 */
#ifndef SIMRT_DRIVE_H
#define SIMRT_DRIVE_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRIVE_ARGUMENTS = 4, DRIVE_STEPS = 64 };

/* What a command is called with. last is what the same script's commands leave for those that follow. */
typedef struct drive_call {
    void *subject;
    const char *name; /* of the command */
    const char *argument[DRIVE_ARGUMENTS];
    long *last;
} drive_call;

typedef struct drive_command {
    const char *name;
    int arguments;
    void (*call)(const drive_call *call);
} drive_command;

extern const drive_command drive_commands[]; /* the last one has no name */
void *drive_begin(void);
void drive_end(void *subject);

static inline int drive_number(const drive_call *call, int index) {
    return (int)strtol(call->argument[index], NULL, 10);
}

typedef struct drive_script {
    int count;
    long last;
    struct {
        const drive_command *command;
        drive_call call;
    } steps[DRIVE_STEPS];
} drive_script;

static drive_script drive_scripts[3];

static inline void drive_fail(const char *what, const char *text) {
    fprintf(stderr, "drive: %s: %s\n", what, text);
    exit(2);
}

static inline void drive_parse(drive_script *script, char *text, void *subject) {
    char *rest = NULL;
    if (strcmp(text, "-") == 0) return;
    for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        char *inner = NULL;
        const drive_command *command = drive_commands;
        const char *name = strtok_r(word, ".", &inner);
        while (command->name && name && strcmp(command->name, name) != 0) command++;
        if (!name || !command->name) drive_fail("unknown command", word);
        if (script->count == DRIVE_STEPS) drive_fail("too many commands, first one left out", word);
        drive_call *call = &script->steps[script->count].call;
        script->steps[script->count++].command = command;
        *call = (drive_call){.subject = subject, .name = command->name, .last = &script->last};
        for (int i = 0; i < command->arguments; i++) {
            call->argument[i] = strtok_r(NULL, ".", &inner);
            if (!call->argument[i]) drive_fail("too few arguments", name);
        }
    }
}

static inline void *drive_thread(void *argument) {
    drive_script *script = argument;
    for (int i = 0; i < script->count; i++) script->steps[i].command->call(&script->steps[i].call);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[2];
    if (argc != 4) drive_fail("three scripts expected: SETUP A B", "see drive.h");
    void *subject = drive_begin();
    for (int i = 0; i < 3; i++) drive_parse(&drive_scripts[i], argv[i + 1], subject);
    drive_thread(&drive_scripts[0]);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, drive_thread, &drive_scripts[i + 1]) != 0) abort();
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    drive_end(subject);
    return 0;
}

#endif
