/* What somebody may do with a part of a search that is not what it should be: take it, and carry on with whatever that
 * gave. For the unit test and the fuzzer; nothing may crash, and nothing run for ever. */
#ifndef RV_TESTS_PART_ATTACK_H
#define RV_TESTS_PART_ATTACK_H

#include "simulator.h"
#include "strategy/part.h"

static void attack(const char *strategy, bool divided, const struct sim_program *program, const void *data, size_t size) {
    static struct sim_knowledge knowledge;
    static struct sim_result result;
    static char buffer[1 << 20];
    struct sim_instance instance =
        divided ? sim_instance_divided(strategy, NULL) : sim_instance(strategy, 1, 0, 1, UINT64_MAX);
    const struct rv_division *parts = instance.strategy->division;
    bool left = parts->take(instance.state, 1, data, size);
    struct rv_part header = {0};
    if (left && size >= sizeof header) memcpy(&header, data, sizeof header);
    if (left && divided && header.kind == RV_PART_WAITS) {
        (void)parts->add(instance.state, data, size);
        left = parts->carry_on(instance.state);
    }
    for (int i = 0; i < 60 && left; i++) {
        sim_run(program, &knowledge, &instance, 0, &result);
        left = result.go_on;
        if (left && divided && i % 7 == 3) (void)parts->split(instance.state, buffer, sizeof buffer);
    }
    (void)parts->freeze(instance.state, buffer, sizeof buffer);
    if (divided) (void)parts->hand_in(instance.state, buffer, sizeof buffer);
    sim_instance_free(&instance);
}

#endif
