#!/bin/bash
# Runs `ravel races` on one subject and compares with the truth in its header; check.c explains the header.
#
#   run.sh SUBJECT.c
#
#   RAVEL_BUILD    build directory with bin/ravel; RAVEL overrides the command itself
#   RAVEL_CHECK    the compiled check.c (default $RAVEL_BUILD/bin/ravel-check-races)
#   RAVEL_TIMEOUT  seconds for one command (default 300): a guard, not an expectation
#   RAVEL_KEEP     a directory to work in and to leave behind
#
# Compiled without optimisation: the accesses are then those that the lines say. Exit: 0 as expected, 1 not, 2 the request was
# wrong.
set -u
here=$(cd "$(dirname "$0")" && pwd)
source=$(realpath "${1:?usage: run.sh SUBJECT.c}")
name=$(basename "$source" .c)
build=${RAVEL_BUILD:-$here/../../build}
ravel=${RAVEL:-$build/bin/ravel}
check=${RAVEL_CHECK:-$build/bin/ravel-check-races}
limit=${RAVEL_TIMEOUT:-300}
[ -r "$source" ] || { echo "$source: cannot be read" >&2; exit 2; }

if [ -n "${RAVEL_KEEP:-}" ]; then
    work=$RAVEL_KEEP/$name; rm -rf "$work"; mkdir -p "$work" || exit 2
else
    work=$(mktemp -d) || exit 2; trap 'rm -rf "$work"' EXIT
fi
cd "$work" || exit 2

wrong=0
complain() { echo "$name: $*" >&2; wrong=1; }
show() { sed 's/^/    | /' "$@" | head -n 40 >&2; }

"$ravel" cc -g -O0 -D_GNU_SOURCE -pthread -o "$name" "$source" > cc.log 2>&1 ||
    { complain "ravel cc failed:"; show cc.log; exit 1; }
timeout -k 5 "$limit" "$ravel" races --json=result.json --out=failures "./$name" > out 2> err < /dev/null
status=$?
"$check" truth "$source" > items.txt || exit 2
want=0; [ -s items.txt ] && want=1
! grep 'warning' err >&2 || complain "a warning"
[ $status = $want ] || { complain "exit $status, expected $want"; show err; }
[ -f result.json ] || exit 1
"$check" check "$source" result.json > files 2> differences || { complain "not as it is:"; show differences; }
while read -r kind file; do
    timeout -k 5 "$limit" "$ravel" replay "$file" > replay.out 2>&1 < /dev/null
    status=$?
    [ $status = 1 ] || { complain "replay of $file: exit $status, expected 1"; show replay.out; }
    grep -qE "^(data )?$kind( \(harmful\))?: " replay.out || { complain "replay of $file shows no $kind:"; show replay.out; }
done < files

# The truth itself, checked: what happens-before sees in all schedules, where they can be run through. Waiting in a loop has no end.
timeout -k 5 "$limit" "$ravel" run -k --fresh --strategy=dpor --json=all.json --out=others "./$name" > all.out 2>&1 < /dev/null
"$check" found "$source" all.json 2>&1 | sort > seen.txt
grep -v + items.txt | sort > true.txt
if ! comm -13 true.txt seen.txt | cmp -s - /dev/null; then complain "ravel run: false:"; comm -13 true.txt seen.txt | show; fi
if grep -q '"complete": true' all.json && ! comm -23 true.txt seen.txt | cmp -s - /dev/null; then
    complain "ravel run: missed in all schedules:"; comm -23 true.txt seen.txt | show
fi
[ $wrong = 0 ] && echo "$name: as expected"
exit $wrong
