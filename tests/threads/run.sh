#!/bin/sh
# run.sh SOURCE: a program of this folder says what must become of it, in lines of its opening comment:
#   fails: KIND: TEXT   ravel finds this failure (TEXT is an extended regular expression); else no schedule may fail,
#                       nor may the program fail when started by hand
#   schedules: N        so many instead of 200
#   also: FLAGS         and the same again, compiled with these flags
# Isolation is by memory, and nothing may be remarked: left to itself, ravel hides what is not restored by forking
# instead, and a failure that only happens after a restore by not reporting it.
set -eu
source=$1
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
case $source in *.cc) compiler="c++" ;; *) compiler="cc" ;; esac
said() { sed -n "1,8s|^[ /*]*$1: \(.*\)|\1|p" "$source" | sed 's| *\*/$||'; }
schedules=$(said schedules)

must_pass() {
    "$directory/program"
    for strategy in random pct:3 auto; do
        "$RAVEL" run --isolation=memory --schedules="${schedules:-200}" --strategy=$strategy "$directory/program" |
            tee "$directory/text"
        grep -q "^no failure in [1-9]" "$directory/text"
        if grep "^note: " "$directory/text"; then exit 1; fi
    done
}

must_fail() {
    status=0
    "$RAVEL" run --json="$directory/json" --out="$directory/failures" "$directory/program" >"$directory/text" 2>&1 ||
        status=$?
    wanted_kind=${1%%:*}
    wanted_text=${1#*:}
    wanted_text=${wanted_text# }
    if [ $status -ne 1 ] || ! grep -q "\"kind\": *\"$wanted_kind\"" "$directory/json" ||
        ! grep -Eq "\"message\": *\".*$wanted_text" "$directory/json"; then
        echo "expected: $1"
        cat "$directory/text" "$directory/json"
        exit 1
    fi
    for file in "$directory"/failures/*.ravel; do
        status=0
        "$RAVEL" replay "$file" >/dev/null || status=$?
        if [ $status -ne 1 ]; then
            echo "replay: exit status $status, expected 1"
            exit 1
        fi
    done
    echo "as expected: $1"
}

try() {
    # shellcheck disable=SC2086 # flags are words
    "$RAVEL" $compiler -g -O1 $1 -o "$directory/program" "$source"
    failure=$(said fails)
    if [ -n "$failure" ]; then must_fail "$failure"; else must_pass; fi
}

cd "$directory"
try ""
said also | while read -r flags; do try "$flags"; done
