/* An execution with every kind of step, and a program, for tests of the file of traces: nothing in them is owned. */
#ifndef RV_TESTS_TRACE_SAMPLE_H
#define RV_TESTS_TRACE_SAMPLE_H

#include <string.h>

#include "report/trace_file.h"

enum { SAMPLE_NODES = 4 };

struct trace_sample {
    char *args[3];
    struct rv_trace_program program;
    struct rv_module modules[2];
    struct rv_record records[RV_STEP_KINDS];
    struct rv_stack_node nodes[SAMPLE_NODES];
    struct rv_trace_execution execution;
};

static inline void trace_sample_fill(struct trace_sample *sample) {
    memset(sample, 0, sizeof *sample);
    sample->args[0] = "two words";
    sample->args[1] = "\"\n\\\x01\xff";
    sample->program =
        (struct rv_trace_program){.program = "./queue", .args = sample->args, .build_id = "00ff"};
    for (unsigned i = 0; i < 2; i++) {
        struct rv_module *module = &sample->modules[i];
        strcpy(module->path, i ? "/lib/libc.so.6" : "/opt/my queue");
        module->base = i ? 0x7f0000000000 : 0;
        module->start = module->base + 0x1000;
        module->end = module->base + 0x9000;
        module->build_id_size = i ? 20 : 0;
        memset(module->build_id, i ? 0xa5 : 0, sizeof module->build_id);
    }
    for (unsigned kind = 0; kind < RV_STEP_KINDS; kind++) {
        bool names_thread = kind == RV_STEP_CREATE || kind == RV_STEP_JOIN;
        sample->records[kind] = (struct rv_record){
            .step = {.address = names_thread ? kind : 0xfffffffffffffff8 - kind,
                     .size = kind == RV_STEP_BARRIER ? 3 : 8,
                     .site = kind % 3 ? (uint64_t)(kind % 2) << 48 | (0x1000 + kind) : RV_CODE_UNKNOWN,
                     .thread = kind * 7,
                     .kind = (uint8_t)kind,
                     .order = (uint8_t)(kind % 6)},
            .stack = kind % 3,
            .number = kind ? kind : UINT32_MAX};
    }
    for (unsigned i = 1; i < SAMPLE_NODES; i++)
        sample->nodes[i] = (struct rv_stack_node){.code = 0x1100 + i, .parent = i / 2};
    sample->execution = (struct rv_trace_execution){.number = 1,
                                                    .records = sample->records,
                                                    .record_count = RV_STEP_KINDS,
                                                    .nodes = sample->nodes,
                                                    .node_count = SAMPLE_NODES};
}

#endif
