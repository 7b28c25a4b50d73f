#!/bin/bash
# The runner must be able to fail: it is run against a ravel that answers with a canned result, right and wrong.
#   selftest.sh CHECK        CHECK: the compiled check.c
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
subject() { # name, lines of the header
    printf '/* A subject.\n%s\n */\nint a; /* @a */\nint b; /* @b */\nint main(void) { return 0; }\n' "$2" > "$work/$1.c"
}
subject racy ' * races: b-a
 * harm: a-b'
subject locked ' * races: none
 * deadlocks: b+a'
subject clean ' * races: none
 * maybe: a-b a+b'
subject silent ' * maybe: a-b'
subject untagged ' * races: a-c'
subject unused ' * races: a-a'
cat > "$work/ravel" <<'END'
#!/bin/bash
# Canned: `races` exits with $STATUS and a result with $RACES, $DEADLOCKS and $FAILURES; `replay` prints $REPLAYED and exits
# with $REPLAY; `run` has run through all schedules ($COMPLETE) and seen $SEEN.
case $1 in
cc) shift; exec gcc "$@" ;;
replay) echo "$REPLAYED: m"; exit "$REPLAY" ;;
races) touch there; cat > result.json <<JSON
{"version": "0", "program": "p", "args": [], "seed": 1, "schedules": 20, "steered": 100, "seconds": 0.5,
 "races": [$RACES], "deadlocks": [$DEADLOCKS], "failures": [$FAILURES]}
JSON
exit "$STATUS" ;;
run) echo "{\"complete\": $COMPLETE, \"races\": [$SEEN]}" > all.json ;;
esac
END
chmod +x "$work/ravel"
export RAVEL=$work/ravel RAVEL_CHECK=$1 COMPLETE=true SEEN STATUS RACES DEADLOCKS FAILURES REPLAY REPLAYED
common='"signature": "0x1", "count": 1, "tries": 1'
race() { # status, predicted, two lines; replay file if it is not "there"
    echo "{\"status\": \"$1\", \"predicted\": $2, $common, \"harm\": \"h\", \"file\": \"${5:-there}\",
           \"first\": {\"file\": \"x/$name.c\", \"line\": $3}, \"second\": {\"file\": \"$name.c\", \"line\": $4}}"
}
deadlock() { # status, two lines
    echo "{\"status\": \"$1\", \"predicted\": false, $common, \"file\": \"there\", \"threads\": [
           {\"wanted_at\": [{\"file\": \"wrapper.h\", \"line\": 1}, {\"file\": \"$name.c\", \"line\": $2}]},
           {\"wanted_at\": [{\"file\": \"$name.c\", \"line\": $3}]}]}"
}
wrong=0
expect() { # status, title, what the runner must say
    "$here/run.sh" "$work/$name.c" > "$work/out" 2>&1
    local got=$?
    [ $got = "$1" ] && grep -qF -- "$3" "$work/out" && return
    echo "selftest: $2: exit $got, expected $1 and '$3'"; cat "$work/out"; wrong=1
}
tagged=$(grep -n '@a' "$work/racy.c" | cut -d: -f1)
A=$tagged B=$((tagged + 1)) OTHER=$((tagged + 2))
REPLAY=1 REPLAYED='data race' DEADLOCKS='' FAILURES=''

name=racy STATUS=1 SEEN=$(name=racy; race real false "$A" "$B")
RACES=$(race harmful false "$B" "$A") expect 0 "a race that is found passes" "as expected"
RACES=$(race real false "$A" "$B") expect 1 "harm that is not found is noticed" "should be harmful"
RACES=$(race potential false "$A" "$B") expect 1 "a race that is not verified is noticed" "not verified"
RACES=$(race potential true "$A" "$B") expect 1 "a race that is only predicted is noticed" "not verified"
RACES='' expect 1 "a missed race is noticed" "a-b: missed"
RACES=$(race harmful false "$A" "$A") expect 1 "another pair is noticed" "a-a: false alarm"
RACES="$(race harmful false "$A" "$B"), $(race real false "$A" "$OTHER")" expect 1 "one false alarm more is noticed" "false alarm"
RACES="$(race harmful false "$A" "$B"), $(race harmful false "$B" "$A")" expect 1 "a second report is noticed" "reported twice"
RACES=$(race harmful false "$A" "$B" gone) expect 1 "a missing file is noticed" "no file that replays it: gone"
RACES=$(race harmful false "$A" "$B" | sed 's/"tries"/"tires"/') expect 1 "a missing key is noticed" "tries"
RACES=$(race harmful false "$A" "$B") REPLAY=0 expect 1 "a failed replay is noticed" "exit 0, expected 1"
RACES=$(race harmful false "$A" "$B") REPLAYED=deadlock expect 1 "a replay of something else is noticed" "shows no race"
RACES=$(race harmful false "$A" "$B") STATUS=0 expect 1 "a wrong exit code is noticed" "exit 0, expected 1"
RACES=$(race harmful false "$A" "$B") SEEN='' expect 1 "a race that is not seen in all schedules is noticed" "ravel run: missed"
RACES=$(race harmful false "$A" "$B") SEEN='' COMPLETE=false expect 0 "not all schedules are no proof" "as expected"
RACES=$(race harmful false "$A" "$B") SEEN=$(race real false "$A" "$A") COMPLETE=false expect 1 "a false alarm of ravel run is noticed" "ravel run: false"

tagged=$(grep -n '@a' "$work/locked.c" | cut -d: -f1)
A=$tagged B=$((tagged + 1))
name=locked STATUS=1 RACES='' SEEN='' REPLAYED=deadlock
DEADLOCKS=$(deadlock real "$A" "$B") expect 0 "a deadlock that is found passes" "as expected"
DEADLOCKS=$(deadlock potential "$A" "$B") expect 1 "a deadlock that is not verified is noticed" "a+b: not verified"
DEADLOCKS=$(deadlock real "$A" "$A") expect 1 "another deadlock is noticed" "a+a: false alarm"
DEADLOCKS='' expect 1 "a missed deadlock is noticed" "a+b: missed"

tagged=$(grep -n '@a' "$work/clean.c" | cut -d: -f1)
A=$tagged B=$((tagged + 1))
name=clean STATUS=0 DEADLOCKS='' REPLAYED='data race'
RACES='' expect 0 "a correct program passes" "as expected"
RACES=$(race potential false "$A" "$B") expect 0 "what may be unsure passes" "as expected"
RACES=$(race potential true "$A" "$B") expect 1 "a false prediction is noticed" "false alarm, status: predicted"
RACES=$(race real false "$A" "$B") expect 1 "a false alarm is noticed" "false alarm, status: real"
RACES=$(race potential false "$A" "$A") expect 1 "an unsure report of what is clear is noticed" "a-a: false alarm"
RACES='' DEADLOCKS=$(deadlock potential "$A" "$B") expect 0 "a deadlock that may be unsure passes" "as expected"
RACES='' DEADLOCKS=$(deadlock real "$A" "$B") expect 1 "a false deadlock is noticed" "a+b: false alarm"
RACES='' FAILURES='{"kind": "segv", "message": "m"}' expect 1 "another failure is noticed" "nothing should fail"

DEADLOCKS='' FAILURES='' RACES=''
name=silent expect 2 "a header without races is refused" "no line"
name=untagged expect 2 "a race of no line is refused" "no line has the tag"
name=unused expect 2 "a tag of nothing is refused" "tag of nothing"
name=nosuch expect 2 "an unknown subject is a wrong request" "cannot be read"
[ $wrong = 0 ] && echo "runner: as expected"
exit $wrong
