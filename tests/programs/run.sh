#!/bin/bash
# Runs one program of a corpus under ravel and compares with what expected.txt says about it.
#
#   run.sh [-C CORPUS] NAME [SEEDS]      SEEDS: "1 2 3", default "1 2 3 4 5"
#
#   RAVEL_BUILD   build directory with bin/ravel; RAVEL overrides the command itself
#   RAVEL_CHECK   the compiled check.c (default $RAVEL_BUILD/bin/ravel-check-json)
#   RAVEL_TIMEOUT seconds for one `ravel run` (default 300): a guard, not an expectation
#   RAVEL_KEEP    a directory to work in and to leave behind
#
# A line of expected.txt has five columns: name, outcome, text, options of `ravel run`, compiler flags.
#   outcome  ok              exit 0, no failure, budget used up or search complete
#            cut             exit 0, no failure, but executions that did not end and were cut off
#            KIND[|KIND]     exit 1, the first failure is of one of these kinds, and `ravel replay` of its file
#                            exits 1 as well with the same kind
#            refused         exit 3 and one clear line on standard error
#   text     [^]TEXT[|TEXT]  one of these must appear: in message or stacks of the failure; for the others in
#                            what ravel printed or in its JSON. "~" stands for a space, "-" for nothing
#   options, flags           separated by commas, "-" for none
# Of tests/programs the searches up to equivalence are tried, too: see search below.
# The source is NAME.c or NAME.cc (C++). Exit: 0 as expected, 1 not, 2 the request was wrong.
set -u
corpus=$(cd "$(dirname "$0")" && pwd)
if [ "${1:-}" = "-C" ]; then corpus=$(cd "$2" && pwd) || exit 2; shift 2; fi
name=${1:?usage: run.sh [-C CORPUS] NAME [SEEDS]}
seeds=${2:-1 2 3 4 5}
build=${RAVEL_BUILD:-$corpus/../../build}
ravel=${RAVEL:-$build/bin/ravel}
check=${RAVEL_CHECK:-$build/bin/ravel-check-json}
limit=${RAVEL_TIMEOUT:-300}

line=$(grep -E "^${name}[[:space:]]" "$corpus/expected.txt") || { echo "$name: not in $corpus/expected.txt" >&2; exit 2; }
read -r _ outcome text options flags <<< "$line"
[ -n "${flags:-}" ] || { echo "$name: expected.txt: five columns expected: $line" >&2; exit 2; }
text=${text//\~/ }
[ "$options" = - ] && options=; [ "$flags" = - ] && flags=
IFS=, read -ra option_list <<< "$options"
IFS=, read -ra flag_list <<< "$flags"

if [ -n "${RAVEL_KEEP:-}" ]; then
    work=$RAVEL_KEEP/$name; rm -rf "$work"; mkdir -p "$work" || exit 2
else
    work=$(mktemp -d) || exit 2; trap 'rm -rf "$work"' EXIT
fi
if [ -f "$corpus/$name.cc" ]; then source=$corpus/$name.cc; compiler=c++; else source=$corpus/$name.c; compiler=cc; fi
cd "$work" || exit 2
if ! "$ravel" $compiler -g -O1 -pthread -o "$name" "$source" "${flag_list[@]}" > cc.log 2>&1; then
    echo "$name: ravel $compiler failed:" >&2; cat cc.log >&2; exit 1
fi

wrong=0
complain() { echo "$name: seed $seed: $*" >&2; wrong=1; }
show_output() { sed 's/^/    | /' "$@" | head -n 40 >&2; }
contains_text() { # whether one of the texts appears in one of the files
    [ "$text" = - ] && return 0
    local one; local -a texts
    IFS='|' read -ra texts <<< "$text"
    for one in "${texts[@]}"; do grep -qF -- "$one" "$@" && return 0; done
    return 1
}

run_seed() {
    timeout -k 5 "$limit" "$ravel" run --seed="$seed" --json=result.json --out=failures "${option_list[@]}" \
        "./$name" > run.out 2> run.err < /dev/null
    local status=$? want=1
    case $outcome in ok | cut) want=0 ;; refused) want=3 ;; esac
    if [ $status != $want ]; then
        complain "exit $status, expected $want ($outcome)"
        [ -s result.json ] && "$check" result.json print - | sed 's/^/    /' >&2
        show_output run.err
        return
    fi
    if [ "$outcome" = refused ]; then
        contains_text run.out run.err || { complain "'$text' not in what ravel said:"; show_output run.err; }
        [ -s run.err ] || complain "exit 3 without a word on standard error"
        return
    fi
    if [ $want = 0 ]; then
        "$check" result.json "$outcome" - > check.out 2>&1 || { complain "$(cat check.out)"; return; }
        contains_text run.out run.err result.json || { complain "'$text' not in what ravel said"; show_output run.err; }
        return
    fi
    "$check" result.json "$outcome" "$text" > check.out 2> check.err || { complain "$(cat check.err)"; return; }
    local file; file=$(cat check.out)
    timeout -k 5 "$limit" "$ravel" replay "$file" > replay.out 2> replay.err < /dev/null
    status=$?
    if [ $status != 1 ]; then complain "replay of $file: exit $status, expected 1"; show_output replay.err; fi
    grep -qE "^($outcome): " replay.out || { complain "replay shows no failure of kind $outcome:"; show_output replay.out; }
}

# A search up to equivalence says `complete` only where there is no failure, and finds none where there is none.
search() { # STRATEGY
    rm -rf failures .ravel result.json
    timeout -k 5 "$limit" "$ravel" run --strategy="$1" --schedules=2000 --json=result.json --out=failures \
        "${option_list[@]}" "./$name" > run.out 2> run.err < /dev/null
    local status=$?
    case $outcome in
    ok) [ $status = 0 ] || { complain "$1: exit $status"; show_output run.out; } ;;
    cut | refused) ;;
    *) if [ $status = 0 ] && grep -q '"complete": true' result.json; then complain "$1: complete, without the failure"; fi ;;
    esac
}

for seed in $seeds; do
    rm -rf failures .ravel result.json
    run_seed
done
case $corpus in */tests/programs) for strategy in dpor dpor-classic; do search $strategy; done ;; esac
[ $wrong = 0 ] && echo "$name: $outcome, as expected (seeds $seeds)"
exit $wrong
