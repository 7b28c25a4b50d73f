#!/bin/sh
# scripts.sh SHELLCHECK: no finding in any script of the repository, which are the files that begin like this one.
set -eu
grep -rlE '^#!/bin/(ba)?sh' .ci scripts bench tests | xargs "$1"
