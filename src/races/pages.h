/* Memory for the detectors (struct rv_pages, analysis/step.h) that can be given back: mappings that cost nothing until
 * touched, kept in a list of their owner. One owner at a time: whoever calls a detector says before whose memory it is. */
#ifndef RV_RACES_PAGES_H
#define RV_RACES_PAGES_H

#include "analysis/step.h"

/* Zeroed: empty. */
struct rv_page_list {
    struct rv_reserved {
        void *memory;
        size_t size;
    } * reserved;
    size_t count, capacity;
};

extern const struct rv_pages rv_listed_pages;
void rv_pages_use(struct rv_page_list *list);
void rv_pages_give_back(struct rv_page_list *list);

#endif
