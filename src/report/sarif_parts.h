/* What results of a SARIF log are made of; each function returns a new reference. For files of this room. */
#ifndef RV_REPORT_SARIF_PARTS_H
#define RV_REPORT_SARIF_PARTS_H

#include "report/sarif.h"
#include "report/text.h"

/* Untrusted text as part of a message: on one line, in valid UTF-8, and neither a link nor a placeholder. */
void rv_sarif_add(struct rv_text *message, const char *text);
/* {"text": ...}; takes over what is in `message`. */
json_t *rv_sarif_message(struct rv_text *message);
json_t *rv_sarif_words(const char *words);

/* {"uri", "uriBaseId"?} */
json_t *rv_sarif_artifact(const struct rv_sarif_roots *roots, const char *path);
/* NULL: nothing is known. */
json_t *rv_sarif_location(const struct rv_sarif_roots *roots, const struct rv_location *at);
/* `words`: untrusted. */
json_t *rv_sarif_stack(const struct rv_sarif_roots *roots, const struct rv_stack_text *stack, uint32_t thread,
                       const char *words);

/* How a thread came to where it is. */
struct rv_sarif_walk {
    const char *id;   /* unlike those of other threads */
    const char *name; /* of the thread, in words */
    const char *end;  /* what it does there, in words */
    const char *kind; /* SARIF's word for that: "memory", "lock" */
    const struct rv_stack_text *stack;
    const struct rv_lock_text *locks; /* that it holds */
    unsigned lock_count;
};
/* A threadFlow; NULL if there is no stack. */
json_t *rv_sarif_flow(const struct rv_sarif_roots *roots, const struct rv_sarif_walk *walk);

/* sarif_prints.c: partialFingerprints */
json_t *rv_sarif_race_prints(const struct rv_race_text *race);
json_t *rv_sarif_deadlock_prints(const struct rv_deadlock_text *deadlock);

#endif
