#!/bin/bash
# omnilink mc with two workers against one on the golden benchmark specs, in one run: wall-clock seconds, start-up included.
#
#   benches/mc-workers.sh OMNILINK [PAIRS] [SPEC...]
#
# Runs with one and with two workers take turns, PAIRS times (6 unless told), because machines are faster at one time than at another.
# Both must find the same states. Seconds are medians; the last columns are the median of the ratios of the pairs, and the CPU time
# of two workers over that of one. On a virtual machine, a pair during which other guests took more than a twentieth of the processors
# says nothing about two workers, and is repeated, at most as often as pairs are asked for.
set -eu
omnilink=$(realpath "$1"); pairs=${2:-6}
shift; [ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- Commit2 Synod Elect Philo AltBit Gears Bakery GCount
specs=$(cd "$(dirname "$0")/../crates/tla/tests/golden/specs" && pwd)
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
TIMEFORMAT='%R %U %S'
# The number of distinct states, wall-clock seconds and CPU seconds of a run.
run() {
    local spec=$1 workers=$2 figures states
    figures=$({ time "$omnilink" mc "$spec.tla" --config "${spec}Bench.cfg" --workers "$workers" --json > "$scratch/out" 2> /dev/null; } 2>&1)
    # The first of its name: those after it belong to the actions.
    states=$(grep -o '"distinct":[0-9]*' "$scratch/out" | head -n 1 | cut -d: -f2)
    echo "$states $figures" | awk '{ print $1, $2, $3 + $4 }'
}
# How long the host has given the processors to others so far, in hundredths of a second; nothing where the system does not say.
stolen() { awk '/^cpu / { print $9 + 0 }' /proc/stat 2> /dev/null || echo 0; }
# The median of numbers, one a line.
median() { sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
printf '%-10s %12s %10s %10s %8s %8s %8s\n' spec distinct '1 s' '2 s' ratio CPU repeated
for spec in "$@"; do
    cd "$specs/$spec"
    : > "$scratch/pairs"
    again=$pairs done=0
    while [ "$done" -lt "$pairs" ]; do
        before=$(stolen)
        pair="$(run "$spec" 1) $(run "$spec" 2)"
        if [ "$again" -gt 0 ] && echo "$pair $(($(stolen) - before))" | awk '{ exit !($7 > 5 * ($3 + $6)) }'; then
            again=$((again - 1))
            continue
        fi
        done=$((done + 1))
        echo "$pair" >> "$scratch/pairs"
    done
    awk '$1 == "" || $1 != $4 { exit 1 }' "$scratch/pairs" || { echo "$spec: one and two workers find different states" >&2; exit 1; }
    ratio=$(awk '{ print $2 / $5 }' "$scratch/pairs" | median)
    echo "$ratio" >> "$scratch/ratios"
    printf '%-10s %12d %10.2f %10.2f %7.2fx %7.2fx %8d\n' "$spec" "$(cut -d' ' -f1 "$scratch/pairs" | head -n 1)" \
        "$(awk '{ print $2 }' "$scratch/pairs" | median)" "$(awk '{ print $5 }' "$scratch/pairs" | median)" \
        "$ratio" "$(awk '{ print $6 / $3 }' "$scratch/pairs" | median)" $((pairs - again))
done
awk '{ sum += log($1) } END { printf "geometric mean of the ratios %.2fx\n", exp(sum / NR) }' "$scratch/ratios"
