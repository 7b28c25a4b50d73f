#!/usr/bin/env bash
# A program whose outcomes are written in its first comment, searched by those that can be complete: known.sh PROGRAM.c
#   options: of ravel run      prints: a line      fails: a kind of failure
set -u
source=$1 ravel=${RAVEL:?} bad=0
work=$(mktemp -d "${TMPDIR:-/tmp}/ravel-known.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" && "$ravel" cc -O0 -pthread "$source" -o program || exit 3
export LC_ALL=C
sed -n 's/^ \* prints: //p; s/^ \* fails: /F /p' "$source" | sort -u >want
read -ra options < <(sed -n 's/^ \* options: *//p' "$source")
for strategy in dfs dpor dpor-classic auto; do
    rm -rf out
    "$ravel" run --races=off --strategy=$strategy --keep-going --output=all --json=result.json --out=out "${options[@]}" ./program \
        >log 2>lines
    {
        grep -a '^S ' lines
        grep -o '"kind": *"[a-z-]*"' result.json | sed 's/.*"\([a-z-]*\)"$/F \1/'
    } | sort -u >got
    if ! diff want got || ! grep -q '"complete": *true' result.json; then
        echo "$strategy: that is the difference (<: the truth); or not complete:"
        tail -3 log
        bad=1
    fi
done
exit $bad
