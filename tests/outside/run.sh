#!/bin/sh
# run.sh SOURCE: a program of this folder says what must become of it, in lines of its opening comment:
#   fails: KIND: TEXT   ravel finds this failure (TEXT is an extended regular expression), and replay shows it again
#   unusable: TEXT      ravel says that it cannot run the program, and why: exit code 3
#   says: TEXT          ravel notes this about the program
#   flags: FLAGS        to compile with
#   options: OPTIONS    for ravel run
#   isolation: memory   not with fork isolation
#   by hand: STATUS     what the program exits with when started by hand; 0 unless it fails
# Without `fails` and `unusable`, no schedule may fail, in any isolation, nor may the program when started by hand.
set -eu
source=$1
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
case $source in *.cc) compiler="c++" ;; *) compiler="cc" ;; esac
said() { sed -n "1,10s|^[ /*]*$1: \(.*\)|\1|p" "$source" | sed 's| *\*/$||'; }
failure=$(said fails)
unusable=$(said unusable)
note=$(said says)
options=$(said options)
by_hand=$(said "by hand")

stop() {
    echo "$1"
    cat "$directory/text"
    exit 1
}

# expect STATUS OPTIONS...
expect() {
    wanted=$1
    shift
    status=0
    # shellcheck disable=SC2086 # options are words
    "$RAVEL" run --out="$directory/failures" --json="$directory/json" $options "$@" ./program >"$directory/text" 2>&1 ||
        status=$?
    [ $status -eq "$wanted" ] || stop "exit status $status, expected $wanted: ravel run $options $*"
}

cd "$directory"
# shellcheck disable=SC2046 # flags are words
"$RAVEL" $compiler -g -O1 $(said flags) -o program "$source"
if [ -n "$failure" ]; then
    expect 1
    kind=${failure%%:*}
    text=${failure#*: }
    grep -q "\"kind\": *\"$kind\"" json || stop "not of this kind: $kind"
    grep -Eq "\"message\": *\".*$text" json || stop "not in the message: $text"
    for file in failures/*.ravel; do
        status=0
        "$RAVEL" replay "$file" >text 2>&1 || status=$?
        [ $status -eq 1 ] || stop "replay: exit status $status, expected 1"
    done
elif [ -n "$unusable" ]; then
    expect 3 --schedules=20
    grep -Eq "$unusable" text || stop "not said: $unusable"
else
    status=0
    ./program >text 2>&1 || status=$?
    [ $status -eq "${by_hand:-0}" ] || stop "by hand: exit status $status, expected ${by_hand:-0}"
    expect 0 --schedules=200 --strategy=random
    [ -z "$note" ] || grep -Eq "$note" text || stop "not said: $note"
    expect 0 --schedules=100 --strategy=pct:3 --timing=strict
    expect 0 --schedules=100 --isolation=memory
    [ "$(said isolation)" = memory ] || expect 0 --schedules=20 --isolation=fork
fi
