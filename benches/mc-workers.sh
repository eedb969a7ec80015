#!/bin/bash
# omnilink mc with two workers against one on the golden benchmark specs, in one run: wall-clock seconds, start-up included.
#
#   benches/mc-workers.sh OMNILINK [ROUNDS] [SPEC...]
#
# Runs with one worker, with two workers, and two simultaneous runs with one worker each alternate for ROUNDS rounds (default 6), because
# the speed of a shared machine varies. All must find the same states. Seconds are medians. The other columns are medians of the ratios of
# each round: the speed-up of two workers; the throughput of two separate processes over one, which is the limit of the machine; and the
# CPU time of two workers over that of one. On a virtual machine, a round in which other guests took more than a twentieth of the
# processors is repeated, at most ROUNDS times.
set -eu
omnilink=$(realpath "$1"); rounds=${2:-6}
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
# The wall-clock seconds of two runs with one worker each at the same time.
both() {
    local separate=("$omnilink" mc "$1.tla" --config "$1Bench.cfg" --workers 1 --json)
    { time { "${separate[@]}" > /dev/null 2>&1 & "${separate[@]}" > /dev/null 2>&1; wait; } ; } 2>&1 | cut -d' ' -f1
}
# Time that the host has given to other guests so far, in hundredths of a second; 0 if the system does not report it.
stolen() { awk '/^cpu / { print $9 + 0 }' /proc/stat 2> /dev/null || echo 0; }
# The median of numbers, one per line.
median() { sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
printf '%-10s %12s %10s %10s %8s %8s %8s %8s\n' spec distinct '1 s' '2 s' ratio machine CPU repeated
for spec in "$@"; do
    cd "$specs/$spec"
    : > "$scratch/rounds"
    again=$rounds done=0
    while [ "$done" -lt "$rounds" ]; do
        before=$(stolen)
        round="$(run "$spec" 1) $(run "$spec" 2) $(both "$spec")"
        if [ "$again" -gt 0 ] && echo "$round $(($(stolen) - before))" | awk '{ exit !($8 > 5 * (3 * $3 + $6)) }'; then
            again=$((again - 1))
            continue
        fi
        done=$((done + 1))
        echo "$round" >> "$scratch/rounds"
    done
    awk '$1 == "" || $1 != $4 { exit 1 }' "$scratch/rounds" || { echo "$spec: one and two workers find different states" >&2; exit 1; }
    ratio=$(awk '{ print $2 / $5 }' "$scratch/rounds" | median)
    echo "$ratio" >> "$scratch/ratios"
    machine=$(awk '{ print 2 * $2 / $7 }' "$scratch/rounds" | median)
    echo "$machine" >> "$scratch/machine"
    printf '%-10s %12d %10.2f %10.2f %7.2fx %7.2fx %7.2fx %8d\n' "$spec" "$(cut -d' ' -f1 "$scratch/rounds" | head -n 1)" \
        "$(awk '{ print $2 }' "$scratch/rounds" | median)" "$(awk '{ print $5 }' "$scratch/rounds" | median)" \
        "$ratio" "$machine" "$(awk '{ print $6 / $3 }' "$scratch/rounds" | median)" $((rounds - again))
done
mean() { awk '{ sum += log($1) } END { printf "%.2fx", exp(sum / NR) }' "$1"; }
echo "geometric mean of the ratios $(mean "$scratch/ratios"), of the machine's $(mean "$scratch/machine")"
