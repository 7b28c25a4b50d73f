#!/bin/bash
# keyed.sh BUILD STRUCTURE: the answer key says what the sleeps meant. With its events and without the sleeps all tests pass under
# `ravel test`, and catch what the sleeping ones catch. They pass in all orders that the key leaves open, or the first 300: a key
# that says too little would be found out by that.
set -u
build=$1 structure=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$build/tests/sleep/keyed/$structure
mkdir -p "$work"
for source in "$here/$structure"/*.c; do
    [ "$(basename "$source")" != "$structure.c" ] || continue
    "$build/bench/imunit-compare" --apply "$source" > "$work/keyed.c" || exit 1
    "$here/enforced" "$build" "$structure" "$work/keyed.c" "$work" || exit 1
    "$build/bin/ravel" test --explore --schedules=300 --out="$work/failures" "$work/$structure" > "$work/out" || {
        grep -A 5 '^FAIL' "$work/out"
        exit 1
    }
done
