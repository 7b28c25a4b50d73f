/* The race of a failure as lines of its file. Private to the failure file's writer and reader. */
#ifndef RV_REPORT_RACE_FILE_H
#define RV_REPORT_RACE_FILE_H

#include "report/failure_scan.h"
#include "report/race.h"
#include "report/text.h"

void rv_race_add_text(struct rv_text *out, const struct rv_race_text *race);

struct rv_race_reader {
    struct rv_scan *scan;
    struct rv_race_text **race; /* made by the first line; the failure's to free */
    struct rv_race_side *side;  /* the last one, whose lines may come */
    bool first_seen, second_seen;
};
/* Whether a line with this keyword belongs to a race. */
bool rv_race_is_line(const char *keyword, size_t size);
/* What comes after the keyword. */
bool rv_race_read_line(struct rv_race_reader *reader, const char *keyword, size_t size);
/* At the end of the file: whether there is no race, or a whole one. */
bool rv_race_read_end(struct rv_race_reader *reader);

#endif
