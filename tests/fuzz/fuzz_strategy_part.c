/* libFuzzer target for parts of searches (strategy/part.h): the first byte picks the strategy, the rest is a part, made to
 * pass for one as far as its sum goes. Seeds are not needed: the header is filled in. */
#include <stdlib.h>

#include "part_attack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const strategies[] = {"dpor", "dpor", "dpor", "dfs", "pcb:2", "delay:1"};
    static char part[1 << 16];
    if (size < 1 + sizeof(struct rv_part) || size > sizeof part) return 0;
    unsigned way = data[0] % 6;
    struct sim_program program = sim_rich_program(data[0] / 6, 3, 4);
    memcpy(part, data + 1, size - 1);
    struct rv_part *header = (struct rv_part *)(void *)part;
    header->kind = RV_PART_STACK + data[0] % 2;
    header->strategy = way < 3 ? RV_PART_DPOR : RV_PART_SEARCH;
    rv_part_seal(part, size - 1);
    attack(strategies[way], way < 2, &program, part, size - 1);
    return 0;
}
