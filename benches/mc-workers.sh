#!/bin/bash
# omnilink mc with two workers against one on the golden benchmark specs, in one run: wall-clock seconds, start-up included.
#
#   benches/mc-workers.sh OMNILINK [TURNS] [SPEC...]
#
# Runs with one worker, with two, and two runs with one worker each at the same time take turns, TURNS times (6 unless told), because
# machines are faster at one time than at another. All must find the same states. Seconds are medians. Then follow, as medians of the
# ratios of each turn: how much faster two workers are than one; how much the machine gets done by two separate runs at a time, which
# share nothing but its processors, compared with one, beyond which two workers cannot get; and the CPU time of two workers over that
# of one. On a virtual machine, a turn during which other guests took more than a twentieth of the processors says nothing about two
# workers, and is repeated, at most as often as turns are asked for.
set -eu
omnilink=$(realpath "$1"); turns=${2:-6}
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
# How long the host has given the processors to others so far, in hundredths of a second; nothing where the system does not say.
stolen() { awk '/^cpu / { print $9 + 0 }' /proc/stat 2> /dev/null || echo 0; }
# The median of numbers, one a line.
median() { sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
printf '%-10s %12s %10s %10s %8s %8s %8s %8s\n' spec distinct '1 s' '2 s' ratio machine CPU repeated
for spec in "$@"; do
    cd "$specs/$spec"
    : > "$scratch/turns"
    again=$turns done=0
    while [ "$done" -lt "$turns" ]; do
        before=$(stolen)
        turn="$(run "$spec" 1) $(run "$spec" 2) $(both "$spec")"
        if [ "$again" -gt 0 ] && echo "$turn $(($(stolen) - before))" | awk '{ exit !($8 > 5 * (3 * $3 + $6)) }'; then
            again=$((again - 1))
            continue
        fi
        done=$((done + 1))
        echo "$turn" >> "$scratch/turns"
    done
    awk '$1 == "" || $1 != $4 { exit 1 }' "$scratch/turns" || { echo "$spec: one and two workers find different states" >&2; exit 1; }
    ratio=$(awk '{ print $2 / $5 }' "$scratch/turns" | median)
    echo "$ratio" >> "$scratch/ratios"
    machine=$(awk '{ print 2 * $2 / $7 }' "$scratch/turns" | median)
    echo "$machine" >> "$scratch/machine"
    printf '%-10s %12d %10.2f %10.2f %7.2fx %7.2fx %7.2fx %8d\n' "$spec" "$(cut -d' ' -f1 "$scratch/turns" | head -n 1)" \
        "$(awk '{ print $2 }' "$scratch/turns" | median)" "$(awk '{ print $5 }' "$scratch/turns" | median)" \
        "$ratio" "$machine" "$(awk '{ print $6 / $3 }' "$scratch/turns" | median)" $((turns - again))
done
mean() { awk '{ sum += log($1) } END { printf "%.2fx", exp(sum / NR) }' "$1"; }
echo "geometric mean of the ratios $(mean "$scratch/ratios"), of the machine's $(mean "$scratch/machine")"
