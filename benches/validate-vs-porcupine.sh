#!/bin/bash
# The same map traces through a TLA+ spec and through porcupine-rs with a native model: CPU milliseconds (user + system, start-up and
# reading included), medians of seven alternating runs, of 41 where both take less than a tenth of a second; at most ten minutes for
# each run.
#
#   cargo build --release -p omnilink-cli -p omnilink-benches --bin omnilink --bin porcupine-map
#   benches/validate-vs-porcupine.sh target/release crates/*/tests/data/setbench/w*
#
# The verdicts must be equal; the last column is the time of porcupine-rs over ours: above 1, ours is faster.
set -eu
omnilink=$(realpath "$1/omnilink") porcupine=$(realpath "$1/porcupine-map"); shift
alternate=$(realpath "$(dirname "$0")/alternate.py")
. "$(dirname "$0")/cpu-seconds.sh"
ulimit -t 600
printf '%-24s %10s %10s %16s %8s\n' trace verdict 'spec ms' 'porcupine-rs ms' ratio
for trace in "$@"; do
    plain=$scratch/trace.ndjson
    rm -f "$plain"
    "$omnilink" trace convert "$trace" -o "$plain" > /dev/null 2>&1
    ours=$(cpu_of_spec "$scratch/ours" "$plain") theirs=$(cpu "$scratch/theirs" "$porcupine" "$plain")
    verdict=$(sed -n 's/.*"verdict":"\([a-z]*\)".*/\1/p' "$scratch/ours")
    case "$verdict $(cat "$scratch/theirs")" in
        'valid true' | 'violation false') ;;
        *) echo "$trace: the verdicts differ" >&2; exit 1 ;;
    esac
    runs=$(echo "$ours $theirs" | awk '{ print ($1 < 0.1 && $2 < 0.1 ? 41 : 7) }')
    "$alternate" "$runs" "$(printf '%q ' "$omnilink" validate "$spec" "$plain" "${options[@]}")" \
        "$(printf '%q ' "$porcupine" "$plain")" > "$scratch/times"
    awk -v trace="$(basename "$trace")" -v verdict="$verdict" 'NR > 1 { median[NR] = $3 }
        END { printf "%-24s %10s %10.1f %16.1f %7.2fx\n", trace, verdict, median[2], median[3], median[3] / median[2] }' "$scratch/times"
done
