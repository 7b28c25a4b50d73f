#!/bin/bash
# The runner must be able to fail: it is run against a ravel that answers with a canned result, right and wrong.
#   selftest.sh CHECK        CHECK: the compiled check.c
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/corpus"
echo 'int main(void) { return 0; }' | tee "$work/corpus/good.c" "$work/corpus/endless.c" > "$work/corpus/bad.c"
cat > "$work/corpus/expected.txt" <<'END'
good ok - - -
endless cut - - -
bad assert push|pop - -
END
cat > "$work/ravel" <<'END'
#!/bin/bash
# Canned: exits with $STATUS and a result whose failures are $FAILURES; replay exits with $REPLAY.
case $1 in
cc) shift; exec gcc "$@" ;;
replay) echo "${REPLAYED:-assert}: m"; exit "$REPLAY" ;;
run) cat > result.json <<JSON
{"version": "0", "program": "p", "args": [], "strategy": "auto", "seed": 1, "isolation": "memory",
 "instrumented": true, "schedules": 10000, "complete": false, "seconds": 0.5, "schedules_per_second": 2.0,
 "stopped_by": "${STOPPED:-schedules}", "unconfirmed": ${UNCONFIRMED:-0}, "not_terminating": ${CUT:-0}, "failures": [$FAILURES]}
JSON
exit "$STATUS" ;;
esac
END
chmod +x "$work/ravel"
export RAVEL=$work/ravel RAVEL_CHECK=$1 STATUS FAILURES REPLAY STOPPED CUT UNCONFIRMED REPLAYED
failure() { # kind, function
    echo "{\"id\": 1, \"kind\": \"$1\", \"message\": \"m\", \"first_schedule\": 1, \"count\": 1, \"preemptions\": 1,
           \"file\": \"f\", \"threads\": [{\"id\": 1, \"name\": \"t\", \"state\": \"running\",
           \"stack\": [{\"function\": \"$2\", \"file\": \"x.c\", \"line\": 3}]}]}"
}
wrong=0
expect() { # status, title, name
    "$here/run.sh" -C "$work/corpus" "$3" 1 > "$work/out" 2>&1
    local got=$?
    [ $got = "$1" ] || { echo "selftest: $2: exit $got, expected $1"; cat "$work/out"; wrong=1; }
}
REPLAY=1
STATUS=0 FAILURES='' expect 0 "a correct program passes" good
STATUS=1 FAILURES=$(failure assert push) expect 1 "a false alarm is noticed" good
STATUS=0 FAILURES=$(failure assert push) expect 1 "a false alarm in the JSON alone is noticed" good
STATUS=0 FAILURES='' CUT=3 expect 1 "cut executions are noticed" good
STATUS=0 FAILURES='' CUT=3 expect 0 "cut executions pass where expected" endless
STATUS=0 FAILURES='' expect 1 "missing cut executions are noticed" endless
STATUS=0 FAILURES='' UNCONFIRMED=1 expect 1 "a failure that was not confirmed is noticed" good
STATUS=0 FAILURES='' STOPPED=time expect 1 "an unused budget is noticed" good
STATUS=1 FAILURES=$(failure assert push) expect 0 "a found bug passes" bad
STATUS=0 FAILURES='' expect 1 "a missed bug is noticed" bad
STATUS=1 FAILURES='' expect 1 "an empty list of failures is noticed" bad
STATUS=1 FAILURES=$(failure segv push) expect 1 "a wrong kind is noticed" bad
STATUS=1 FAILURES=$(failure assert main) expect 1 "a wrong place is noticed" bad
STATUS=1 FAILURES=$(failure assert pop) REPLAY=0 expect 1 "a failed replay is noticed" bad
STATUS=1 FAILURES=$(failure assert pop) REPLAYED=segv expect 1 "a replay of another kind is noticed" bad
STATUS=3 FAILURES='' expect 1 "a broken ravel is noticed" bad
STATUS=0 expect 2 "an unknown name is a wrong request" nosuch
[ $wrong = 0 ] && echo "runner: as expected"
exit $wrong
