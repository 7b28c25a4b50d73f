#!/bin/bash
# migrated.sh BUILD STRUCTURE: `ravel migrate` for real: what it infers is what the answer key says (for the most part: bench/imunit
# measures how far), what it writes passes under `ravel test`, without the sleeps, and catches what the sleeping tests catch.
set -u
build=$(cd "$1" && pwd) structure=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$build/tests/sleep/migrated/$structure
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
cp "$here/$structure"/*.[ch] .
source=$(find . -name '*.c' ! -name "$structure.c")
"$build/bin/ravel" migrate --runs=2 --json=result.json --write "$source" -- \
    sh -c "'$here/build-one' '$work' '$source' ./program '$build/bin/ravel' cc && ./program" > out 2>&1 < /dev/null || {
    echo "ravel migrate: exit code $?"
    tail -n 40 out
    exit 1
}
"$build/bench/imunit-compare" --verbose --require=0.8 "$structure" "$here/$structure/$(basename "$source")" result.json || exit 1
"$here/enforced" "$build" "$structure" "$source" enforced
