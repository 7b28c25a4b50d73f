#!/bin/bash
# program.sh NAME: an unmodified program of Debian under 100 schedules; no failure, and what it wrote is right.
# These programs are not instrumented: scheduling points are at their synchronisation and descriptors.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

# Text that compresses, but not to nothing: LINES lines of numbers from a fixed sequence.
make_input() { awk -v n="$1" 'BEGIN { x = 1; for (i = 0; i < n; i++) { x = (x * 69069 + 5) % 4294967296; print i % 97, x } }' > input; }

schedules() {
    timeout 170 "$RAVEL" run --schedules=100 --json=result.json "$@"
    grep -q '"instrumented": *false' result.json || { echo "taken for an instrumented program"; exit 1; }
    grep -q '"schedules": *100' result.json || grep -q '"complete": *true' result.json ||
        { echo "not 100 schedules:"; cat result.json; exit 1; }
}

case $1 in
pigz)
    make_input 20000
    schedules pigz -p 2 -b 128 -k -f input
    gzip -dc input.gz | cmp - input
    ;;
pbzip2)
    make_input 20000
    schedules pbzip2 -p2 -b1 -k -f -q input
    bzip2 -dc input.bz2 | cmp - input
    ;;
zstd)
    make_input 80000
    schedules zstd -T2 -B524288 -1 -k -f -q input -o input.zst
    zstd -dcq input.zst | cmp - input
    ;;
xz)
    make_input 6000
    schedules xz -T2 --block-size=32KiB -0 -k -f input
    xz -dc input.xz | cmp - input
    ;;
sort)
    # Below 2 * 131072 lines sort uses one thread.
    seq 0 299999 | awk '{ print $1 * 7919 % 300007 }' > input
    LC_ALL=C sort --parallel=1 input > expected
    LC_ALL=C schedules sort --parallel=2 -S 50M input -o output
    cmp output expected
    ;;
*)
    echo "program.sh: unknown program $1" >&2
    exit 2
    ;;
esac
