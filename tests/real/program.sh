#!/bin/bash
# program.sh NAME [ISOLATION]: an unmodified program of Debian under 100 schedules; no failure, and what it wrote is right,
# in each of them: the outputs of all executions follow one another, which compressed formats allow.
# These programs are not instrumented: scheduling points are at their synchronisation and descriptors.
set -eu
count=100
isolation=${2:-auto}
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

# Text that compresses, but not to nothing: LINES lines of numbers from a fixed sequence.
make_input() {
    awk -v n="$1" 'BEGIN {
        x = 1
        for (i = 0; i < n; i++) { x = (x * 69069 + 5) % 4294967296; print i % 97, x }
    }' > input
}

# Runs the program; what all executions wrote on standard output is in the file `all`.
schedules() {
    timeout 800 "$RAVEL" run --schedules=$count --isolation="$isolation" --output=all --max-steps=10000000 \
        --json=result.json "$@" 2> all ||
        { echo "exit $?"; tail -c 1000 all; exit 1; }
    grep -q '"instrumented": *false' result.json || { echo "taken for an instrumented program"; exit 1; }
    grep -q "\"schedules\": *$count" result.json || { echo "not $count schedules:"; cat result.json; exit 1; }
    grep -q '"not_terminating": *0' result.json || { echo "executions were cut off"; exit 1; }
}

# Standard input is this file as often as there were executions.
is_every_time() { cmp - <(for _ in $(seq $count); do cat "$1"; done); }

case $1 in
pigz)
    make_input 20000
    schedules pigz -p 2 -b 128 -c input
    gzip -dc < all | is_every_time input
    ;;
pbzip2)
    make_input 15000
    schedules pbzip2 -p2 -b1 -c -q input
    bzip2 -dc < all | is_every_time input
    ;;
zstd)
    make_input 80000
    schedules zstd -T2 -B524288 -1 -q -c input
    zstd -dcq < all | is_every_time input
    ;;
xz)
    make_input 6000
    schedules xz -T2 --block-size=32KiB -0 -c input
    xz -dc < all | is_every_time input
    ;;
sort)
    # Below 131072 lines sort uses one thread.
    seq 0 131999 | awk '{ print $1 * 7919 % 132001 }' > input
    LC_ALL=C sort --parallel=1 input > expected
    LC_ALL=C schedules sort --parallel=2 -S 50M input
    is_every_time expected < all
    ;;
*)
    echo "program.sh: unknown program $1" >&2
    exit 2
    ;;
esac
