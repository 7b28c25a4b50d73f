#!/bin/bash
# Checks a subject of bench/maptest; its README.md explains the files.
#
#   run.sh DIRECTORY       one of bench/maptest/subjects or subjects-correct
#
#   RAVEL_BUILD    build directory with bin/ravel; RAVEL overrides the command itself
#   RAVEL_KEEP     a directory to work in and to leave behind
#   SCHEDULES      random ones for what must not fail (default 20000)
#
# With a bug:  the truth names lines, functions and calls that exist, and a patch that applies; one schedule passes, many find the
#              bug as the kind that the truth says; races are found if it says so, and only then.
# Fixed, or without a bug: a search up to equivalence ends without a failure, random schedules (SCHEDULES) have none, and
#              `ravel races` finds nothing.
# Of all, each variant with one lock less compiles. Exit: 0 as expected, 1 not, 2 the request was wrong.
set -u
subject=$(cd "${1:?usage: run.sh DIRECTORY}" && pwd) || exit 2
name=$(basename "$subject")
maptest=$(cd "$subject/../.." && pwd)
build=${RAVEL_BUILD:-$maptest/../../build}
ravel=${RAVEL:-$build/bin/ravel}
schedules=${SCHEDULES:-20000}
if [ -n "${RAVEL_KEEP:-}" ]; then
    work=$RAVEL_KEEP/$name; rm -rf "$work"; mkdir -p "$work" || exit 2
else
    work=$(mktemp -d) || exit 2; trap 'rm -rf "$work"' EXIT
fi
cd "$work" || exit 2

wrong=0
complain() { echo "$name: $*" >&2; wrong=1; }
show() { sed 's/^/    | /' "$@" | head -n 30 >&2; }
truth() { sed -n "s/^$1: //p" "$subject/$name.truth"; }

compile() { # PROGRAM SOURCE
    "$ravel" cc -g -O1 -std=gnu17 -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror -pthread -I"$subject" -I"$maptest" \
        -o "$1" "$2" "$subject/$name.drive.c" > cc.log 2>&1 || { complain "$2 does not compile:"; show cc.log; exit 1; }
}

explore() { # PROGRAM OPTION...
    local program=$1
    shift
    rm -rf failures result.json
    timeout -k 5 300 "$ravel" run --fresh --json=result.json --out=failures "$@" "./$program" > run.out 2>&1 < /dev/null
}

# Of the failures: what is further in has kinds, too.
kinds() { sed -n 's/^      "kind": "\([^"]*\)".*/\1/p' result.json | sort -u | tr '\n' ' '; }

check_truth() {
    local kind line text known="assert segv deadlock use-after-free double-free heap-overflow nonlinearizable race"
    for kind in $(truth kind) $(truth also) $(truth drive); do
        [[ " $known " == *" $kind "* ]] || complain "truth: unknown kind $kind"
    done
    [ "$(truth kind | wc -w)" = 1 ] || complain "truth: one kind expected"
    [[ "$(truth pattern)" =~ ^([1-9]|1[0-7])$ ]] || complain "truth: pattern 1 to 17 expected"
    for text in $(truth methods); do grep -q "\b$text(" "$subject/$name.h" || complain "truth: no function $text"; done
    while read -r _ _ line text; do
        grep -qE "^[a-z].*\b${text%%:*}\(" "$subject/$name.c" || complain "truth: no function ${text%%:*}"
        sed -n "${line}p" "$subject/$name.c" | grep -qF -- "${text#*: }" || complain "truth: line $line is not: ${text#*: }"
    done < <(truth site)
    while read -r text; do
        grep -qF -- "$text" "$subject/$name.drive.c" || complain "truth: the driver does not: $text"
    done < <(truth setup; truth a; truth b; truth finally)
}

check_bug() {
    local status kind
    compile buggy "$subject/$name.c"
    explore buggy --races=off --strategy=dfs --schedules=1 || { complain "the first schedule fails:"; show run.out; }
    explore buggy -k --schedules=2000
    status=$?
    [ $status = 1 ] || { complain "exit $status, expected 1"; show run.out; }
    kind=$(kinds)
    [[ " $kind" == *" $(truth drive) "* ]] || complain "found: ${kind:-nothing}; expected $(truth drive)"
    case $(truth race)$kind in
    yes*race*) ;;
    no*race* | yes*) complain "found: $kind; races: $(truth race)" ;;
    esac
    for kind in $kind; do # a result that is wrong fails as an assertion of the driver
        [ "$kind" = assert ] && [[ " $(truth kind) $(truth also) " == *" nonlinearizable "* ]] && continue
        [[ " $(truth kind) $(truth also) " == *" $kind "* ]] || complain "$kind is not in the truth"
    done
    check_sites
}

# The failing execution goes through the sites in their order, one thread being a and one b, up to where it fails: with its last step, or,
# if it is a deadlock of two locks, its last two; who waits in vain for a condition has passed all.
check_sites() {
    local file missing=1
    [ "$(truth kind)" != deadlock ] || missing=$(($(truth site | wc -l) == 4 ? 2 : 0))
    for file in failures/"$(truth drive)"-*.ravel; do
        "$ravel" replay --trace "$file" > trace.out 2>&1
        truth site | awk -v file="/$name.c:" -v missing=$missing '
            FILENAME == "-" { who[++count] = $1; access[count] = $2; line[count] = $3; next }
            !/thread [0-9]+, step [0-9]+: / { next }
            {
                match($0, /thread [0-9]+/)
                thread = substr($0, RSTART + 7, RLENGTH - 7)
                operation = $0
                sub(/.*step [0-9]+: (atomic )?/, "", operation)
                reads = operation ~ /^(read|load|update) /
                writes = operation ~ /^(write|store|update|lock|free) /
                for (a = 1; a <= 2; a++) # thread 1 is a, or thread 2 is; one operation can be two steps
                    for (k = done[a] + 1; k <= count; k++) {
                        if ($0 !~ file line[k] "$" || thread != (who[k] == "a" ? a : 3 - a)) break
                        if (access[k] == "R" ? !reads : !writes) break
                        done[a] = k
                    }
            }
            END { exit done[1] + missing < count && done[2] + missing < count }' - trace.out && return
    done
    complain "no failing execution goes through the sites of the truth"
}

check_clean() { # PROGRAM
    explore "$1" --strategy=dpor --schedules=100000 || { complain "$1: dpor: exit $?"; show run.out; }
    grep -q '"complete": true' result.json || complain "$1: dpor has not come to an end"
    explore "$1" --strategy=random --schedules="$schedules" || { complain "$1: random: exit $?"; show run.out; }
    timeout -k 5 300 "$ravel" races --out=failures "./$1" > races.out 2>&1 < /dev/null ||
        { complain "$1: ravel races: exit $?"; show races.out; }
}

case $subject in
*/subjects/*)
    check_truth
    check_bug
    cp "$subject/$name.c" .
    patch -s -p1 "$name.c" "$subject/$name.fix.patch" || complain "the patch does not apply"
    compile fixed "$name.c"
    check_clean fixed
    ;;
*/subjects-correct/*)
    compile correct "$subject/$name.c"
    check_clean correct
    ;;
*) echo "run.sh: $subject: is no subject" >&2; exit 2 ;;
esac
"$maptest/mutate.sh" "$subject" variants > variants.out || complain "mutate.sh failed"
! grep -q _lock "$subject/$name.c" || [ "$(wc -l < variants.out)" -ge 4 ] || complain "too few variants"
[ $wrong = 0 ] && echo "$name: as expected, $(wc -l < variants.out) variants"
exit $wrong
