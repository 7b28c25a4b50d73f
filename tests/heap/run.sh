#!/bin/sh
# run.sh SOURCE.c: a program without an "expect:" line passes by hand and under 200 random schedules, plain and
# with fortified functions. One with "expect: KIND TEXT" fails under ravel with that kind and a message with that text.
set -e
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
name=$(basename "$1")
expected=$(sed -n 's/.*expect: *//p' "$1" | sed 's/ *\*\/.*//')
source=$(cd "$(dirname "$1")" && pwd)/$name
cd "$directory"
if [ -n "$expected" ]; then
    "$RAVEL" cc -g -O1 -o program "$source"
    status=0
    "$RAVEL" run --schedules=2000 --strategy=random --seed=1 ./program >output 2>&1 || status=$?
    cat output
    [ "$status" -eq 1 ]
    grep -q "${expected%% *}" output
    grep -qF "${expected#* }" output
    exit
fi
for options in "-O0" "-O2 -D_FORTIFY_SOURCE=2"; do
    # shellcheck disable=SC2086 # several options
    "$RAVEL" cc -g $options -o program "$source"
    ./program
    "$RAVEL" run --schedules=200 --strategy=random ./program
done
