#!/bin/sh
# omnilink mc against TLC on the golden benchmark specs, in one run: wall-clock seconds, start-up included.
#
#   benches/mc-vs-tlc.sh OMNILINK TLC_CLASSPATH [WORKERS] [SPEC...]
#
# TLC_CLASSPATH is a tla2tools.jar or any other class path, with absolute paths. Counts must be equal; the last column is TLC's time over ours.
set -eu
omnilink=$(realpath "$1"); classpath=$2; workers=${3:-1}
shift; shift; [ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- Commit2 Synod Elect Philo AltBit Gears Bakery GCount
specs=$(cd "$(dirname "$0")/../crates/tla/tests/golden/specs" && pwd)
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
now() { date +%s.%N; }
printf '%-10s %12s %10s %10s %8s\n' spec distinct 'TLC s' 'here s' ratio
for spec in "$@"; do
    cd "$specs/$spec"
    start=$(now)
    java -XX:+UseParallelGC -cp "$classpath" tlc2.TLC -workers "$workers" -noGenerateSpecTE -metadir "$scratch/$spec" \
        -config "${spec}Bench.cfg" "$spec.tla" > "$scratch/tlc.out" 2>&1
    middle=$(now)
    "$omnilink" mc "$spec.tla" --config "${spec}Bench.cfg" --workers "$workers" --json > "$scratch/mc.out"
    end=$(now)
    theirs=$(sed -n 's/^[0-9]* states generated, \([0-9]*\) distinct states found, 0 states left.*/\1/p' "$scratch/tlc.out" | tail -1)
    # The first of its name: those after it belong to the actions.
    ours=$(grep -o '"distinct":[0-9]*' "$scratch/mc.out" | head -n 1 | cut -d: -f2)
    [ "$theirs" = "$ours" ] || { echo "$spec: TLC found $theirs distinct states, omnilink $ours" >&2; exit 1; }
    awk -v spec="$spec" -v n="$ours" -v a="$start" -v b="$middle" -v c="$end" \
        'BEGIN { printf "%-10s %12d %10.2f %10.2f %7.1fx\n", spec, n, b - a, c - b, (b - a) / (c - b) }'
done
