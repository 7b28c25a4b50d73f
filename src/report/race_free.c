#include <stdlib.h>

#include "report/race.h"
#include "report/stacks.h"

static void free_thread(struct rv_race_thread *thread) {
    free(thread->name);
    rv_stack_free(&thread->created);
}

static void free_side(struct rv_race_side *side) {
    free_thread(&side->thread);
    rv_stack_free(&side->stack);
    for (unsigned i = 0; i < side->held_count; i++) {
        free(side->held[i].object);
        rv_stack_free(&side->held[i].acquired);
    }
    free(side->held);
}

void rv_race_free(struct rv_race_text *race) {
    free(race->variable);
    if (race->block) {
        free(race->block->description);
        rv_stack_free(&race->block->allocated);
        rv_stack_free(&race->block->released);
        free(race->block);
    }
    free_side(&race->first);
    free_side(&race->second);
    free(race->why);
    free(race->file);
    free(race->harm);
    free(race->harm_file);
    *race = (struct rv_race_text){0};
}

void rv_deadlock_free(struct rv_deadlock_text *deadlock) {
    for (unsigned i = 0; i < deadlock->wait_count; i++) {
        struct rv_deadlock_wait *wait = &deadlock->waits[i];
        free_thread(&wait->thread);
        free(wait->held);
        free(wait->wanted);
        rv_stack_free(&wait->held_at);
        rv_stack_free(&wait->wanted_at);
    }
    free(deadlock->waits);
    free(deadlock->file);
    *deadlock = (struct rv_deadlock_text){0};
}
