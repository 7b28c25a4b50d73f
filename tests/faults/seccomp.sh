#!/bin/bash
# Programs of the corpus, run as in a container that refuses personality, ptrace, perf_event_open and userfaultfd
# (seccomp.c): the outcome must be the expected one, and for a failure the very same report.
#   seccomp.sh WRAPPER        the compiled seccomp.c; RAVEL_BUILD: the build directory
set -u
wrapper=${1:?usage: seccomp.sh WRAPPER}
here=$(cd "$(dirname "$0")" && pwd)
programs=$here/../programs
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
real=${RAVEL:-$RAVEL_BUILD/bin/ravel}
wrong=0
complain() { echo "seccomp: $*" >&2; wrong=1; }

"$wrapper" setarch -R true 2> "$work/setarch" && complain "the filter lets personality through: this test proves nothing"
printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$wrapper" "$real" > "$work/ravel"
chmod +x "$work/ravel"

for name in lru_evict queue_if_wait pipe_wakeup hang_two_flags double_checked cxx_uncaught rwlock_upgrade \
            ok_hazard_stack ok_event_server ok_keys_once ok_cxx_ownership; do
    RAVEL=$work/ravel "$programs/run.sh" "$name" 1 || wrong=1
done

# Without the filter ravel switches address randomisation off, and a program that hashes pointers is deterministic; with
# it, ravel must notice and say so.
cd "$work" || exit 2
"$real" cc -g -O1 -pthread -o hashes_pointers "$here/hashes_pointers.c" || complain "ravel cc failed"
"$real" run --schedules=100 --json=pointers.json ./hashes_pointers > /dev/null 2>&1 || complain "hashes_pointers failed"
grep -q '"nondeterminism"' pointers.json && complain "addresses changed although ravel can fix them"
if [ "$(cat /proc/sys/kernel/randomize_va_space)" != 0 ]; then
    "$work/ravel" run --schedules=100 --json=pointers.json ./hashes_pointers > /dev/null 2>&1 ||
        complain "hashes_pointers failed under the filter"
    grep -q '"nondeterminism"' pointers.json || complain "hashed pointers were not noticed"
fi

# The same program, seed and options with and without the filter: the same failure in the same schedule.
"$real" cc -g -O1 -pthread -o lru_evict "$programs/lru_evict.c" || complain "ravel cc failed"
for way in "$real" "$work/ravel"; do
    rm -rf .ravel
    "$way" run --seed=3 --json=result.json --out="$work/failures" ./lru_evict > /dev/null 2>&1
    "$RAVEL_BUILD/bin/ravel-check-json" result.json print - > "report.$(basename "$(dirname "$way")")"
    grep -o '"first_schedule": *[0-9]*' result.json >> "report.$(basename "$(dirname "$way")")"
    rm -rf "$work/failures"
done
[ "$(find . -maxdepth 1 -name 'report.*' | wc -l)" = 2 ] || complain "two reports expected"
diff report.* || complain "the filter changes the result"
[ $wrong = 0 ] && echo "seccomp: same results with personality, ptrace, perf_event_open and userfaultfd refused"
exit $wrong
