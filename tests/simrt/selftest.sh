#!/bin/bash
# selftest.sh: run.sh complains about a subject that is not as its truth says, each time for the reason given here.
# RAVEL_BUILD: as for run.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
simrt=$here/../../bench/simrt
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export SAMPLE=2
wrong=0

# expect STATUS MESSAGE: of run.sh on the copy of ring
expect() {
    "$here/run.sh" "$work/subjects/ring" > "$work/log" 2>&1
    local status=$?
    if [ $status != "$1" ] || ! grep -qE -- "$2" "$work/log"; then
        echo "expected: exit $1, $2; found: exit $status"
        cat "$work/log"
        wrong=1
    fi
}
fresh() {
    rm -rf "$work/subjects" && mkdir "$work/subjects" && cp -r "$simrt/subjects/ring" "$work/subjects" && cp "$simrt/drive.h" "$simrt/generate" "$work"
    cd "$work/subjects/ring" || exit 2
}

fresh
expect 0 '^ring: as expected: 3 seeded races'

cp changed/ring.c base/ring.c
expect 1 '^ring: base t[0-9]+: not in the truth'

fresh
cp base/ring.c changed/ring.c
expect 1 '^ring: r1 \(rule 4\): .* is not found in t[0-9]+'
expect 1 '^ring: truth: changed/ring\.c:[0-9]+ is not: '

fresh
sed -i 's/^race: r3 \(.*\) ring\.c:[0-9]* /race: r3 \1 ring.c:72 /' truth
expect 1 '^ring: changed t[0-9]+: not in the truth'

fresh
sed -i '/^code: changed/d' truth
expect 1 '^ring: truth: places without a code line'

fresh
sed -i '2d' suite.txt
expect 1 '^ring: suite.txt is not what suite.in says'

fresh
sed -i 's/^race: r1 4 t[0-9]*/race: r1 6 t999/' truth
expect 1 '^ring: truth: race r1: rule 1 to 5 expected'
expect 1 '^ring: no test t999'

fresh
echo 'static int unused;' >> changed/ring.c
expect 1 '^ring: changed does not compile'
exit $wrong
