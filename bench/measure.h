/* What the measurements share. Every figure that matters is a ratio of two measurements of this run, taken alternately and
 * each the best of several: what else the machine does disturbs both, and the best is disturbed least. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>

enum { REPEATS = 3 };

/* Where things are; set by main. */
struct bench {
    const char *ravel, *programs, *work; /* the command, the directory of sources, a scratch directory */
    bool failed;                         /* something could not be measured */
};
extern struct bench bench;

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Compiles a program of the directory of sources to NAME + suffix; ends the bench if that fails. */
void build(const char *compiler, const char *name, const char *suffix);
void build_with_ravel(const char *name);
/* One run of ravel: schedules per second, as it says itself. */
double rate(const char *options, const char *program);
/* Best wall-clock time of a command in the scratch directory, on one core; CPU time would do as well. */
double best_time(const char *command);
/* Bytes of the largest process of a command, all of its children included. */
double largest_process(const char *command);
double better(double a, double b);
/* Keeps a figure for the result file. */
void note(const char *group, const char *key, double value);
/* Prints what was reached beside what was asked (at least, or at most), and keeps both. */
void judge(const char *group, double ratio, double wanted, const char *what);
void judge_most(const char *group, double ratio, double wanted, const char *what);
/* Writes all that was kept; false: errno says why not. */
bool write_results(const char *path);

/* detection.c: race detection beside other tools. */
void detection(void);

#endif
