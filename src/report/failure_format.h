/* The text of a *.ravel file, version 1: what writer and reader share.
 *
 *     ravel-failure 1                     the first line, always
 *     KEYWORD FIELD...                    one thing a line; fields separated by one space
 *     end                                 the last line: a file without it was cut
 *
 * A field is a number (decimal, or 0x...), a word, or a text in double quotes with \" \\ \n \t \r \xHH.
 * Lines that belong to the one before are indented for the eye; spaces at the start mean nothing.
 *
 *     schedule 0@15 1@7 2!@30 0@end       runs: thread 0 goes on until its step 15, ...; ! means that its
 *                                         time-out expires first. Continued by more schedule lines
 *     choices 0*12 1 2                    answers to choices that are not about threads; N*K: K times N
 *     thread ID "NAME" "STATE" "OP" OWNER "OBJECT"    followed by its created, frame, held and acquired lines
 *     event THREAD "OP" STEP SIZE FLAGS VALUE WEIGHT "OBJECT"    followed by at, caller, decisive lines
 *     race "STATUS" PREDICTED SIGNATURE COUNT TRIES "VARIABLE" "WHY"    a data race; followed by these lines, of which
 *                                         race-first and race-second must be there, the others may
 *     race-first THREAD "NAME" CREATOR "KIND" "ORDER" SIZE    one side, followed by its race-frame, race-created, race-held
 *                                         and race-acquired lines; ORDER "" unless atomic
 *     race-second ...                     the other
 *     race-block ...                      as block, with race-allocated and race-released lines
 *     race-harm "HARM" "FILE"             what went wrong, and what replays that
 *     frame "FUNCTION" "FILE" LINE "SOURCE" "MODULE" OFFSET      also: at, caller, created, acquired, ...
 *
 * Numbers and texts of the head may come in any order but once each, and all of them must be there, apart from these:
 *     test "NAME"                         the test that was chosen; and "direct 1": it was called in place of main
 *     schedule-label "LABEL"              of its schedule of events, and
 *     plan "TEXT"                         that schedule, which a replay keeps to
 */
#ifndef RV_REPORT_FAILURE_FORMAT_H
#define RV_REPORT_FAILURE_FORMAT_H

#include <stddef.h>

#include "report/failure.h"

#define RV_FAILURE_HEADER "ravel-failure 1"

enum {
    RV_FILE_MAX = 64 << 20,  /* bytes */
    RV_FILE_TEXTS = 1 << 14, /* arguments, variables */
    RV_FILE_THREADS = 4096,
    RV_FILE_EVENTS = 1000,
    RV_FILE_FRAMES = 1024, /* per stack */
    RV_FILE_HELD = 64,
    RV_FILE_NONE = -1, /* in the file for RV_NO_THREAD */
};

enum rv_field_type {
    RV_FIELD_U32,
    RV_FIELD_I32,
    RV_FIELD_U64,
    RV_FIELD_I64,
    RV_FIELD_HEX64,
    RV_FIELD_TEXT,
    RV_FIELD_CHARS,
    RV_FIELD_THREAD
};

/* One field of struct rv_failure that is one line of the head. */
struct rv_failure_field {
    const char *keyword;
    enum rv_field_type type;
    size_t offset; /* in struct rv_failure */
    size_t size;   /* of a RV_FIELD_CHARS array */
    bool optional; /* left out where it says nothing (0, or the empty text) */
};
extern const struct rv_failure_field rv_failure_fields[];
extern const size_t rv_failure_field_count;

#endif
