#!/bin/sh
# output.sh SAY.c: --output decides how often each line of the program appears: never, once, or in every execution. The
# file that it writes holds what one execution writes, and stays when the run is over.
set -e
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"$RAVEL" cc -g -O1 -o "$directory/program" "$1"
cd "$directory"
for isolation in memory fork; do
    for way in discard:0 first:1 all:7; do
        "$RAVEL" run --strategy=random --schedules=7 --isolation=$isolation --output=${way%:*} ./program >said 2>&1
        for line in 'before' 'by printf' 'by write' 'to error' 'through a copy'; do
            times=$(grep -cx "$line" said || true)
            [ "$times" -eq "${way#*:}" ] || {
                echo "$isolation, --output=${way%:*}: '$line' $times times"
                exit 1
            }
        done
        [ "$(cat result)" = 'the result' ] || {
            echo "$isolation: the file holds: $(cat result)"
            exit 1
        }
    done
done
