#!/bin/bash
# Checks a subject of bench/simrt; its README.md explains the files.
#
#   run.sh DIRECTORY       one of bench/simrt/subjects
#
#   RAVEL_BUILD    build directory with bin/ravel and bench/simrt-figures
#   RAVEL_KEEP     a directory to work in and to leave behind
#   SAMPLE         so many tests of the suite are run on both versions, besides those that the truth names (default 8; "all")
#
# The suite is what the generator makes; the truth names lines that read as it says, tests that exist, and rules of impact; both
# versions build without a warning; each seeded race is real in the test that the truth names; and whatever is real in a test is in
# the truth: on the base only old races. Exit: 0 as expected, 1 not, 2 the request was wrong.
set -u
subject=$(cd "${1:?usage: run.sh DIRECTORY}" && pwd) || exit 2
name=$(basename "$subject")
simrt=$(cd "$subject/../.." && pwd)
build=${RAVEL_BUILD:-$simrt/../../build}
ravel=$build/bin/ravel
figures=$build/bench/simrt-figures
: "${SAMPLE:=8}"
if [ -n "${RAVEL_KEEP:-}" ]; then
    work=$RAVEL_KEEP/$name; rm -rf "$work"; mkdir -p "$work" || exit 2
else
    work=$(mktemp -d) || exit 2; trap 'rm -rf "$work"' EXIT
fi
cd "$work" || exit 2

wrong=0
complain() { echo "$name: $*" >&2; wrong=1; }
show() { sed 's/^/    | /' "$@" | head -n 30 >&2; }
truth() { sed -n "s/^$1: //p" "$subject/truth"; }

check_files() {
    local version place text key
    "$simrt/generate" "$subject" > generated || complain "no suite was made"
    diff generated "$subject/suite.txt" > suite.diff || { complain "suite.txt is not what suite.in says:"; show suite.diff; }
    text=$(wc -l < "$subject/suite.txt")
    ((text >= 100 && text <= 400)) || complain "$text tests, expected 100 to 400"
    text=$(truth race | wc -l)
    ((text >= 1 && text <= 6)) || complain "truth: $text seeded races, expected 1 to 6"
    while read -r version place text; do
        [ "$(sed -n "${place#*:}s/^ *//p" "$subject/$version/${place%:*}")" = "$text" ] ||
            [ "$(sed -n "${place#*:}p" "$subject/$version/${place%:*}")" = "$text" ] ||
            complain "truth: $version/$place is not: $text"
    done < <(truth code)
    while read -r key version _; do
        [[ $version = [1-5] ]] || complain "truth: race $key: rule 1 to 5 expected"
    done < <(truth race)
    while read -r key _; do
        truth race | grep -q "^$key " || complain "truth: no race $key"
    done < <(truth also)
    grep -vE '^(#.*|(race|also|old|code): .*)$' "$subject/truth" && complain "truth: lines that are none"
    # Each place that matters is in a code line, so that a line that has moved is noticed.
    {
        truth race | awk '{ print "changed", $4; print "changed", $5 }'
        truth also | awk '{ print "changed", $2 }'
        truth old | awk '{ print "base", $3; print "base", $4; print "changed", $5; print "changed", $6 }'
    } | sort -u > places
    truth code | cut -d' ' -f1,2 | sort -u > coded
    comm -23 places coded > uncoded
    [ ! -s uncoded ] || { complain "truth: places without a code line:"; show uncoded; }
}

compile() { # VERSION
    (cd "$subject/$1" && "$ravel" cc -g -O1 -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Werror \
        -pthread -iquote . -o "$work/$1" ./*.c ../drive.c) > cc.log 2>&1 || { complain "$1 does not compile:"; show cc.log; exit 1; }
}

# races VERSION TEST: the real races of a test, as simrt-figures prints them.
races() {
    local arguments status
    arguments=$(sed -n "s/^$2: //p" "$subject/suite.txt")
    [ -n "$arguments" ] || { complain "no test $2"; return; }
    # shellcheck disable=SC2086 # the words of a line of the suite
    timeout -k 5 60 "$ravel" races --schedules=6 --tries=50 --json=races.json --out=failures "./$1" $arguments > races.out 2>&1 < /dev/null
    status=$?
    [ $status -le 1 ] || { complain "$1 $2: ravel races: exit $status"; show races.out; return; }
    "$figures" races races.json | sed -n '/^real/p; /^deadlock/p; /^failure/p'
}

# What stands in the truth, as awk's input, followed by races of a test: prints those that are not in it.
not_in_truth() { # VERSION
    awk -v version="$1" '
        function pair(a, b) { return a " " b }
        FILENAME != "-" {
            if ($1 == "old:" && version == "base") { known[pair($4, $5)]; known[pair($5, $4)] }
            if ($1 == "old:" && version != "base") { known[pair($6, $7)]; known[pair($7, $6)] }
            if ($1 == "race:" && version != "base") { known[pair($5, $6)]; known[pair($6, $5)] }
            if ($1 == "also:" && version != "base") line[$3]
            next
        }
        $1 == "real" && (pair($2, $3) in known || $2 in line || $3 in line) { next }
        $1 == "failure" && version != "base" { next } # what a race leads to
        { print }' "$subject/truth" -
}

has() { # FILE PLACE PLACE
    awk -v a="$2" -v b="$3" '$1 == "real" && ($2 == a && $3 == b || $2 == b && $3 == a) { found = 1 } END { exit !found }' "$1"
}

check_tests() {
    local id test rule one other old_one old_other every
    every=1
    [ "$SAMPLE" = all ] || every=$((($(wc -l < "$subject/suite.txt") + SAMPLE - 1) / SAMPLE))
    {
        truth race | cut -d' ' -f3
        awk -v every="$every" 'NR % every == 1 || every == 1 { sub(/:.*/, ""); print }' "$subject/suite.txt"
        truth old | awk '$2 != "-" { print $2; exit }'
    } | sort -u > tests
    while read -r test; do
        for version in base changed; do
            races "$version" "$test" > "$version.$test"
            not_in_truth "$version" < "$version.$test" > unknown
            [ ! -s unknown ] || { complain "$version $test: not in the truth:"; show unknown; }
        done
    done < tests
    while read -r id rule test one other; do
        has "changed.$test" "$one" "$other" || { complain "$id (rule $rule): $one $other is not found in $test, but:"; show "changed.$test"; }
    done < <(truth race)
    while read -r id test old_one old_other one other; do
        [ -f "base.$test" ] || continue # one test for all old races: the first
        has "base.$test" "$old_one" "$old_other" || complain "base: $id: $old_one $old_other is not found in $test"
        has "changed.$test" "$one" "$other" || complain "changed: $id: $one $other is not found in $test"
        break
    done < <(truth old)
}

check_files
compile base
compile changed
check_tests
[ $wrong = 0 ] && echo "$name: as expected: $(truth race | wc -l) seeded races, $(wc -l < tests) tests looked at"
exit $wrong
