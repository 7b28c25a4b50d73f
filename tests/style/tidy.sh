#!/bin/sh
# tidy.sh CLANG_TIDY BUILD: no finding of the checks in .clang-tidy in the product's sources. All processors;
# some files per process, for clang-tidy itself uses one processor.
set -eu
findings=$(find src -name '*.c' -print0 |
    xargs -0 -n 10 -P "$(nproc)" "$1" -p "$2" --quiet --warnings-as-errors='*' 2>&1) || {
    echo "$findings" | grep -v 'warnings generated\.$'
    exit 1
}
