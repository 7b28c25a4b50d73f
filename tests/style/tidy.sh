#!/bin/sh
# tidy.sh CLANG_TIDY BUILD: no finding of the checks in .clang-tidy in the product's sources. All processors;
# a source file per process, for clang-tidy itself uses one.
set -eu
find src -name '*.c' -print0 |
    xargs -0 -n 4 -P "$(nproc)" "$1" -p "$2" --quiet --warnings-as-errors='*' 2>&1 |
    { ! grep -E 'error:|warning:|^Error' ; }
