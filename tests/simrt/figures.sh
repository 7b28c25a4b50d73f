#!/bin/bash
# figures.sh: what bench/simrt/run makes of the commands' answers, with a ravel that always answers the same; and simrt-figures by
# itself. RAVEL_BUILD: build directory with bench/simrt-figures.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${RAVEL_BUILD:?RAVEL_BUILD is not set}" && pwd) || exit 2
figures=$build/bench/simrt-figures
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

wrong=0
expect() { # WHAT EXPECTED FOUND
    [ "$2" = "$3" ] || { printf '%s:\n  expected: %s\n  found:    %s\n' "$1" "$2" "$3" >&2; wrong=1; }
}

# The file that `ravel races` would write, and regress with two keys more.
cat > canned.json << 'JSON'
{ "tests": 3, "seconds": 0.25,
  "selected": [ {"test": "t002", "rank": 1, "pairs": []}, {"test": "t001", "rank": 2, "pairs": []}, {"test": 7, "rank": 3, "pairs": []} ],
  "races": [
    {"status": "harmful", "regression": true, "first": {"file": "src/b.c", "line": 9}, "second": {"file": "src/a.c", "line": 10}, "test": "t002"},
    {"status": "real", "regression": false, "first": {"file": "a.c", "line": 10}, "second": {"file": "a.c", "line": 9}, "test": "t001"},
    {"status": "potential", "regression": true, "first": {"file": "a name.c", "line": 3}, "second": {"file": "a name.c", "line": 3}, "test": "t001"} ],
  "deadlocks": [ {} ], "failures": [ {"kind": "use-after-free"} ] }
JSON
expect races "real a.c:10 b.c:9
real a.c:9 a.c:10
potential a_name.c:3 a_name.c:3
deadlock
failure use-after-free" "$("$figures" races canned.json)"
expect found "real a.c:10 b.c:9
potential a_name.c:3 a_name.c:3
deadlock
failure use-after-free" "$("$figures" found canned.json)"
expect selected "t002 t001 7" "$("$figures" selected canned.json | xargs)"
expect number 0.25 "$("$figures" number canned.json seconds)"
printf 't1 x\nt3 x\nt3 y z\n' > matrix
expect "apfd, best" 0.8333 "$(printf 't3\nt1\nt2\n' | "$figures" apfd - matrix)"
expect "apfd, worst" 0.3333 "$(printf 't2\nt1\nt3\n' | "$figures" apfd - matrix)"
expect "apfd, not found" 0.2500 "$(printf 't1\nt2\n' | "$figures" apfd - matrix)"
for bad in 'apfd matrix none' 'races none' 'selected matrix' 'number canned.json test' 'races' 'other matrix'; do
    # shellcheck disable=SC2086 # several words
    "$figures" $bad > out 2> err
    expect "exit of $bad" 2 $?
    expect "lines about $bad" 1 "$(wc -l < err)"
done
printf 't1\nt1\n' | "$figures" apfd - matrix > out 2> err
expect "exit for a test twice" 2 $?

# A ravel whose tests t001 and t003 find one race each, t003 another one that is only potential.
cat > ravel << 'STUB'
#!/bin/bash
json='' technique=simrt order=simrt rest=''
for word in "$@"; do
    case $word in
    --json=*) json=${word#*=} ;;
    --technique=*) technique=${word#*=} ;;
    --order=*) order=${word#*=} ;;
    --all) rest=1 ;;
    esac
done
race() { printf '{"status": "%s", "regression": %s, "first": {"file": "ring.c", "line": %d}, "second": {"file": "ring.c", "line": %d}}' "$@"; }
tests() { printf '{"test": "t%03d", "rank": 1, "pairs": []},' "$@" | sed 's/,$//'; }
case $1 in
cc)
    while [ $# -gt 1 ] && [ "$1" != -o ]; do shift; done
    : > "$2"
    ;;
record) ;;
races)
    case ${*: -3} in
    "$(sed -n 's/^t001: //p' suite.txt)") race real true 1 2 ;;
    "$(sed -n 's/^t003: //p' suite.txt)") race harmful true 3 4; printf ','; race potential true 5 6 ;;
    esac | { printf '{"races": ['; cat; printf ']}'; } > "$json"
    [ "$(wc -c < "$json")" -lt 20 ] || exit 1
    ;;
select)
    case $technique:$order:$rest in
    all:simrt:*) chosen=$(tests $(seq 1 140)) ;;
    all:*) chosen=$(tests 4 2 1 3) ;;
    dejavu:*) chosen=$(tests 1 2 3 4) ;;
    simrt-nothreads:*) chosen=$(tests 1 2 3) ;;
    *:simrt:) chosen=$(tests 3 1) ;;
    *:simrt:1) chosen=$(tests 3 1) rested='"t002", "t004"' ;;
    *) chosen=$(tests 1 3) ;;
    esac
    printf '{"tests": 140, "seconds": 0.5, "selected": [%s], "rest": [%s]}' "$chosen" "${rested:-}" > "$json"
    ;;
regress)
    printf '{"executions": 40, "executions_to_first": 9, "regressions": 2, "races": [%s,%s,%s,%s]}' "$(race real true 1 2)" "$(race harmful true 4 3)" "$(race potential true 5 6)" "$(race real false 9 9)" > "$json"
    [ "$technique" != dejavu ] || printf '{"races": [%s]}' "$(race real true 1 2)" > "$json"
    exit 1
    ;;
*) echo "ravel: unknown command" >&2; exit 2 ;;
esac
STUB
chmod +x ravel
RAVEL=$work/ravel WORK=$work/bench SUBJECTS=ring SEEDS="1 2" "$here/../../bench/simrt/run" "$build" > tables.out 2> run.err
expect "exit of run" 0 $?
expect "messages of run" "" "$(cat run.err)"
expect "rows of techniques" "all 140 140 0.50 3 2 100%
dejavu 140 4 0.50 1 1 50%
simrt-nothreads 140 3 0.50 3 2 100%
simrt 140 2 0.50 3 2 100%" "$(awk '$1 == "ring" && NF == 10 { print $2, $3, $4, $5, $8, $9, $10 }' tables.out | grep -v '^selected\|^--all')"
expect "row of the focus" "ring 9.0 9.0 40.0 40.0 2.0 2.0" "$(grep '^ring.*9\.0' tables.out | xargs)"
expect "row of thread ids" "ring 140 3 2 1%" "$(grep -E '^ring +140 +3 +2 ' tables.out | xargs)"
# Selected: real races x (by t001) and y (t003) in orders 3 1, and 1 3: places 1 and 2. All: 3 1 2 4, and 4 2 1 3 for the others.
expect "rows of orders" "ring potential selected 0.583 0.417 0.417
ring potential all 0.792 0.208 0.208
ring real selected 0.500 0.500 0.500
ring real all 0.750 0.250 0.250" "$(awk '$1 == "ring" && ($2 == "real" || $2 == "potential") { print $1, $2, $3, $4, $5, $6 }' tables.out)"

# Means and sums; a subject in which all found nothing has nothing to keep.
printf 'x all 10 10 0 20 3 2 2 2\nx simrt 10 2 1 5 3 2 1 2\ny all 10 10 0 20 0 0 0 0\ny simrt 10 0 1 2 0 0 0 0\n' > times.txt
"$here/../../bench/simrt/tables" times.txt /dev/null /dev/null > tables.out
expect "row without races" "y simrt 10 0 1.00 2.00 90% 0 0 -" "$(grep '^y *simrt' tables.out | xargs)"
expect "rows together" "together all 20 20 0.00 40.00 0% 100%
together simrt 20 2 2.00 7.00 82% 50%" "$(awk '$1 == "together" { $1 = $1; print }' tables.out)"

# A command that fails is named, and nothing is claimed of the subject.
sed -i 's/^record) ;;/record) echo "no space left" >\&2; exit 3 ;;/' ravel
RAVEL=$work/ravel WORK=$work/bench SUBJECTS=ring "$here/../../bench/simrt/run" "$build" > tables.out 2> run.err
expect "exit of run, record fails" 1 $?
expect "message of run, record fails" "ring: record: failed: no space left" "$(cat run.err)"
expect "rows of run, record fails" "" "$(grep '^ring' tables.out)"
[ $wrong = 0 ] || { echo "--- tables"; cat tables.out; }
exit $wrong
