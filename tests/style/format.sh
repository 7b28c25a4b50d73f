#!/bin/sh
# format.sh CLANG_FORMAT: every C file of the repository is formatted as .clang-format says.
# tests/cc/ holds other people's build systems in small, tests/sleep/ their libraries: left as such projects come.
set -eu
find src include tests examples bench -name '*.[ch]' -not -path 'tests/cc/*' -not -path 'tests/sleep/*/*' -print0 |
    xargs -0 "$1" --dry-run --Werror
