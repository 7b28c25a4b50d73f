#!/bin/sh
# run.sh SOURCE.c: the program must pass by hand, under 200 random schedules in one process, and with each
# execution in a process of its own; without a word about executions that differ. Few descriptors are allowed, so
# that leaking them is seen.
set -e
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"$RAVEL" cc -g -O1 -o "$directory/program" "$1"
cd "$directory"
./program </dev/null
ulimit -S -n 128
for isolation in memory fork; do
    "$RAVEL" run --schedules=200 --strategy=random --isolation=$isolation ./program </dev/null >said 2>&1 || {
        cat said
        exit 1
    }
    cat said
    grep -q "^no failure in 200 schedules (random, seed 1, $isolation isolation)" said
    if grep -Eq '^note: (a failure|executions)|nondeterminism' said; then exit 1; fi
done
