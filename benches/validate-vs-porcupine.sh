#!/bin/bash
# The same map traces through a TLA+ spec and through porcupine-rs with a native model: CPU seconds (user + system, start-up and
# reading included), medians of seven runs by turns, of what takes less than a tenth of a second the means of ten runs; at most ten
# minutes for each run.
#
#   cargo build --release -p omnilink-cli -p omnilink-benches --bin omnilink --bin porcupine-map
#   benches/validate-vs-porcupine.sh target/release crates/*/tests/data/setbench/w*
#
# The verdicts must be equal; the last column is the time of porcupine-rs over ours: above 1, ours is faster.
set -eu
omnilink=$(realpath "$1/omnilink") porcupine=$(realpath "$1/porcupine-map"); shift
. "$(dirname "$0")/cpu-seconds.sh"
# A program around it that looks at the clock would count as its own time.
ulimit -t 600
median() { sort -n "$1" | awk '{ at[NR] = $1 } END { print at[int((NR + 1) / 2)] }'; }
printf '%-24s %10s %10s %14s %7s\n' trace verdict 'spec s' 'porcupine-rs s' ratio
for trace in "$@"; do
    plain=$scratch/trace.ndjson
    rm -f "$plain" "$scratch"/times.*
    "$omnilink" trace convert "$trace" -o "$plain" > /dev/null 2>&1
    ours=$(runs_for "$(cpu_of_spec "$scratch/ours" "$plain")")
    theirs=$(runs_for "$(cpu "$scratch/theirs" "$porcupine" "$plain")")
    for _ in 1 2 3 4 5 6 7; do
        runs=$ours cpu_of_spec "$scratch/ours" "$plain" >> "$scratch/times.ours"
        runs=$theirs cpu "$scratch/theirs" "$porcupine" "$plain" >> "$scratch/times.theirs"
    done
    verdict=$(sed -n 's/.*"verdict":"\([a-z]*\)".*/\1/p' "$scratch/ours")
    case "$verdict $(cat "$scratch/theirs")" in
        'valid true' | 'violation false') ;;
        *) echo "$trace: the verdicts differ" >&2; exit 1 ;;
    esac
    awk -v trace="$(basename "$trace")" -v verdict="$verdict" -v a="$(median "$scratch/times.ours")" -v b="$(median "$scratch/times.theirs")" \
        'BEGIN { printf "%-24s %10s %10.4f %14.4f %6.2fx\n", trace, verdict, a, b, b / (a > 0 ? a : 0.001) }'
done
