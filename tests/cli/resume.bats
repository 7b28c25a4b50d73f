#!/usr/bin/env bats
# Searches that are interrupted, and carried on with --resume.

load helper

setup() { in_own_directory; }

# value KEY: of result.json.
value() { sed -nE "s/^  \"$1\": ([^,]*),?$/\1/p" result.json; }
earlier() { sed -nE 's/^    "earlier": ([0-9]+),?$/\1/p' result.json; }

# Two threads count with atomic operations, COUNT each; a large count makes a large tree.
counters() { # COUNT
    cat > counters.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int counter;
static void *count(void *unused) {
    for (int i = 0; i < COUNT; i++) counter++;
    return unused;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, count, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
END
    compile counters -DCOUNT="$1"
}

search() { run -0 "$RAVEL" run --no-check --json=result.json "$@" ./counters; }

@test "dfs and dpor: the parts add up to the whole, over two interruptions" {
    counters 4
    for strategy in dfs dpor; do
        search --strategy=$strategy --schedules=1000000
        [ "$(value complete)" = true ]
        all=$(value schedules)
        [ "$all" -gt 60 ]
        search --strategy=$strategy --schedules=35
        [ "$(value complete)" = false ]
        search --strategy=$strategy --schedules=15 --resume
        has "after 35 earlier ones"
        [ "$(earlier)" = 35 ]
        search --strategy=$strategy --schedules=1000000 --resume
        has "after 50 earlier ones; complete: every schedule has been covered"
        [ "$(value complete)" = true ]
        [ "$(value schedules)" = $((all - 50)) ]
    done
}

@test "a bounded search is carried on, too" {
    counters 4
    for strategy in pcb:2 delay:2; do
        search --strategy=$strategy --schedules=1000000
        all=$(value schedules)
        search --strategy=$strategy --schedules=20
        search --strategy=$strategy --schedules=1000000 --resume
        [ "$(value schedules)" = $((all - 20)) ]
    done
}

@test "Ctrl-C, then --resume" {
    counters 7
    search --strategy=dpor --schedules=100000000
    all=$(value schedules)
    "$RAVEL" run --no-check --strategy=dpor --schedules=100000000 --json=result.json ./counters > out 2>&1 < /dev/null 3>&- &
    pid=$!
    worker_of $pid ./counters > /dev/null
    kill -INT $pid
    wait $pid || true
    [ "$(value stopped_by)" = '"interrupt"' ] || skip "it had ended before"
    first=$(value schedules)
    search --strategy=dpor --schedules=100000000 --resume
    [ "$(value complete)" = true ]
    [ "$(value schedules)" = $((all - first)) ]
}

@test "a search by several workers is carried on by one, and by several" {
    counters 6
    search --strategy=dpor --schedules=100000000
    all=$(value schedules)
    for jobs in 1 2; do
        search --strategy=dpor --jobs=2 --schedules=300
        search --strategy=dpor --jobs=$jobs --schedules=100000000 --resume
        has "complete: every schedule has been covered"
        [ $((300 + $(value schedules))) -ge "$all" ]
        [ $((300 + $(value schedules))) -le $((all + all / 20)) ]
    done
}

@test "a failure found before or after an interruption is the same" {
    lost_update
    run -0 "$RAVEL" run --no-check --strategy=dfs --schedules=1 ./lost_update
    run -1 "$RAVEL" run --no-check --strategy=dfs --resume ./lost_update
    has "assert: "
}

@test "nothing to resume: one line, exit 2" {
    counters 4
    run -2 --separate-stderr "$RAVEL" run --strategy=dpor --resume ./counters
    error_is "ravel run: --resume: no search of this build of ./counters was interrupted"
    search --strategy=dpor --schedules=20
    search --strategy=dpor --schedules=1000000 # the end of it
    run -2 --separate-stderr "$RAVEL" run --strategy=dpor --resume ./counters
    error_is "ravel run: --resume: no search of this build of ./counters was interrupted"
}

@test "other arguments, another strategy, other options, another build: one line, exit 2" {
    counters 4
    search --strategy=dpor --schedules=20
    other="ravel run: --resume: the search of ./counters that was interrupted had other arguments, another strategy or other options"
    run -2 --separate-stderr "$RAVEL" run --strategy=dpor --resume ./counters argument
    error_is "$other"
    run -2 --separate-stderr "$RAVEL" run --strategy=dfs --resume ./counters
    error_is "$other"
    run -2 --separate-stderr "$RAVEL" run --strategy=dpor --timing=strict --resume ./counters
    error_is "$other"
    counters 3
    run -2 --separate-stderr "$RAVEL" run --strategy=dpor --resume ./counters
    error_is "ravel run: --resume: no search of this build of ./counters was interrupted"
}

@test "strategies that cannot be carried on: one line, exit 2" {
    counters 3
    for strategy in auto random pct pos; do
        run -2 --separate-stderr "$RAVEL" run --strategy=$strategy --resume ./counters
        error_is "ravel run: --resume: a search by $strategy cannot be carried on (dpor, dfs, pcb and delay can)"
    done
    run -2 --separate-stderr "$RAVEL" run --strategy=dfs --jobs=2 --resume ./counters
    error_is "ravel run: --resume: dfs is carried on by one worker only (without --jobs)"
}

@test "a search that ends leaves no store behind" {
    counters 3
    search --strategy=dpor --schedules=1000000
    [ ! -e .ravel ]
}
