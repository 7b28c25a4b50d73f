#!/bin/sh
# run.sh SOURCE.c: the program must pass by hand and under 200 random schedules, with and without spurious
# wake-ups.
set -e
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"$RAVEL" cc -g -O1 -o "$directory/program" "$1"
cd "$directory"
./program
"$RAVEL" run --schedules=200 --strategy=random ./program
"$RAVEL" run --schedules=200 --strategy=random --spurious ./program
