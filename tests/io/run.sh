#!/bin/sh
# run.sh SOURCE.c: the program must pass by hand, under 200 random schedules in one process, and with each
# execution in a process of its own; without a word about executions that differ. Few descriptors are allowed, so
# that leaking them is seen. One whose name begins with fail_ must fail as its "Outcome: KIND" says, instead.
set -e
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"$RAVEL" cc -g -O1 -o "$directory/program" "$1"
expected=$(sed -n 's/.*Outcome: \([a-z-]*\).*/\1/p' "$1")
cd "$directory"
[ -n "$expected" ] || ./program </dev/null
# shellcheck disable=SC3045 # dash has it
ulimit -S -n 128

run() {
    "$RAVEL" run --schedules=200 --strategy=random --isolation=$isolation --json=result.json ./program </dev/null >said 2>&1
}

for isolation in memory fork; do
    rm -rf .ravel
    status=0
    run || status=$?
    cat said
    if [ -n "$expected" ]; then
        [ $status -eq 1 ]
        grep -q "\"kind\": *\"$expected\"" result.json
        continue
    fi
    [ $status -eq 0 ]
    grep -q "^no failure in 200 schedules (random, seed 1, $isolation isolation)" said
    if grep -Eq '^note: (a failure|executions)|nondeterminism' said; then exit 1; fi
done
