#include <stdlib.h>

#include "base/protocol.h"
#include "coverage/tell.h"
#include "report/printer.h"

char *rv_cover_place(const struct rv_cover_data *data, uint32_t statement) {
    const struct rv_cover_statement *it = &data->statements[statement];
    struct rv_text text = {0};
    if (*it->function) rv_text_addf(&text, "%s() ", it->function);
    rv_text_add(&text, rv_base_name(it->file));
    if (it->line) rv_text_addf(&text, ":%u", it->line);
    return rv_text_take(&text);
}

char *rv_cover_describe(const struct rv_cover_data *data, const struct rv_instance *instance) {
    struct rv_text text = {0};
    const struct rv_pattern *pattern = &rv_pattern_table[instance->pattern];
    rv_text_addf(&text, "%u  %s  x = %s", instance->pattern, rv_pattern_text(instance->pattern),
                 rv_cover_variable_name(data, instance->variables[0]));
    if (rv_pattern_is_wide(instance->pattern))
        rv_text_addf(&text, ", y = %s", rv_cover_variable_name(data, instance->variables[1]));
    for (unsigned i = 0; i < pattern->steps; i++) {
        char *place = rv_cover_place(data, instance->statements[i]);
        rv_text_addf(&text, "%s%s", i ? ", " : ": ", place);
        free(place);
    }
    return rv_text_take(&text);
}

unsigned rv_cover_hapset_growth(const struct rv_hapsets *sets, uint32_t growth[RV_COVER_GROWTH]) {
    unsigned count = 0;
    for (unsigned k = 0; k < RV_COVER_GROWTH; k++) growth[k] = 0;
    for (uint32_t i = 0; i < sets->members.count; i++) {
        uint64_t execution = rv_hapset_member_at(sets, i)->execution;
        unsigned k = 0;
        while (k + 1 < RV_COVER_GROWTH && execution >= UINT64_C(1) << k) k++;
        growth[k]++;
        if (k + 1 > count) count = k + 1;
    }
    for (unsigned k = 1; k < count; k++) growth[k] += growth[k - 1];
    return count;
}
