#!/bin/bash
# bench/races/compare.sh BUILD [SUBJECT.c...]: `ravel races`, ThreadSanitizer and Helgrind on the subjects of tests/races, whose
# races and deadlocks are all known. One row for each tool. README.md, one level up, says how to read it.
#
#   RUNS    executions of a subject by ThreadSanitizer (default 10); what any of them reports counts
#   HELGRIND_RUNS   the same for Helgrind (default 3)
#   LIMIT   seconds for one of these: some subjects come into their deadlock (default 2)
#
# Exit: 0; 1 if ThreadSanitizer found something true that ravel did not, or ravel claims something false; 2 wrong request.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: bench/races/compare.sh BUILD [SUBJECT.c...]}" && pwd) || exit 2
shift
ravel=$build/bin/ravel
check=$build/bin/ravel-check-races
: "${RUNS:=10}" "${HELGRIND_RUNS:=3}" "${LIMIT:=2}"
# Each pair counts, also the second one at an address.
export TSAN_OPTIONS="halt_on_error=0 second_deadlock_stack=1 suppress_equal_stacks=0 suppress_equal_addresses=0"
# ThreadSanitizer's runtime does not know the address layouts of newer kernels.
fixed=(); setarch -R true 2> /dev/null && fixed=(setarch -R)
tools=(ravel tsan)
command -v valgrind > /dev/null && tools+=(helgrind)

subjects=("$@")
if [ $# -gt 0 ]; then
    work=$(mktemp -d) || exit 2; trap 'rm -rf "$work"' EXIT
else
    work=$build/bench/races
    rm -rf "$work"; mkdir -p "$work" || exit 2
    for source in "$here"/../../tests/races/*.c; do
        case $(basename "$source") in
        check.c) ;;
        annotated_* | benign_*) ;; # not all tools know all annotations
        *) subjects+=("$source") ;;
        esac
    done
fi

# Each of the three prints what it claims of $name, as items of check.c.
flags=(-g -O0 -D_GNU_SOURCE -pthread)
ravel_claims() {
    "$ravel" races --json=result.json --out=failures "./$name" > /dev/null 2> ravel.err < /dev/null
    "$check" found "$source" result.json
    awk '/"status": /{ sure = !/potential/ } sure && /"tries": /{ print $2 + 0 }' result.json >> tries
}
tsan_claims() {
    for ((run = 0; run < RUNS; run++)); do
        timeout -k 1 "$LIMIT" "${fixed[@]}" "./$name.tsan" 2>&1 > /dev/null < /dev/null
    done | awk -v source="$name.c" -f "$here/tsan.awk" | "$check" tags "$source"
}
helgrind_claims() {
    for ((run = 0; run < HELGRIND_RUNS; run++)); do
        timeout -k 1 "$LIMIT" valgrind --tool=helgrind "./$name.native" 2>&1 > /dev/null < /dev/null
    done | awk -v source="$name.c" -f "$here/helgrind.awk" | "$check" tags "$source"
}

declare -A seconds
cd "$work" || exit 2
for source in "${subjects[@]}"; do
    source=$(cd "$OLDPWD" && realpath "$source") || exit 2
    name=$(basename "$source" .c)
    "$ravel" cc "${flags[@]}" -o "$name" "$source" || exit 2
    gcc "${flags[@]}" -fsanitize=thread -o "$name.tsan" "$source" || exit 2
    gcc "${flags[@]}" -o "$name.native" "$source" || exit 2
    "$check" truth "$source" | sed "s/^/$name /" >> truth.txt
    for tool in "${tools[@]}"; do
        start=$EPOCHREALTIME
        "${tool}_claims" | sed "s/^/$name /" >> "$tool"
        seconds[$tool]=$(awk -v a="$start" -v b="$EPOCHREALTIME" -v s="${seconds[$tool]:-0}" 'BEGIN { print s + b - a }')
    done
done
export LC_ALL=C
for list in truth.txt "${tools[@]}"; do sort -u -o "$list" "$list"; done

# found, missed and false among the races (-) or deadlocks (+)
cell() { # tool, which
    printf '%6d %6d %6d' "$(comm -12 truth.txt "$1" | grep -c " .*[$2]")" "$(comm -23 truth.txt "$1" | grep -c " .*[$2]")" \
        "$(comm -13 truth.txt "$1" | grep -c " .*[$2]")"
}
printf '%d subjects, %d races, %d deadlocks; %d runs of tsan, %d of helgrind\n\n' "${#subjects[@]}" "$(grep -c ' .*-' truth.txt)" \
    "$(grep -c ' .*+' truth.txt)" "$RUNS" "$HELGRIND_RUNS"
printf '%-10s %20s   %20s %9s\n' '' 'races' 'deadlocks' ''
printf '%-10s %6s %6s %6s   %6s %6s %6s %9s\n' tool found missed false found missed false seconds
for tool in "${tools[@]}"; do
    printf '%-10s %s   %s %9.1f\n' "$tool" "$(cell "$tool" -)" "$(cell "$tool" +)" "${seconds[$tool]}"
done
printf '\nravel verified one in a median of %d tries, in %d at most\n' "$(sort -n tries | sed -n "$((($(wc -l < tries) + 1) / 2))p")" \
    "$(sort -n tries | tail -n 1)"
comm -12 truth.txt tsan | comm -23 - ravel > behind
comm -13 truth.txt ravel > false
if [ -s behind ]; then printf '\nfound by tsan, missed by ravel:\n'; sed 's/^/    /' behind; fi
if [ -s false ]; then printf '\nclaimed by ravel, and false:\n'; sed 's/^/    /' false; fi
[ ! -s behind ] && [ ! -s false ]
