#!/bin/sh
# driver.sh SOURCE.c [FLAG...]: a correct program over somebody else's lock-free headers, compiled with `ravel cc`.
# RACES=off: its authors' atomics are volatile accesses, which C11 calls data races, and so does ravel.
# It must pass by hand, at two levels of optimisation, and no schedule of any strategy may fail or go on for ever.
# --time bounds what the test costs: loops that wait in assembly are seen only by their CPU time.
set -eu
source=$1; shift
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
for level in -O0 -O2; do
    "$RAVEL" cc $level -g -pthread "$@" "$source" -o "program$level"
    timeout 60 "./program$level"
    for strategy in auto random pct pos; do
        "$RAVEL" run --races="${RACES:-report}" --schedules=1000 --time=3 --strategy=$strategy --json=result.json "./program$level"
        grep -q '"instrumented": *true' result.json || { echo "not seen as instrumented"; exit 1; }
        grep -q '"schedules": *[1-9]' result.json || { echo "no execution came to its end"; exit 1; }
        grep -q '"not_terminating": *0' result.json || { echo "executions were cut off"; exit 1; }
    done
done
