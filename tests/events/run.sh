#!/bin/bash
# run.sh SOURCE: the cases of a program of this folder, in lines of its opening comment:
#   * TEST: PLAN => ok              every execution passes: random and pct with 150 schedules, dfs to the end (5000 at most), dpor,
#                                   by memory and by fork
#   * TEST: PLAN => KIND: TEXT      ravel finds this failure (TEXT is an extended regular expression), with the schedule in
#                                   the file, and it replays; by memory and by fork
# By strict time. TEST empty: no test is chosen. Nothing may be remarked on ("note:"), apart from what a case says after "|": a regular expression.
set -u
source=$1
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
case $source in *.cc) compiler="c++" ;; *) compiler="cc" ;; esac
cd "$directory" || exit 3
"$RAVEL" $compiler -g -O1 -pthread -Wall -Wextra -Werror -o program "$source" || exit 3
bad=0 checked=0

complain() {
    echo "$test: $plan => $wanted: $*"
    head -6 text
    bad=$((bad + 1))
}

options=()
run() { # OPTION...
    rm -rf .ravel out
    status=0
    timeout 300 "$RAVEL" run --timing=strict "${options[@]}" --json=json --out=out "$@" ./program >text 2>&1 || status=$?
}

passes() {
    for how in "random 150" "pct:3 150" "dfs 5000" "dpor 5000" "auto 100"; do
        for isolation in memory fork; do
            [ $isolation = fork ] && how="${how% *} 30"
            run --strategy="${how% *}" --schedules="${how#* }" --isolation=$isolation
            [ $status = 0 ] || complain "$how, $isolation: exit status $status"
            grep "^note: " text | grep -Evq "${remark:-^\$}|isolation|not complete: the schedule of events" && complain "$how, $isolation: a remark"
        done
    done
}

fails() { # KIND, TEXT
    for isolation in memory fork; do
        run --strategy=random --schedules=200 --isolation=$isolation
        if [ $status != 1 ] || ! grep -q "\"kind\": *\"$1\"" json || ! grep -Eq "\"message\": *\".*$2" json; then
            complain "$isolation: exit status $status, $(grep -A1 '"kind"' json)"
        fi
        for file in out/*.ravel; do
            [ -z "$test" ] || grep -q "^test \"${test%%:*}\"$" "$file" || complain "no test in the file"
            [ -z "$plan" ] || grep -q '^plan "' "$file" || complain "no plan in the file"
            status=0
            "$RAVEL" replay "$file" >text 2>&1 || status=$?
            if [ $status != 1 ] || ! grep -q '^reproduced: every event as recorded' text; then
                complain "replay: exit status $status"
            fi
        done
    done
}

while IFS= read -r line <&3; do
    test=${line%%:*} wanted=${line#* => } plan=${line#*:}
    plan=${plan%% => *} plan=${plan# } remark=''
    [[ $test == *"/"* ]] && test=${test/\//:} # TEST/LABEL
    case $wanted in *" | "*) remark=${wanted#* | } wanted=${wanted%% | *} ;; esac
    options=()
    [ -z "$test" ] || options+=("--test=$test")
    [ -z "$plan" ] || options+=("--plan=$plan")
    checked=$((checked + 1))
    if [ "$wanted" = ok ]; then passes; else fails "${wanted%%:*}" "${wanted#*: }"; fi
done 3< <(sed -n '1,60s|^ \* \(.*:.* => .*\)|\1|p' "$source")
echo "$checked cases, $bad differences"
((checked > 0 && bad == 0))
